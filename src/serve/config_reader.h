// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "client/element.h"
#include "serve/failure.h"
#include "serve/text_proto.h"

namespace coracle::serve {

/// A message of the file, read field by field; what nobody has asked for fails.
class ConfigReader {
 public:
  ConfigReader(const std::string& source, std::string path) : source_(source), path_(std::move(path)) {}

  [[noreturn]] void fail(const TextField& field, const std::string& what, Code code = Code::kInvalidArgument) const {
    throw Failure(code, source_ + ", line " + std::to_string(field.line) + ": " + path_ + field.name + " " + what);
  }
  [[noreturn]] void unknown(const TextField& field) const {
    fail(field, "is not supported; take it out of the file, or serve the model without a config.pbtxt",
         Code::kUnsupported);
  }

  const std::string& text(const TextField& field) const {
    if (field.is_message()) fail(field, "is a message, expected a value");
    return std::get<std::string>(field.value);
  }
  int64_t integer(const TextField& field, int64_t least, int64_t most = INT64_MAX) const {
    const std::string& written = text(field);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
    if (error != std::errc() || end != written.data() + written.size() || value < least || value > most || field.quoted)
      fail(field, "is " + written + ", expected an integer from " + std::to_string(least) + " on");
    return value;
  }
  bool boolean(const TextField& field) const {
    const std::string& written = text(field);
    if (written == "true" || written == "1") return true;
    if (written == "false" || written == "0") return false;
    fail(field, "is " + written + ", expected true or false");
  }
  /// TYPE_FP32 and so on.
  coracle_dtype data_type(const TextField& field) const {
    constexpr std::string_view kPrefix = "TYPE_";
    const std::string& name = text(field);
    const auto known =
        name.starts_with(kPrefix) ? client::dtype_of_datatype(name.substr(kPrefix.size())) : std::nullopt;
    if (!known.has_value()) fail(field, "is " + name + ", expected TYPE_ and one of " + client::datatype_names());
    return *known;
  }
  template <class F>
  void message(const TextField& field, const F& f) const {
    if (!field.is_message())
      fail(field, "is '" + std::get<std::string>(field.value) + "', expected a message in braces");
    const ConfigReader inner(source_, path_ + field.name + ".");
    for (const TextField& part : std::get<TextMessage>(field.value).fields) f(inner, part);
  }

 private:
  const std::string& source_;
  const std::string path_;
};

}  // namespace coracle::serve
