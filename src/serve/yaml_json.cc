// SPDX-License-Identifier: Apache-2.0
#include "serve/yaml_json.h"

#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <new>
#include <string_view>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

constexpr std::streamsize kMaxYamlFile = std::streamsize{1} << 20;
constexpr int kMaxYamlDepth = 32;
constexpr size_t kMaxYamlValues = 100'000;  // aliases count as often as they stand for something

using Memory = internal::JsonDocument::AllocatorType;

struct Parsed {
  explicit Parsed(const std::string& name, const std::string& content) {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(content.data()), content.size());
    const bool ok = yaml_parser_load(&parser, &document) != 0;
    const std::string where = name + ":" + std::to_string(parser.problem_mark.line + 1);
    const std::string why = parser.problem == nullptr ? "damaged" : parser.problem;
    yaml_parser_delete(&parser);
    if (!ok) throw Failure(Code::kInvalidArgument, where + ": not YAML: " + why);
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  ~Parsed() { yaml_document_delete(&document); }

  yaml_document_t document{};
};

template <class Number>
bool is_number(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

class Conversion {
 public:
  Conversion(const std::string& name, yaml_document_t& document, Memory& memory)
      : name_(name), document_(document), memory_(memory) {}

  internal::JsonValue value(const yaml_node_t& node, int depth) {
    if (depth > kMaxYamlDepth) fail(node, "nested more than " + std::to_string(kMaxYamlDepth) + " deep");
    if (++values_ > kMaxYamlValues) fail(node, "more than " + std::to_string(kMaxYamlValues) + " values");
    if (node.type == YAML_SCALAR_NODE) return scalar(node);
    internal::JsonValue result;
    if (node.type == YAML_SEQUENCE_NODE) {
      result.SetArray();
      for (const auto* i = node.data.sequence.items.start; i < node.data.sequence.items.top; ++i)
        result.PushBack(value(at(*i), depth + 1), memory_);
      return result;
    }
    result.SetObject();
    for (const auto* pair = node.data.mapping.pairs.start; pair < node.data.mapping.pairs.top; ++pair) {
      const yaml_node_t& key = at(pair->key);
      if (key.type != YAML_SCALAR_NODE) fail(key, "a key is not a word");
      internal::JsonValue name = text(key);
      if (result.HasMember(name)) fail(key, std::string("'") + name.GetString() + "' is there twice");
      result.AddMember(name, value(at(pair->value), depth + 1), memory_);
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const yaml_node_t& node, const std::string& what) const {
    throw Failure(Code::kInvalidArgument, name_ + ":" + std::to_string(node.start_mark.line + 1) + ": " + what);
  }

  const yaml_node_t& at(int index) { return *yaml_document_get_node(&document_, index); }

  internal::JsonValue text(const yaml_node_t& node) {
    return {reinterpret_cast<const char*>(node.data.scalar.value),
            static_cast<rapidjson::SizeType>(node.data.scalar.length), memory_};
  }

  internal::JsonValue scalar(const yaml_node_t& node) {
    const std::string_view word(reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length);
    if (node.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return text(node);
    if (is_one_of(word, {"", "~", "null", "Null", "NULL"})) return internal::JsonValue();
    if (is_one_of(word, {"true", "True", "TRUE", "yes", "Yes", "on", "On"})) return internal::JsonValue(true);
    if (is_one_of(word, {"false", "False", "FALSE", "no", "No", "off", "Off"})) return internal::JsonValue(false);
    int64_t whole = 0;
    double real = 0;
    if (is_number(word, whole)) return internal::JsonValue(whole);
    if (is_number(word, real) && std::isfinite(real)) return internal::JsonValue(real);
    return text(node);
  }

  const std::string& name_;
  yaml_document_t& document_;
  Memory& memory_;
  size_t values_ = 0;
};

}  // namespace

internal::JsonDocument parse_yaml(const std::string& name, const std::string& content) {
  Parsed parsed(name, content);
  const yaml_node_t* const root = yaml_document_get_root_node(&parsed.document);
  if (root == nullptr) throw Failure(Code::kInvalidArgument, name + ": the file is empty");
  internal::JsonDocument document;
  static_cast<internal::JsonValue&>(document) =
      Conversion(name, parsed.document, document.GetAllocator()).value(*root, 0);
  return document;
}

internal::JsonDocument read_yaml(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content(static_cast<size_t>(kMaxYamlFile) + 1, '\0');
  if (!stream.is_open()) throw Failure(Code::kInvalidArgument, path + " cannot be read");
  stream.read(content.data(), kMaxYamlFile + 1);
  if (stream.gcount() > kMaxYamlFile) throw Failure(Code::kInvalidArgument, path + ": has more than 1 MiB");
  content.resize(static_cast<size_t>(stream.gcount()));
  return parse_yaml(path, content);
}

}  // namespace coracle::serve
