// SPDX-License-Identifier: Apache-2.0
#include "graph/text_lexer.h"

namespace coracle::internal {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// What a token looks like in a message: at most some bytes of it.
std::string shown(const Token& token) {
  constexpr size_t kMost = 40;
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  std::string out = "'";
  for (char c : token.text.substr(0, kMost)) out.push_back(static_cast<unsigned char>(c) < ' ' ? '?' : c);
  return out + (token.text.size() > kMost ? "...'" : "'");
}

}  // namespace

void append_text(std::string& to, const TextPlace& place) {
  to.append(text("line ", place.line, ", column ", place.column));
}

bool TextLexer::accept(std::string_view mark) {
  if (!at(mark)) return false;
  advance();
  return true;
}

void TextLexer::expect(std::string_view mark) {
  if (!accept(mark)) fail_expected(text("'", mark, "'"));
}

Token TextLexer::expect(Token::Kind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  return take();
}

void TextLexer::fail_expected(std::string_view what) const {
  fail(ErrorCode::kInvalidModel, token_.place, ": expected ", what, ", found ", shown(token_));
}

void TextLexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++place_.column;
      ++position_;
    } else if (c == '#') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

size_t TextLexer::word_end(size_t from) const {
  while (from < text_.size() && is_word(text_[from])) ++from;
  return from;
}

/// Behind the closing quote, or at the end of the line where there is none.
size_t TextLexer::string_end(size_t from) const {
  for (size_t i = from + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '"') return i + 1;
    if (text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n') ++i;
  }
  fail(ErrorCode::kInvalidModel, place_, ": expected '\"' at the end of a string, found the end of the line");
}

void TextLexer::advance() {
  skip_blanks();
  token_ = {.kind = Token::Kind::kEnd, .text = {}, .place = place_};
  if (position_ == text_.size()) return;
  const size_t begin = position_;
  const char c = text_[begin];
  size_t end = begin + 1;
  if (is_digit(c) || c == '-' || c == '+') {
    token_.kind = Token::Kind::kNumber;
    const auto goes_on = [&](char now, char before) {
      return is_word(now) || now == '.' || ((now == '-' || now == '+') && (before == 'e' || before == 'E'));
    };
    while (end < text_.size() && goes_on(text_[end], text_[end - 1])) ++end;
  } else if (is_word(c)) {
    token_.kind = Token::Kind::kWord;
    end = word_end(begin);
  } else if (c == '%' || c == '@') {
    token_.kind = Token::Kind::kValue;
    end = word_end(begin + 1);
  } else if (c == '"') {
    token_.kind = Token::Kind::kString;
    end = string_end(begin);
  } else {
    token_.kind = Token::Kind::kMark;
    if (text_.substr(begin, 3) == "...") end = begin + 3;
  }
  token_.text = text_.substr(begin, end - begin);
  position_ = end;
  place_.column += static_cast<int64_t>(end - begin);
}

std::string unescaped(const Token& token) {
  const std::string_view inner = token.text.substr(1, token.text.size() - 2);
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      out.push_back(inner[i]);
      continue;
    }
    const char c = inner[++i];
    const int high = i + 2 < inner.size() ? hex_digit(inner[i + 1]) : -1;
    const int low = i + 2 < inner.size() ? hex_digit(inner[i + 2]) : -1;
    if (c == 'x' && high >= 0 && low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(c == 'n' ? '\n' : c);
    }
  }
  return out;
}

}  // namespace coracle::internal
