// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

/// JSON by RapidJSON, with memory that is asked for as everywhere else.

namespace coracle::internal {

/// The allocator of all RapidJSON documents and writers (the members are those of its concept): that library writes
/// through what its own allocator returns, null too.
class JsonMemory {
 public:
  static constexpr bool kNeedFree = true;

  static void* Malloc(size_t size) { return size == 0 ? nullptr : checked(std::malloc(size)); }
  static void* Realloc(void* data, size_t /*old_size*/, size_t size) {
    if (size != 0) return checked(std::realloc(data, size));
    Free(data);
    return nullptr;
  }
  static void Free(void* data) { std::free(data); }

 private:
  static void* checked(void* data) {
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }
};

using JsonDocument =
    rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::MemoryPoolAllocator<JsonMemory>, JsonMemory>;
using JsonValue = JsonDocument::ValueType;
using JsonReader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonMemory>;
using JsonBuffer = rapidjson::GenericStringBuffer<rapidjson::UTF8<>, JsonMemory>;

/// Writes one value without spaces, by calls in its order.
class JsonWriter : public rapidjson::Writer<JsonBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonMemory> {
 public:
  using Writer::Writer;

  /// A string of UTF-8, with its zero bytes.
  void text(std::string_view value) { String(value.data(), static_cast<rapidjson::SizeType>(value.size())); }
  /// A real number; null where it is not finite, for which JSON has nothing.
  void number(double value) { std::isfinite(value) ? Double(value) : Null(); }
  /// A truth value, an integer, a real number or a string of UTF-8.
  template <class T>
  void value(const T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      Bool(v);
    } else if constexpr (std::is_floating_point_v<T>) {
      number(v);
    } else if constexpr (std::is_unsigned_v<T>) {
      Uint64(v);
    } else if constexpr (std::is_integral_v<T>) {
      Int64(v);
    } else {
      text(v);
    }
  }
  /// A member of an object.
  template <class T>
  void field(std::string_view name, const T& v) {
    Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    value(v);
  }
  /// A member that is a list: of values, of what `write(item)` writes, or of objects whose members it writes.
  template <class List, class Write>
  void list(const char* name, const List& items, const Write& write) {
    Key(name);
    StartArray();
    for (const auto& item : items) write(item);
    EndArray();
  }
  template <class List>
  void list(const char* name, const List& items) {
    list(name, items, [&](const auto& item) { value(item); });
  }
  template <class List, class Write>
  void objects(const char* name, const List& items, const Write& write) {
    list(name, items, [&](const auto& item) {
      StartObject();
      write(item);
      EndObject();
    });
  }
};

/// What `write(writer)` writes.
template <class F>
std::string json_text(const F& write) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  write(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace coracle::internal
