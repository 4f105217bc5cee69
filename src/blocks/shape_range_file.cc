// SPDX-License-Identifier: Apache-2.0
#include "blocks/shape_range_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

/// The grammar of https://protobuf.dev/reference/protobuf/textformat-spec, as far as such files have it.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<ShapeRange> ranges() {
    std::vector<ShapeRange> out;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const std::string_view field = identifier();
      if (field == "shape_range_info") {
        take(':');
        out.push_back(range());
      } else {
        skip_value(0);
      }
      end_of_field();
    }
    return out;
  }

 private:
  static constexpr int kMostNested = 32;

  [[noreturn]] void fail_here(std::string_view expected) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at_), '\n') + 1;
    const std::string_view rest = text_.substr(at_, 16);
    fail(ErrorCode::kInvalidArgument, "the file of shape ranges has ",
         rest.empty() ? "its end" : in_quotes(rest.substr(0, rest.find('\n'))), " in line ", line, ", expected ",
         expected);
  }
  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool next_is(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail_here(std::string{'\'', c, '\''});
  }
  void end_of_field() {
    if (!take(',')) take(';');
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '+';
  }
  std::string_view word() {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view identifier() {
    const std::string_view name = word();
    if (name.empty()) fail_here("the name of a field");
    return name;
  }
  int64_t number() {
    skip_space();
    const size_t begin = at_;
    const std::string_view digits = word();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
      at_ = begin;
      fail_here("a whole number");
    }
    return value;
  }
  /// Texts one after the other are one.
  std::string string() {
    if (!next_is('"') && !next_is('\'')) fail_here("a text in quotes");
    std::string out;
    while (next_is('"') || next_is('\'')) {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') out.push_back(character());
      if (at_ >= text_.size() || text_[at_] != quote) fail_here("the end of a text in quotes");
      ++at_;
    }
    return out;
  }
  char character() {
    const char c = text_[at_++];
    if (c != '\\' || at_ >= text_.size()) return c;
    const char kind = text_[at_++];
    constexpr std::string_view kLetters = "abfnrtv";
    if (const size_t letter = kLetters.find(kind); letter != std::string_view::npos) return "\a\b\f\n\r\t\v"[letter];
    const bool hex = kind == 'x' || kind == 'X';
    if (!hex && (kind < '0' || kind > '7')) return kind;  // a quote or a backslash
    const size_t begin = hex ? at_ : at_ - 1;
    const std::string_view digits = text_.substr(begin, hex ? 2 : 3);
    unsigned value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 8);
    at_ = begin + static_cast<size_t>(read.ptr - digits.data());
    return static_cast<char>(value);
  }

  /// A number, or several in a list.
  void numbers(std::vector<int64_t>& out) {
    need(':');
    if (!take('[')) {
      out.push_back(number());
    } else if (!take(']')) {
      do out.push_back(number());
      while (take(','));
      need(']');
    }
  }
  /// What stands behind the name of a field that nobody asks for.
  void skip_value(int depth) {
    if (depth > kMostNested) fail_here("fewer messages within each other");
    take(':');
    if (next_is('"') || next_is('\'')) {
      string();
    } else if (next_is('{') || next_is('<') || next_is('[')) {
      const char open = text_[at_++];
      const char close = open == '{' ? '}' : (open == '<' ? '>' : ']');
      while (!take(close)) {
        if (open != '[') identifier();
        skip_value(depth + 1);
        end_of_field();
      }
    } else if (word().empty()) {
      fail_here("a value");
    }
  }

  ShapeRange range() {
    const char close = next_is('<') ? '>' : '}';
    need(close == '>' ? '<' : '{');
    ShapeRange range;
    while (!take(close)) {
      const std::string_view field = identifier();
      if (field == "name") {
        need(':');
        range.input = string();
      } else if (field == "min_shape") {
        numbers(range.min);
      } else if (field == "opt_shape") {
        numbers(range.opt);
      } else if (field == "max_shape") {
        numbers(range.max);
      } else {
        skip_value(0);
      }
      end_of_field();
    }
    require(range.min.size() == range.max.size() && range.min.size() == range.opt.size(), ErrorCode::kInvalidArgument,
            "the file of shape ranges gives ", in_quotes(range.input), " ", range.min.size(), " least, ",
            range.opt.size(), " usual and ", range.max.size(), " largest sizes, expected the same number of each");
    return range;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<ShapeRange> parse_shape_range_file(std::string_view text) { return Parser(text).ranges(); }

void add_known_ranges(const Graph& graph, EngineChoice& choice) {
  for (ValueId input : graph.inputs()) {
    const Value& value = graph.value(input);
    const Shape& declared = value.fact.shape;
    const auto is_it = [&](const ShapeRange& r) { return r.input == value.name; };
    if (std::any_of(choice.shapes.begin(), choice.shapes.end(), is_it)) continue;
    const auto known = std::find_if(choice.variables.begin(), choice.variables.end(), is_it);
    if (known == choice.variables.end()) continue;
    if (declared.rank_known() && static_cast<size_t>(declared.rank()) != known->min.size()) continue;
    choice.shapes.push_back(*known);
  }
  choice.variables.clear();
}

}  // namespace coracle::internal
