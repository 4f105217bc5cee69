// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace coracle::internal {

/// The elements of a tensor, at most (Shape::count() throws beyond): few enough that bytes, steps, padded sizes and
/// sums of a few of them fit in a size_t. With 64 bits that is more than memory holds; with 32 bits it is a quarter of
/// 2^32 bytes for elements of 16.
inline constexpr int64_t kMaxElements = sizeof(size_t) >= sizeof(int64_t) ? int64_t{1} << 40 : int64_t{1} << 26;

namespace size_detail {
[[noreturn]] void fail_too_large();
}

/// A number of elements or bytes, less than 2^63. Arithmetic is checked: what does not fit is an Error (out of memory),
/// and so are bytes beyond PTRDIFF_MAX. Whatever decides how much memory is taken, or where something lies in it, is
/// computed with it unless it is part of one tensor's count.
class Size {
 public:
  constexpr Size() = default;
  template <std::integral T>
  constexpr Size(T n)  // NOLINT(google-explicit-constructor): a checked number
      : n_(static_cast<int64_t>(n)) {
    if (!std::in_range<int64_t>(n) || n_ < 0) [[unlikely]]
      size_detail::fail_too_large();
  }

  constexpr int64_t count() const { return n_; }
  constexpr size_t bytes() const {
    if constexpr (sizeof(size_t) < sizeof(int64_t)) {
      if (n_ > PTRDIFF_MAX) [[unlikely]]
        size_detail::fail_too_large();
    }
    return static_cast<size_t>(n_);
  }
  /// The next multiple of `unit`.
  constexpr Size rounded_up(int64_t unit) const {
    const int64_t whole = (*this + (unit - 1)).n_;
    return whole - whole % unit;
  }

  friend constexpr Size operator+(Size a, Size b) {
    if (__builtin_add_overflow(a.n_, b.n_, &a.n_)) [[unlikely]]
      size_detail::fail_too_large();
    return a;
  }
  friend constexpr Size operator*(Size a, Size b) {
    if (__builtin_mul_overflow(a.n_, b.n_, &a.n_)) [[unlikely]]
      size_detail::fail_too_large();
    return a;
  }
  constexpr Size& operator+=(Size b) { return *this = *this + b; }
  constexpr Size& operator*=(Size b) { return *this = *this * b; }
  friend constexpr auto operator<=>(Size, Size) = default;  // NOLINT(modernize-use-nullptr): takes <=> for 0

 private:
  int64_t n_ = 0;
};

/// Bytes of `count` elements of type T.
template <class T>
constexpr size_t bytes_of(Size count) {
  return (count * sizeof(T)).bytes();
}

}  // namespace coracle::internal
