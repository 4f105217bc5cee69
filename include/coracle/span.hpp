// SPDX-License-Identifier: Apache-2.0
#pragma once

/// coracle::Span: std::span where the standard library has it, and as much of it as coracle.hpp needs in C++17.

#include <cstddef>
#include <type_traits>
#include <utility>

#if __cplusplus >= 202002L
#include <span>
#endif

namespace coracle {

#if __cplusplus >= 202002L

template <class T>
using Span = std::span<T>;

#else

template <class T>
class Span {
  /// Whether C has elements that may be seen as T: the same but for const.
  template <class C>
  using Elements = std::enable_if_t<
      std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<C&>().data())> (*)[], T (*)[]> &&
      std::is_convertible_v<decltype(std::declval<C&>().size()), std::size_t>>;

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// From vectors, arrays, strings and other spans; they own the elements.
  template <class C, class = Elements<C>>
  constexpr Span(C&& container) noexcept : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

#endif

}  // namespace coracle
