// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace coracle::internal {

/// A place in a text, counted from 1; columns are bytes.
struct TextPlace {
  int64_t line = 1;
  int64_t column = 1;
};
void append_text(std::string& to, const TextPlace& place);  ///< "line 3, column 14"

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kWord,    ///< conv2d, float32, nan
    kValue,   ///< %0, @weights
    kNumber,  ///< -12, 1e-5, -inf
    kString,  ///< "..." with its escapes
    kMark,    ///< one of ( ) { } [ ] , : = ? and "..."
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  TextPlace place;
};

/// Cuts the text form of a graph into tokens, one ahead.
class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) { advance(); }

  const Token& next() const { return token_; }
  Token take() {
    const Token token = token_;
    advance();
    return token;
  }
  bool at(std::string_view mark) const { return token_.kind == Token::Kind::kMark && token_.text == mark; }
  bool at_word(std::string_view word) const { return token_.kind == Token::Kind::kWord && token_.text == word; }
  /// Takes the mark if it stands here.
  bool accept(std::string_view mark);
  /// Takes the word if it stands here.
  bool accept_word(std::string_view word) {
    const bool here = at_word(word);
    if (here) advance();
    return here;
  }
  void expect(std::string_view mark);
  /// Takes a token of a kind; `what` names it in the error.
  Token expect(Token::Kind kind, std::string_view what);
  /// Throws Error: "line 3, column 14: expected <what>, found '...'".
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void advance();
  void skip_blanks();
  size_t word_end(size_t from) const;
  size_t string_end(size_t from) const;

  std::string_view text_;
  size_t position_ = 0;
  TextPlace place_;
  Token token_;
};

/// The content of a string token.
std::string unescaped(const Token& token);

}  // namespace coracle::internal
