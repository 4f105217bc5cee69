// SPDX-License-Identifier: Apache-2.0
#include "graph/text_attributes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/printable.h"
#include "base/shortest.h"

namespace coracle::internal {
namespace {

std::string written(bool v) { return v ? "true" : "false"; }
std::string written(int v) { return std::to_string(v); }
std::string written(int64_t v) { return std::to_string(v); }
std::string written(double v) { return shortest(v); }
std::string written(const std::string& v) { return quoted(v); }
std::string written(const Ints& v) {
  return text("[", joined(v, [](int64_t i) { return std::to_string(i); }), "]");
}
std::string written(const Floats& v) {
  return text("[", joined(v, [](double d) { return shortest(d); }), "]");
}
std::string written(const Strings& v) {
  return text("[", joined(v, [](const std::string& s) { return quoted(s); }), "]");
}
std::string written(DType v) { return std::string(name_of(v)); }
std::string written(const std::optional<DType>& v) { return v ? std::string(name_of(*v)) : "none"; }
std::string written(const EnumRef& v) { return std::string(v.names[static_cast<size_t>(v.value)]); }

/// Collects "name = value" of all fields.
class Collector : public AttributeVisitor {
 public:
  std::vector<std::pair<std::string, std::string>> fields;

 protected:
  void visit(std::string_view name, std::string_view, AttributeRef field) override {
    fields.emplace_back(name, std::visit([](auto* p) { return written(*p); }, field));
  }
};

/// A value as it stands in the text: one token, or the tokens of a list.
struct Literal {
  TextPlace place;
  bool is_list = false;
  std::vector<Token> tokens;
};

struct Attribute {
  Token name;
  Literal value;
  bool taken = false;
};

Token parse_scalar(TextLexer& lexer) {
  const Token::Kind kind = lexer.next().kind;
  if (kind != Token::Kind::kWord && kind != Token::Kind::kNumber && kind != Token::Kind::kString) {
    lexer.fail_expected("a number, a word, a string or a list of them");
  }
  return lexer.take();
}

Literal parse_literal(TextLexer& lexer) {
  Literal literal{.place = lexer.next().place, .is_list = false, .tokens = {}};
  if (!lexer.accept("[")) {
    literal.tokens.push_back(parse_scalar(lexer));
    return literal;
  }
  literal.is_list = true;
  while (!lexer.accept("]")) {
    if (!literal.tokens.empty()) lexer.expect(",");
    literal.tokens.push_back(parse_scalar(lexer));
  }
  return literal;
}

bool is_word_token(const Token& token) { return token.kind == Token::Kind::kWord; }

/// Sets one field from its literal.
class FieldSetter {
 public:
  FieldSetter(std::string_view name, const Literal& literal) : name_(name), literal_(literal) {}

  void operator()(bool* to) const {
    const Token& t = one("true or false");
    if (!is_word_token(t) || (t.text != "true" && t.text != "false")) mismatch("true or false");
    *to = t.text == "true";
  }
  void operator()(int* to) const {
    const int64_t wide = integer_of(one("an integer"));
    if (!std::in_range<int>(wide)) mismatch("an integer of 32 bits");
    *to = static_cast<int>(wide);
  }
  void operator()(int64_t* to) const { *to = integer_of(one("an integer")); }
  void operator()(double* to) const { *to = real_of(one("a real number")); }
  void operator()(std::string* to) const { *to = string_of(one("a string")); }
  void operator()(Ints* to) const { *to = list<int64_t>("integers", integer_of); }
  void operator()(Floats* to) const { *to = list<double>("real numbers", real_of); }
  void operator()(Strings* to) const {
    *to = list<std::string>("strings", [this](const Token& t) { return string_of(t); });
  }
  void operator()(DType* to) const {
    const auto dtype = dtype_of(one("an element type").text);
    if (!dtype) mismatch("an element type");
    *to = *dtype;
  }
  void operator()(std::optional<DType>* to) const {
    to->reset();
    if (one("an element type or none").text == "none") return;
    *to = dtype_of(literal_.tokens.front().text);
    if (!to->has_value()) mismatch("an element type or none");
  }
  void operator()(EnumRef* to) const {
    const auto at = std::find(to->names.begin(), to->names.end(), one("a word").text);
    std::string choices = "one of";
    for (std::string_view n : to->names) choices.append(n == to->names.front() ? " " : ", ").append(n);
    if (at == to->names.end()) mismatch(choices);
    to->value = static_cast<int>(at - to->names.begin());
  }

 private:
  [[noreturn]] void mismatch(std::string_view expected) const {
    const std::string_view found = literal_.is_list ? "a list" : literal_.tokens.front().text;
    fail(ErrorCode::kInvalidModel, literal_.place, ": attribute '", name_, "' is ", found, ", expected ", expected);
  }
  const Token& one(std::string_view expected) const {
    if (literal_.is_list) mismatch(expected);
    return literal_.tokens.front();
  }
  std::string string_of(const Token& token) const {
    if (token.kind != Token::Kind::kString) {
      fail(ErrorCode::kInvalidModel, token.place, ": attribute '", name_, "' is ", token.text,
           ", expected a string in quotes");
    }
    return unescaped(token);
  }
  template <class T, class F>
  std::vector<T> list(std::string_view of, const F& element) const {
    if (!literal_.is_list) mismatch(text("a list of ", of));
    std::vector<T> out;
    for (const Token& t : literal_.tokens) out.push_back(element(t));
    return out;
  }

  std::string_view name_;
  const Literal& literal_;
};

/// Sets the fields of an operator that the text gives.
class FieldVisitor : public AttributeVisitor {
 public:
  explicit FieldVisitor(std::vector<Attribute>& attributes) : attributes_(attributes) {}
  const std::string& known() const { return known_; }

 protected:
  void visit(std::string_view name, std::string_view, AttributeRef field) override {
    known_.append(known_.empty() ? "" : ", ").append(name);
    for (Attribute& a : attributes_) {
      if (a.name.text != name) continue;
      a.taken = true;
      std::visit(FieldSetter(name, a.value), field);
    }
  }

 private:
  std::vector<Attribute>& attributes_;
  std::string known_;
};

}  // namespace

std::string quoted(std::string_view s) {
  std::string out;
  for (char c : s) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return text("\"", printable(out), "\"");
}

std::string print_attributes(const Op& op) {
  Collector mine;
  Collector defaults;
  op.schema().visit(op.schema().make(op.attributes()).get(), mine);
  op.schema().visit(op.schema().make(nullptr).get(), defaults);
  std::string out;
  for (size_t i = 0; i < mine.fields.size(); ++i) {
    if (i < defaults.fields.size() && mine.fields[i] == defaults.fields[i]) continue;
    out.append(out.empty() ? " {" : ", ").append(mine.fields[i].first).append(" = ").append(mine.fields[i].second);
  }
  return out.empty() ? out : out + "}";
}

int64_t integer_of(const Token& token) {
  int64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, value);
  require(token.kind == Token::Kind::kNumber && result.ec == std::errc() && result.ptr == end, ErrorCode::kInvalidModel,
          token.place, ": expected an integer of 64 bits, found '", token.text, "'");
  return value;
}

double real_of(const Token& token) {
  double value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, value);
  const bool numeric = token.kind == Token::Kind::kNumber || is_word_token(token);
  require(numeric && result.ec == std::errc() && result.ptr == end, ErrorCode::kInvalidModel, token.place,
          ": expected a real number, found '", token.text, "'");
  return value;
}

Op parse_attributes(TextLexer& lexer, const OpSchema& schema) {
  std::vector<Attribute> attributes;
  if (lexer.accept("{")) {
    while (!lexer.accept("}")) {
      if (!attributes.empty()) lexer.expect(",");
      Attribute a{.name = lexer.expect(Token::Kind::kWord, "the name of an attribute"), .value = {}};
      lexer.expect("=");
      a.value = parse_literal(lexer);
      attributes.push_back(std::move(a));
    }
  }
  std::shared_ptr<void> fields = schema.make(nullptr);
  FieldVisitor visitor(attributes);
  schema.visit(fields.get(), visitor);
  for (const Attribute& a : attributes) {
    if (a.taken) continue;
    fail(ErrorCode::kInvalidModel, a.name.place, ": operator ", schema.name, " has no attribute '", a.name.text,
         "', expected one of: ", visitor.known().empty() ? "none" : visitor.known());
  }
  return {&schema, std::move(fields)};
}

}  // namespace coracle::internal
