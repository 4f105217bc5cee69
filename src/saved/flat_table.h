// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

/// FlatBuffers (https://flatbuffers.dev/internals) in memory that nobody vouches for: what an access reads lies within
/// the bytes, or it throws Error (kInvalidModel). Offsets have 32 bits and point forward, but for that from a table to
/// its vtable; nothing needs to be aligned.
namespace coracle::internal::saved {

class FlatBytes {
 public:
  FlatBytes() = default;
  explicit FlatBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size(); }
  /// `count` bytes from `at` on.
  const uint8_t* range(uint64_t at, uint64_t count) const;
  template <class T>
  T read(uint64_t at) const {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value;
    std::memcpy(&value, range(at, sizeof(T)), sizeof(T));
    return value;
  }
  /// Where the offset at `at` points to.
  uint64_t target(uint64_t at) const;
  /// The text at `at`.
  std::string_view text(uint64_t at) const;

 private:
  std::span<const uint8_t> bytes_;
};

/// The numbers of a list, which may be absent.
template <class T>
class FlatNumbers {
 public:
  FlatNumbers() = default;
  FlatNumbers(const FlatBytes& bytes, uint64_t at) : size_(bytes.read<uint32_t>(at)), present_(true) {
    data_ = bytes.range(at + sizeof(uint32_t), uint64_t{size_} * sizeof(T));
  }

  bool present() const { return present_; }
  uint32_t size() const { return size_; }
  /// As they stand there.
  std::span<const uint8_t> bytes() const { return {data_, size_t{size_} * sizeof(T)}; }
  std::vector<T> all() const {
    std::vector<T> numbers(size_);
    if (size_ != 0) std::memcpy(numbers.data(), data_, numbers.size() * sizeof(T));
    return numbers;
  }

 private:
  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
  bool present_ = false;
};

/// Tables or texts; a list that is absent has none.
template <class T>
class FlatList {
 public:
  FlatList() = default;
  FlatList(const FlatBytes& bytes, uint64_t at)
      : bytes_(bytes), at_(at + sizeof(uint32_t)), size_(bytes.read<uint32_t>(at)) {
    bytes.range(at_, uint64_t{size_} * sizeof(uint32_t));
  }

  uint32_t size() const { return size_; }
  T operator[](uint32_t i) const {
    const uint64_t at = bytes_.target(at_ + uint64_t{i} * sizeof(uint32_t));
    if constexpr (std::is_same_v<T, std::string_view>) {
      return bytes_.text(at);
    } else {
      return T(bytes_, at);
    }
  }

 private:
  FlatBytes bytes_;
  uint64_t at_ = 0;
  uint32_t size_ = 0;
};

/// A table. Its fields are numbered in the order of the schema; what is absent has a default.
class FlatTable {
 public:
  FlatTable(const FlatBytes& bytes, uint64_t at);

 protected:
  template <class T>
  T number(int field, T otherwise = {}) const {
    const uint64_t at = place(field);
    return at == 0 ? otherwise : bytes_.read<T>(at);
  }
  bool truth(int field) const { return number<uint8_t>(field) != 0; }
  std::string_view string(int field) const;
  template <class T>
  std::optional<T> table(int field) const {
    const uint64_t at = place(field);
    return at == 0 ? std::nullopt : std::optional<T>(T(bytes_, bytes_.target(at)));
  }
  template <class T>
  FlatNumbers<T> numbers(int field) const {
    const uint64_t at = place(field);
    return at == 0 ? FlatNumbers<T>() : FlatNumbers<T>(bytes_, bytes_.target(at));
  }
  template <class T>
  FlatList<T> list(int field) const {
    const uint64_t at = place(field);
    return at == 0 ? FlatList<T>() : FlatList<T>(bytes_, bytes_.target(at));
  }

 private:
  /// Of a field; 0 if it is absent.
  uint64_t place(int field) const;

  FlatBytes bytes_;
  uint64_t at_;
  uint64_t vtable_ = 0;
  uint16_t fields_ = 0;  // bytes of the vtable
};

}  // namespace coracle::internal::saved
