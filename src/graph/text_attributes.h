// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "graph/text_lexer.h"

namespace coracle::internal {

/// Reads "{name = value, ...}", if it stands here, and gives the operator of `schema` with these attributes.
/// Throws Error that names the place of what does not fit.
Op parse_attributes(TextLexer& lexer, const OpSchema& schema);

/// " {name = value, ...}" with the attributes that differ from their default, empty if none does.
std::string print_attributes(const Op& op);

/// A string in quotes, with escapes for quotes, backslashes and control characters.
std::string quoted(std::string_view s);

/// What `each` says of the elements, with commas between.
template <class List, class F>
std::string joined(const List& list, const F& each) {
  std::string out;
  for (const auto& item : list) out.append(out.empty() ? "" : ", ").append(each(item));
  return out;
}

/// A number token as an integer or as a real. Throws Error that names its place.
int64_t integer_of(const Token& token);
double real_of(const Token& token);

}  // namespace coracle::internal
