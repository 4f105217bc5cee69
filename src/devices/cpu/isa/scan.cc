// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/scan.h"

#include "devices/cpu/isa/independent.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

constexpr size_t kRows = 8;  // sums that run side by side
constexpr size_t kColumns = 64;

template <class T>
struct SumOf {
  using Type = uint64_t;  // wraps around
};
template <>
struct SumOf<float> {
  using Type = double;
};
template <>
struct SumOf<double> {
  using Type = double;
};

template <class T, bool kExclusive, size_t kCount>
HWY_INLINE void some_rows(const T* x, T* y, size_t n, bool reverse) {
  using Sum = typename SumOf<T>::Type;
  Sum sums[kCount] = {};
  for (size_t k = 0; k < n; ++k) {
    const size_t at = reverse ? n - 1 - k : k;
    CORACLE_UNROLL
    for (size_t r = 0; r < kCount; ++r) {
      const Sum before = sums[r];
      sums[r] = before + static_cast<Sum>(x[r * n + at]);
      y[r * n + at] = static_cast<T>(kExclusive ? before : sums[r]);
    }
  }
}

template <class T, bool kExclusive>
void rows_of(bool reverse, const T* x, T* y, size_t rows, size_t n) {
  size_t r = 0;
  for (; r + kRows <= rows; r += kRows) some_rows<T, kExclusive, kRows>(x + r * n, y + r * n, n, reverse);
  for (; r < rows; ++r) some_rows<T, kExclusive, 1>(x + r * n, y + r * n, n, reverse);
}

template <class T, bool kExclusive>
void strided_of(bool reverse, const T* x, T* y, size_t n, size_t inner, size_t begin, size_t end) {
  using Sum = typename SumOf<T>::Type;
  for (; begin < end; begin += kColumns) {
    const size_t size = end - begin < kColumns ? end - begin : kColumns;
    Sum sums[kColumns] = {};
    for (size_t k = 0; k < n; ++k) {
      const size_t at = (reverse ? n - 1 - k : k) * inner + begin;
      CORACLE_INDEPENDENT for (size_t i = 0; i < size; ++i) {
        const Sum before = sums[i];
        sums[i] = before + static_cast<Sum>(x[at + i]);
        y[at + i] = static_cast<T>(kExclusive ? before : sums[i]);
      }
    }
  }
}

// f(an element of the type)
template <class F>
HWY_INLINE void with_type(NumberType type, F f) {
  switch (type) {
    case NumberType::kInt32: return f(int32_t());
    case NumberType::kInt64: return f(int64_t());
    case NumberType::kFloat32: return f(float());
    case NumberType::kFloat64: return f(double());
    default: return;
  }
}

void rows(NumberType type, ScanForm form, const void* x, void* y, size_t count, size_t n) {
  with_type(type, [=](auto element) {
    using T = decltype(element);
    const auto f = form.exclusive ? rows_of<T, true> : rows_of<T, false>;
    f(form.reverse, static_cast<const T*>(x), static_cast<T*>(y), count, n);
  });
}

void strided(NumberType type, ScanForm form, const void* x, void* y, size_t n, size_t inner, size_t begin, size_t end) {
  with_type(type, [=](auto element) {
    using T = decltype(element);
    const auto f = form.exclusive ? strided_of<T, true> : strided_of<T, false>;
    f(form.reverse, static_cast<const T*>(x), static_cast<T*>(y), n, inner, begin, end);
  });
}

}  // namespace

const ScanFunctions scan = {rows, strided};

}  // namespace coracle::cpu::CORACLE_ISA
