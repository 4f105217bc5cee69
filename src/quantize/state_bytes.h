// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

/// What is kept of a run that may be interrupted, as bytes.
namespace coracle::internal::quantize {

/// Appends numbers and texts to bytes, as this machine has them.
class StateWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(std::string_view value) {
    number<uint64_t>(value.size());
    bytes_.append(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Takes them off again. Throws Error (kIo) where there are fewer.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string text() { return std::string(bytes(number<uint64_t>())); }
  bool empty() const { return left_.empty(); }

 private:
  std::string_view bytes(uint64_t count) {
    require(count <= left_.size(), ErrorCode::kIo, "the file of --state is damaged: remove it");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::string_view left_;
};

}  // namespace coracle::internal::quantize
