// SPDX-License-Identifier: Apache-2.0
#include "api/operator_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/printable.h"

namespace coracle::internal {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

/// The parts between commas.
std::vector<std::string_view> items_of(const char* text) {
  std::vector<std::string_view> items;
  std::string_view rest = text == nullptr ? std::string_view() : trimmed(text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    items.push_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
    if (trimmed(rest).empty()) items.emplace_back();
  }
  return items;
}

struct Type {
  std::string_view name;
  AttributeValue (*missing)();
  /// The value that a text stands for; nothing where it stands for none. Null: such attributes have none but that
  /// above.
  std::optional<AttributeValue> (*value)(std::string_view text);
};

template <class T>
std::optional<AttributeValue> number_from(std::string_view text) {
  T number{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return AttributeValue(number);
}

std::optional<AttributeValue> bool_from(std::string_view text) {
  if (text != "true" && text != "false") return std::nullopt;
  return AttributeValue(text == "true");
}

std::optional<AttributeValue> dtype_from(std::string_view text) {
  const std::optional<DType> dtype = dtype_of(text);
  if (!dtype) return std::nullopt;
  return AttributeValue(*dtype);
}

template <class T>
AttributeValue empty_value() {
  return T{};
}

constexpr Type kTypes[] = {
    {"bool", empty_value<bool>, bool_from},
    {"int", empty_value<int64_t>, number_from<int64_t>},
    {"float", empty_value<double>, number_from<double>},
    {"string", empty_value<std::string>,
     [](std::string_view text) { return std::optional(AttributeValue(std::string(text))); }},
    {"dtype", [] { return AttributeValue(DType::kFloat32); }, dtype_from},
    {"ints", empty_value<Ints>, nullptr},
    {"floats", empty_value<Floats>, nullptr},
    {"strings", empty_value<Strings>, nullptr},
};

AttributeValue missing_value(const char* op, std::string_view attribute, std::string_view type,
                             std::optional<std::string_view> value) {
  const auto* const row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& t) { return t.name == type; });
  require(row != std::end(kTypes), ErrorCode::kInvalidArgument, "attribute ", in_quotes(attribute), " of operator ",
          in_quotes(op), " has the type ", in_quotes(type),
          ", expected bool, int, float, string, dtype, ints, floats or strings");
  if (!value) return row->missing();
  require(row->value != nullptr, ErrorCode::kInvalidArgument, "attribute ", in_quotes(attribute), " of operator ",
          in_quotes(op), " is a list, which has no elements where the model gives none, and is given ",
          in_quotes(*value));
  const std::optional<AttributeValue> given = row->value(*value);
  require(given.has_value(), ErrorCode::kInvalidArgument, "attribute ", in_quotes(attribute), " of operator ",
          in_quotes(op), " is of type ", type, ", which ", in_quotes(*value), " is not a value of");
  return *given;
}

}  // namespace

std::vector<CustomPort> ports_from(const char* op, const char* text) {
  std::vector<CustomPort> ports;
  for (std::string_view item : items_of(text)) {
    CustomPort port;
    if (item.ends_with('?')) port.kind = Port::Kind::kOptional;
    if (item.ends_with('*')) port.kind = Port::Kind::kList;
    if (port.kind != Port::Kind::kOne) item.remove_suffix(1);
    require(!item.empty(), ErrorCode::kInvalidArgument, "operator ", in_quotes(op), " has a tensor without a name in ",
            in_quotes(text));
    port.name = item;
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<CustomAttribute> attributes_from(const char* op, const char* text) {
  std::vector<CustomAttribute> attributes;
  for (const std::string_view item : items_of(text)) {
    const size_t colon = item.find(':');
    require(colon != std::string_view::npos, ErrorCode::kInvalidArgument, "operator ", in_quotes(op),
            " has an attribute without a type: ", in_quotes(item),
            ", expected \"name: type\" or \"name: type = value\"");
    const std::string_view name = trimmed(item.substr(0, colon));
    const std::string_view rest = item.substr(colon + 1);
    const size_t equals = rest.find('=');
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = trimmed(rest.substr(equals + 1));
    attributes.push_back(
        {.name = std::string(name), .missing = missing_value(op, name, trimmed(rest.substr(0, equals)), value)});
  }
  return attributes;
}

}  // namespace coracle::internal
