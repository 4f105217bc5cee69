// SPDX-License-Identifier: Apache-2.0
#include "serve/text_proto.h"

#include <cctype>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr int kMaxDepth = 32;

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  TextMessage parse() {
    TextMessage message = fields('\0', 0);
    if (at_ != text_.size()) fail("a field");
    return message;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = at_ < text_.size() ? "'" + std::string(text_.substr(at_, 12)) + "'" : "the end";
    throw Failure(Code::kInvalidArgument,
                  source_ + ", line " + std::to_string(line_) + ": expected " + expected + ", found " + found);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        if (c == '\n') ++line_;
        ++at_;
      } else {
        return;
      }
    }
  }

  bool accept(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  char escaped() {
    const char c = peek();
    ++at_;
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case '\\':
      case '\'':
      case '"': return c;
      default: break;
    }
    --at_;
    fail("one of the escapes \\n, \\t, \\r, \\\\, \\' and \\\"");
  }

  std::string quoted() {
    std::string value;
    const char quote = peek();
    ++at_;
    while (peek() != quote) {
      if (at_ >= text_.size() || peek() == '\n') fail("the end of a string");
      const char c = peek();
      ++at_;
      value += c == '\\' ? escaped() : c;
    }
    ++at_;
    return value;
  }

  void scalar(TextField& field) {
    skip();
    if (peek() == '"' || peek() == '\'') {
      std::string value;
      while (peek() == '"' || peek() == '\'') {  // strings that follow each other are one
        value += quoted();
        skip();
      }
      field.value = std::move(value);
      field.quoted = true;
      return;
    }
    std::string value = word();
    if (value.empty()) fail("a value");
    field.value = std::move(value);
  }

  void value(TextField& field, bool colon, int depth) {
    skip();
    if (peek() == '{' || peek() == '<') {
      const char close = peek() == '{' ? '}' : '>';
      if (depth == kMaxDepth) fail("messages nested at most " + std::to_string(kMaxDepth) + " deep");
      ++at_;
      field.value = fields(close, depth + 1);
      return;
    }
    if (!colon) fail("':' or '{'");
    scalar(field);
  }

  TextMessage fields(char close, int depth) {
    TextMessage message;
    while (true) {
      skip();
      if (close != '\0' && accept(close)) return message;
      if (at_ == text_.size() && close == '\0') return message;
      TextField field{.name = word(), .line = line_, .value = std::string()};
      if (field.name.empty()) fail("the name of a field");
      const bool colon = accept(':');
      if (accept('[')) {
        if (!accept(']')) {
          do {
            TextField entry = field;
            value(entry, colon, depth);
            message.fields.push_back(std::move(entry));
          } while (accept(','));
          if (!accept(']')) fail("',' or ']'");
        }
      } else {
        value(field, colon, depth);
        message.fields.push_back(std::move(field));
      }
      if (!accept(',')) accept(';');
    }
  }

  const std::string_view text_;
  const std::string& source_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

TextMessage parse_text_proto(std::string_view text, const std::string& source) {
  if (text.size() > kMaxBytes)
    throw Failure(Code::kInvalidArgument, source + " has " + std::to_string(text.size()) + " bytes, more than 1 MiB");
  return Parser(text, source).parse();
}

}  // namespace coracle::serve
