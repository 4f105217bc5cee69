// SPDX-License-Identifier: Apache-2.0
#include "vision/yaml.h"

#include <yaml.h>

#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "vision/file.h"

namespace coracle::vision {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxValues = 1'000'000;
constexpr int kMaxDepth = 32;

struct Event {
  yaml_event_t event{};
  ~Event() { yaml_event_delete(&event); }
};

std::string string_of(const yaml_char_t* bytes) {
  return bytes == nullptr ? std::string() : reinterpret_cast<const char*>(bytes);
}

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

/// Builds the tree of the parser's events.
class YamlReader {
 public:
  YamlReader(const std::string& name, std::string_view content) : file_(std::make_shared<const std::string>(name)) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(content.data()), content.size());
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() { yaml_parser_delete(&parser_); }

  Yaml::Pointer document() {
    expect(YAML_STREAM_START_EVENT);
    expect(YAML_DOCUMENT_START_EVENT);
    Event e;
    next(e);
    return value(e, 0);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(Problem::kDescription, *file_ + ":" + std::to_string(line) + ": " + what);
  }

  void next(Event& e) {
    if (yaml_parser_parse(&parser_, &e.event) != 0) return;
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    fail(parser_.problem_mark.line + 1,
         std::string("not YAML: ") + (parser_.problem != nullptr ? parser_.problem : "damaged"));
  }

  void expect(yaml_event_type_t type) {
    Event e;
    next(e);
    if (e.event.type != type) fail(e.event.start_mark.line + 1, "the file is empty");
  }

  Yaml::Pointer value(const Event& start, int depth) {
    const yaml_event_t& event = start.event;
    const std::size_t line = event.start_mark.line + 1;
    if (depth > kMaxDepth) fail(line, "nested more than " + std::to_string(kMaxDepth) + " deep");
    if (++values_ > kMaxValues) fail(line, "more than " + std::to_string(kMaxValues) + " values");
    if (event.type == YAML_ALIAS_EVENT) {
      const auto found = anchors_.find(string_of(event.data.alias.anchor));
      if (found == anchors_.end())
        fail(line, "the alias *" + string_of(event.data.alias.anchor) + " has no anchor before it");
      return found->second;
    }
    auto node = std::make_shared<Yaml>();
    node->line_ = line;
    node->file_ = file_;
    std::string anchor;
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        anchor = string_of(event.data.scalar.anchor);
        node->text_.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
        node->quoted_ = event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        break;
      case YAML_SEQUENCE_START_EVENT:
        anchor = string_of(event.data.sequence_start.anchor);
        node->kind_ = Yaml::Kind::kSequence;
        for (;;) {
          Event e;
          next(e);
          if (e.event.type == YAML_SEQUENCE_END_EVENT) break;
          node->items_.push_back(value(e, depth + 1));
        }
        break;
      case YAML_MAPPING_START_EVENT:
        anchor = string_of(event.data.mapping_start.anchor);
        node->kind_ = Yaml::Kind::kMapping;
        for (;;) {
          Event key;
          next(key);
          if (key.event.type == YAML_MAPPING_END_EVENT) break;
          const Yaml::Pointer name = value(key, depth + 1);
          Event e;
          next(e);
          node->members_.emplace_back(name->text(), value(e, depth + 1));
        }
        break;
      default: fail(line, "the file is empty");
    }
    if (!anchor.empty()) anchors_[anchor] = node;
    return node;
  }

  std::shared_ptr<const std::string> file_;
  yaml_parser_t parser_{};
  std::size_t values_ = 0;
  std::map<std::string, Yaml::Pointer> anchors_;
};

Yaml::Pointer Yaml::read(const std::string& path) { return parse(path, read_file(path, Problem::kFile, kMaxBytes)); }

Yaml::Pointer Yaml::parse(const std::string& name, std::string_view content) {
  return YamlReader(name, content).document();
}

void Yaml::fail(const std::string& what) const {
  throw Error(Problem::kDescription, *file_ + ":" + std::to_string(line_) + ": " + what);
}

std::string Yaml::found() const {
  switch (kind_) {
    case Kind::kSequence: return "a list";
    case Kind::kMapping: return "a mapping";
    default: return "'" + text_ + "'";
  }
}

bool Yaml::is_null() const {
  return kind_ == Kind::kScalar && !quoted_ &&
         (text_.empty() || text_ == "~" || text_ == "null" || text_ == "None" || text_ == "Null" || text_ == "NULL");
}

const std::string& Yaml::text() const {
  if (kind_ != Kind::kScalar) fail("expected a text or a number, found " + found());
  return text_;
}

double Yaml::number() const {
  const std::string& t = text();
  const std::size_t slash = t.find('/');
  const std::optional<double> upper = plain_number(trimmed(std::string_view(t).substr(0, slash)));
  if (upper && slash == std::string::npos) return *upper;
  const double lower = upper ? plain_number(trimmed(std::string_view(t).substr(slash + 1))).value_or(0) : 0;
  if (lower == 0) fail("expected a number, found '" + t + "'");
  return *upper / lower;
}

std::int64_t Yaml::integer() const {
  const double value = number();
  if (value != std::floor(value) || std::abs(value) > 1e9) fail("expected an integer, found '" + text() + "'");
  return static_cast<std::int64_t>(value);
}

bool Yaml::boolean() const {
  for (const char* yes : {"true", "True", "TRUE", "yes", "on"}) {
    if (text() == yes) return true;
  }
  for (const char* no : {"false", "False", "FALSE", "no", "off"}) {
    if (text() == no) return false;
  }
  fail("expected true or false, found '" + text() + "'");
}

const std::vector<Yaml::Pointer>& Yaml::items() const {
  if (kind_ != Kind::kSequence) fail("expected a list, found " + found());
  return items_;
}

const std::vector<std::pair<std::string, Yaml::Pointer>>& Yaml::members() const {
  if (kind_ != Kind::kMapping) fail("expected a mapping, found " + found());
  return members_;
}

const Yaml* Yaml::find(std::string_view name) const {
  for (const auto& [key, value] : members_) {
    if (key == name) return value->is_null() ? nullptr : value.get();
  }
  return nullptr;
}

const Yaml& Yaml::at(std::string_view name) const {
  const Yaml* found = find(name);
  if (found == nullptr) fail("'" + std::string(name) + "' is missing");
  return *found;
}

}  // namespace coracle::vision
