// SPDX-License-Identifier: Apache-2.0
#include "serve/text_reader_models.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/failure.h"

namespace coracle::serve {

TextReaderModels text_reader_models(const std::string& argument) {
  constexpr std::string_view kDictionary = "dictionary=";
  const size_t equals = std::min(argument.find('='), argument.size());
  TextReaderModels reader;
  reader.name = argument.substr(0, equals);
  std::vector<std::string> names;
  for (size_t at = equals + 1; at <= argument.size();) {
    const size_t end = std::min(argument.find(',', at), argument.size());
    std::string part = argument.substr(at, end - at);
    if (part.starts_with(kDictionary)) {
      reader.dictionary = part.substr(kDictionary.size());
    } else {
      names.push_back(std::move(part));
    }
    at = end + 1;
  }
  const bool named = std::none_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
  if (reader.name.empty() || !named || names.size() < 2 || names.size() > 3) {
    throw Failure(
        Code::kInvalidArgument,
        "'" + argument + "' is not a reader; expected NAME=detector,recognizer[,classifier][,dictionary=FILE]");
  }
  reader.detector = names[0];
  reader.recognizer = names[1];
  if (names.size() == 3) reader.classifier = names[2];
  return reader;
}

}  // namespace coracle::serve
