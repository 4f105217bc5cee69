// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/json_memory.h"

/// What programs in PIR are read and written with.
namespace coracle::quantize::pir {

using JsonDocument =
    rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<JsonMemory>, JsonMemory>;
using JsonValue = JsonDocument::ValueType;
using JsonBuffer = rapidjson::GenericStringBuffer<rapidjson::UTF8<>, JsonMemory>;
using JsonWriter = rapidjson::Writer<JsonBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonMemory>;

/// Names of element types.
inline constexpr std::pair<DType, std::string_view> kElementTypes[] = {
    {DType::kBool, "t_bool"},     {DType::kInt16, "t_i16"},     {DType::kInt32, "t_i32"},
    {DType::kInt64, "t_i64"},     {DType::kFloat16, "t_f16"},   {DType::kFloat32, "t_f32"},
    {DType::kFloat64, "t_f64"},   {DType::kUint8, "t_ui8"},     {DType::kInt8, "t_i8"},
    {DType::kBfloat16, "t_bf16"}, {DType::kComplex64, "t_c64"}, {DType::kComplex128, "t_c128"}};

/// The member of an object, or null.
inline const JsonValue* find(const JsonValue& object, const char* key) {
  if (!object.IsObject()) return nullptr;
  const auto it = object.FindMember(key);
  return it == object.MemberEnd() ? nullptr : &it->value;
}

/// The text at a key, or an empty one.
inline std::string string_at(const JsonValue& object, const char* key) {
  const JsonValue* v = find(object, key);
  return v != nullptr && v->IsString() ? std::string(v->GetString(), v->GetStringLength()) : std::string();
}

/// The elements of an array at a key; none where there is none.
inline std::vector<const JsonValue*> elements_at(const JsonValue& object, const char* key) {
  std::vector<const JsonValue*> elements;
  const JsonValue* v = find(object, key);
  if (v == nullptr || !v->IsArray()) return elements;
  for (const JsonValue& e : v->GetArray()) elements.push_back(&e);
  return elements;
}

/// The number of a value; 0 stands for none.
inline int64_t id_of(const JsonValue& value) {
  const JsonValue* id = find(value, "%");
  return id != nullptr && id->IsInt64() ? id->GetInt64() : 0;
}

inline std::string json_text(const JsonValue& value) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

/// A text as JSON writes it.
inline std::string quoted(const std::string& text) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.String(text.c_str(), static_cast<rapidjson::SizeType>(text.size()));
  return {buffer.GetString(), buffer.GetSize()};
}

/// An operation's name without dialect and trailing '_'.
inline std::string operation_name(const std::string& id) {
  std::string name = id.substr(id.find('.') == std::string::npos ? 0 : id.find('.') + 1);
  if (name.size() > 1 && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace coracle::quantize::pir
