// SPDX-License-Identifier: Apache-2.0
#include "cli/graph/text_form.h"

#include <algorithm>
#include <utility>

#include "cli/failure.h"

namespace coracle::cli {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  GraphText graph() {
    GraphText g;
    expect("graph (");
    while (!take(")")) {
      g.inputs.push_back(definition());
      take(", ");
    }
    expect(" {");
    for (;;) {
      skip_space();
      if (take("return")) break;
      if (peek() == '@') {
        g.constants.push_back(definition());
        until("\n");
      } else {
        g.nodes.push_back(node());
      }
    }
    while (take(" ") || take(", ")) {
      GraphValue output;
      output.id = identifier();
      if (take(" \"")) output.name = string();
      g.outputs.push_back(std::move(output));
    }
    skip_space();
    expect("}");
    return g;
  }

 private:
  [[noreturn]] void fail() const {
    throw Failure(ExitCode::kRunFailure, "the text of the graph has another form at byte " + std::to_string(at_));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail();
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\n') ++at_;
  }
  std::string_view until(std::string_view stops) {
    const size_t begin = at_;
    at_ = text_.find_first_of(stops, at_);
    if (at_ == std::string_view::npos) at_ = text_.size(), fail();
    return text_.substr(begin, at_ - begin);
  }
  std::string identifier() { return std::string(until(" ,:()[]{}\n")); }
  /// The rest of a quoted text, as it is written.
  std::string string() {
    const size_t begin = at_;
    while (peek() != '"') {
      if (peek() == '\0') fail();
      at_ += peek() == '\\' ? 2 : 1;
    }
    return std::string(text_.substr(begin, at_++ - begin));
  }
  /// Up to the bracket that closes what is open here, which is taken.
  std::string within(char close) {
    const size_t begin = at_;
    for (int depth = 0;;) {
      const char c = peek();
      if (c == '\0') fail();
      if (depth == 0 && c == close) return std::string(text_.substr(begin, at_++ - begin));
      ++at_;
      if (c == '"') string();
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
  }
  /// %0 "name": float32[1, 2]
  GraphValue definition() {
    GraphValue v;
    v.id = identifier();
    if (take(" \"")) v.name = string();
    expect(": ");
    v.type = std::string(until("[:,) \n="));
    if (take("[")) v.type += "[" + within(']') + "]";
    if (peek() == ':') v.type += until(",) \n=]");  // how its elements lie, or that it is an array of tensors
    return v;
  }
  /// Of the attributes of an engine_block: what stands in quotes.
  static std::string engine_in(std::string_view attributes) {
    const size_t begin = std::min(attributes.find('"'), attributes.size() - 1) + 1;
    return std::string(attributes.substr(begin, attributes.find('"', begin) - begin));
  }
  GraphNode node() {
    GraphNode n;
    const size_t begin = at_;
    // Without results the line begins with the operator.
    if (peek() == '%' || peek() == '[' || peek() == '_') {
      while (!take(" = ")) {
        if (peek() == '%') {
          n.outputs.push_back(definition());
        } else if (!take(", ") && !take("[") && !take("]") && !take("_")) {
          fail();
        }
      }
    }
    if (at_ == begin && peek() == '\n') fail();
    n.op = std::string(until("(\n"));
    expect("(");
    while (!take(")")) {
      if (peek() == '%' || peek() == '@') {
        n.inputs.push_back(identifier());
      } else if (!take(", ") && !take("[") && !take("]") && !take("_")) {
        fail();
      }
    }
    if (take(" {")) n.attributes = within('}');
    if (n.op == "engine_block") n.engine = engine_in(n.attributes);
    if (take(" lod ")) until(" \n");
    if (take(" scope \"")) string();
    while (take(" graph (")) {
      at_ -= 7;
      n.regions.push_back(graph());
    }
    if (take("  # \"")) n.name = string();
    expect("\n");
    return n;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

GraphText parse_graph(std::string_view text) { return Parser(text).graph(); }

}  // namespace coracle::cli
