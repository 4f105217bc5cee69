// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The text format of protocol buffers, without a schema: https://protobuf.dev/reference/protobuf/textformat-spec.
namespace coracle::serve {

struct TextField;

/// The fields of a message, in the order of the text; repeated fields occur several times.
struct TextMessage {
  std::vector<TextField> fields;
};

/// A field: a scalar as it is written (strings without quotes and with their escapes resolved), or a message.
struct TextField {
  std::string name;
  int line = 0;
  bool quoted = false;  ///< the scalar was written as a string
  std::variant<std::string, TextMessage> value;

  bool is_message() const { return std::holds_alternative<TextMessage>(value); }
};

/// Texts are at most 1 MiB, with messages nested at most 32 deep; lists in brackets become repeated fields. Throws
/// Failure (kInvalidArgument) with the line, what was expected and what was found. `source` names the text.
TextMessage parse_text_proto(std::string_view text, const std::string& source);

}  // namespace coracle::serve
