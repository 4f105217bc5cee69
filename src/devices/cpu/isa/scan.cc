// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/scan.h"

#include "devices/cpu/isa/independent.h"
#include "devices/cpu/isa/row_blocks.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr size_t kRows = 4;  // sums in double that run side by side: each addition waits for the one before
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
HWY_INLINE void some_rows(const T* x, T* y, size_t n, bool reverse, const Deadline* deadline) {
  using Sum = typename SumOf<T>::Type;
  const ptrdiff_t step = reverse ? -1 : 1;
  ptrdiff_t at = reverse ? static_cast<ptrdiff_t>(n) - 1 : 0;
  Sum sums[kCount] = {};
  for (size_t k = 0; k < n;) {
    for (const size_t end = block_end(k, n); k < end; ++k, at += step) {
      CORACLE_UNROLL
      for (size_t r = 0; r < kCount; ++r) {
        const T* const from = x + r * n;
        T* const to = y + r * n;
        const Sum before = sums[r];
        sums[r] = before + static_cast<Sum>(from[at]);
        to[at] = static_cast<T>(kExclusive ? before : sums[r]);
      }
    }
    if (gives_up(k, n, deadline)) return;
  }
}

// The same of one row of integers from its first element on, which needs no more than an addition for each.
template <class T, bool kExclusive>
HWY_INLINE void whole_row(const T* x, T* y, size_t n, const Deadline* deadline) {
  uint64_t sum = 0;
  for (size_t k = 0; k < n;) {
    const size_t end = block_end(k, n);
    CORACLE_UNROLL
    for (; k < end; ++k) {
      const uint64_t before = sum;
      sum = before + static_cast<uint64_t>(x[k]);
      y[k] = static_cast<T>(kExclusive ? before : sum);
    }
    if (gives_up(k, n, deadline)) return;
  }
}

template <class T, bool kExclusive>
void rows_of(bool reverse, const T* x, T* y, size_t rows, size_t n, const Deadline* deadline) {
  constexpr bool kIsReal = static_cast<T>(0.5) != T();
  size_t r = 0;
  if constexpr (kIsReal) {
    for (; r + kRows <= rows; r += kRows) some_rows<T, kExclusive, kRows>(x + r * n, y + r * n, n, reverse, deadline);
  } else if (!reverse) {
    for (; r < rows; ++r) whole_row<T, kExclusive>(x + r * n, y + r * n, n, deadline);
  }
  for (; r < rows; ++r) some_rows<T, kExclusive, 1>(x + r * n, y + r * n, n, reverse, deadline);
}

template <class T, bool kExclusive>
void strided_of(bool reverse, const T* x, T* y, size_t n, size_t inner, size_t begin, size_t end,
                const Deadline* deadline) {
  using Sum = typename SumOf<T>::Type;
  for (; begin < end; begin += kColumns) {
    const size_t size = end - begin < kColumns ? end - begin : kColumns;
    Sum sums[kColumns] = {};
    for (size_t k = 0; k < n; ++k) {
      if (k % kRowBlock == kRowBlock - 1 && over(deadline)) return;
      const size_t at = (reverse ? n - 1 - k : k) * inner + begin;
      CORACLE_INDEPENDENT for (size_t i = 0; i < size; ++i) {
        const Sum before = sums[i];
        sums[i] = before + static_cast<Sum>(x[at + i]);
        y[at + i] = static_cast<T>(kExclusive ? before : sums[i]);
      }
    }
  }
}

#if HWY_TARGET != HWY_EMU128  // whose DemoteTo saturates and loses NaN
using DoubleTag = hn::ScalableTag<double>;
using DoubleVector = hn::Vec<DoubleTag>;
using NarrowTag = hn::Rebind<float, DoubleTag>;

// Sums of floats that stay in registers, `width` of them, which is less than a vector's where kVectors is 1.
template <bool kExclusive, size_t kVectors>
HWY_NOINLINE void float_strip(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t width,
                              const Deadline* deadline) {
  const DoubleTag d;
  const NarrowTag narrow;
  constexpr size_t kLanes = HWY_LANES(double);
  const bool whole = width >= kLanes;
  DoubleVector sums[kVectors];
  CORACLE_UNROLL
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (size_t k = 0; k < n;) {
    for (const size_t end = block_end(k, n); k < end; ++k) {
      const size_t at = (reverse ? n - 1 - k : k) * inner;
      CORACLE_UNROLL
      for (size_t v = 0; v < kVectors; ++v) {
        const float* from = x + at + v * kLanes;
        float* to = y + at + v * kLanes;
        const DoubleVector before = sums[v];
        sums[v] =
            hn::Add(before, hn::PromoteTo(d, whole ? hn::LoadU(narrow, from) : load_partial(narrow, from, width)));
        const auto result = hn::DemoteTo(narrow, kExclusive ? before : sums[v]);
        if (whole) {
          hn::StoreU(result, narrow, to);
        } else {
          store_partial(narrow, result, to, width);
        }
      }
    }
    if (gives_up(k, n, deadline)) return;
  }
}

// Strips of kVectors as long as they fit; gives where the rest begins.
template <bool kExclusive, size_t kVectors>
HWY_INLINE size_t float_strips(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                               const Deadline* deadline) {
  constexpr size_t kWidth = kVectors * HWY_LANES(double);
  for (; begin + kWidth <= end; begin += kWidth) {
    float_strip<kExclusive, kVectors>(reverse, x + begin, y + begin, n, inner, kWidth, deadline);
  }
  return begin;
}

template <bool kExclusive>
void strided_floats(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                    const Deadline* deadline) {
  constexpr size_t kMany = 8;
  begin = float_strips<kExclusive, kMany>(reverse, x, y, n, inner, begin, end, deadline);
  begin = float_strips<kExclusive, 4>(reverse, x, y, n, inner, begin, end, deadline);
  begin = float_strips<kExclusive, 1>(reverse, x, y, n, inner, begin, end, deadline);
  if (begin < end) float_strip<kExclusive, 1>(reverse, x + begin, y + begin, n, inner, end - begin, deadline);
}

template <>
void strided_of<float, false>(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                              const Deadline* deadline) {
  strided_floats<false>(reverse, x, y, n, inner, begin, end, deadline);
}
template <>
void strided_of<float, true>(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                             const Deadline* deadline) {
  strided_floats<true>(reverse, x, y, n, inner, begin, end, deadline);
}
#endif

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
    f(form.reverse, static_cast<const T*>(x), static_cast<T*>(y), count, n, form.deadline);
  });
}

void strided(NumberType type, ScanForm form, const void* x, void* y, size_t n, size_t inner, size_t begin, size_t end) {
  with_type(type, [=](auto element) {
    using T = decltype(element);
    const auto f = form.exclusive ? strided_of<T, true> : strided_of<T, false>;
    f(form.reverse, static_cast<const T*>(x), static_cast<T*>(y), n, inner, begin, end, form.deadline);
  });
}

}  // namespace

const ScanFunctions scan = {rows, strided};

}  // namespace coracle::internal::cpu::CORACLE_ISA
