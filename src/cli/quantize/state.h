// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checksum.h"

namespace coracle::cli {

/// What content is told apart by: equal for equal parts in the same order.
class Fingerprint {
 public:
  void add(std::string_view part);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  Checksum sum_;
};

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

/// Takes them off again. Throws Failure (input/output) where there are fewer.
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
  std::string_view bytes(uint64_t count);

  std::string_view left_;
};

/// What a run has found out so far, in a file that a later run of the same goes on with. A run asks for its results in
/// an order that follows from what the key is made of, so the n-th result of one run is that of the other.
class State {
 public:
  /// Keeps nothing.
  State() = default;
  /// Reads the file where there is one with that key, and says so; one with another key or a damaged one is as none,
  /// with a warning. Throws Failure where the file is none of these (usage), or cannot be read.
  State(std::string file, std::string key);

  bool keeps() const { return !file_.empty(); }
  /// What was seen of values, as far as runs got: it replaces what was kept before.
  const std::optional<std::string>& seen() const { return seen_; }
  void keep_seen(std::string bytes);
  /// The next result that the earlier run had; nothing where it had no more.
  std::optional<std::string> next();
  /// What stands behind it.
  void add(std::string result);
  /// The file goes: all is done.
  void remove() const;

 private:
  bool read(const std::string& content);
  void write() const;

  std::string file_;
  std::string key_;
  std::optional<std::string> seen_;
  std::vector<std::string> results_;
  size_t taken_ = 0;
};

}  // namespace coracle::cli
