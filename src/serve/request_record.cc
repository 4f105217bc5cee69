// SPDX-License-Identifier: Apache-2.0
#include "serve/request_record.h"

#include <algorithm>

#include "base/json.h"

namespace coracle::serve {

std::string valid_utf8(std::string_view text, size_t most) {
  constexpr const char* kReplacement = "\xEF\xBF\xBD";
  text = text.substr(0, most);
  std::string valid;
  while (true) {
    const auto plain = std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
    valid.append(text.begin(), plain);
    text.remove_prefix(static_cast<size_t>(plain - text.begin()));
    if (text.empty()) return valid;
    rapidjson::MemoryStream in(text.data(), text.size());
    internal::JsonBuffer out;
    const bool good = rapidjson::UTF8<>::Validate(in, out) && out.GetSize() <= text.size();
    valid.append(good ? std::string_view(out.GetString(), out.GetSize()) : std::string_view(kReplacement));
    text.remove_prefix(good ? out.GetSize() : 1);
  }
}

}  // namespace coracle::serve
