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
using NarrowTag = hn::Rebind<float, DoubleTag>;

constexpr size_t kStrip = 1024;  // columns of floats whose sums stay in the level-1 cache
constexpr size_t kTogether = 4;  // rows that are added while a sum is in a register

// Adds kRows rows, `step` floats apart, of a vector of columns to its sums; of `width` columns if not kWhole.
template <bool kExclusive, size_t kRows, bool kWhole>
HWY_INLINE void add_floats(const float* x, float* y, ptrdiff_t step, double* sums, size_t width) {
  const DoubleTag d;
  const NarrowTag narrow;
  const auto one = hn::Set(d, 1.0);
  auto sum = hn::Load(d, sums);
  CORACLE_UNROLL
  for (size_t r = 0; r < kRows; ++r, x += step, y += step) {
    const auto before = sum;
    // Multiplied, as what adds is busy with conversions on AMD's processors.
    sum = hn::MulAdd(hn::PromoteTo(d, kWhole ? hn::LoadU(narrow, x) : load_partial(narrow, x, width)), one, sum);
    const auto result = hn::DemoteTo(narrow, kExclusive ? before : sum);
    if (kWhole) {
      hn::StoreU(result, narrow, y);
    } else {
      store_partial(narrow, result, y, width);
    }
  }
  hn::Store(sum, d, sums);
}

// The same of `width` columns.
template <bool kExclusive, size_t kRows>
HWY_INLINE void add_float_rows(const float* x, float* y, ptrdiff_t step, double* sums, size_t width) {
  constexpr size_t kLanes = HWY_LANES(double);
  size_t c = 0;
  for (; c + kLanes <= width; c += kLanes) {
    add_floats<kExclusive, kRows, true>(x + c, y + c, step, sums + c, kLanes);
  }
  if (c < width) add_floats<kExclusive, kRows, false>(x + c, y + c, step, sums + c, width - c);
}

// Goes along rows, which processors fetch ahead.
template <bool kExclusive>
void strided_floats(bool reverse, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                    const Deadline* deadline) {
  constexpr size_t kLook = kRowBlock / kStrip;  // rows between two looks at the time
  const ptrdiff_t step = reverse ? -static_cast<ptrdiff_t>(inner) : static_cast<ptrdiff_t>(inner);
  for (; begin < end; begin += kStrip) {
    const size_t width = end - begin < kStrip ? end - begin : kStrip;
    HWY_ALIGN double sums[kStrip];
    for (size_t c = 0; c < width + HWY_LANES(double) && c < kStrip; ++c) sums[c] = 0;
    ptrdiff_t at = static_cast<ptrdiff_t>(begin) + (reverse ? -step * static_cast<ptrdiff_t>(n - 1) : 0);
    for (size_t k = 0; k < n;) {
      const size_t stop = n - k > kLook ? k + kLook : n;
      for (; k + kTogether <= stop; k += kTogether, at += step * static_cast<ptrdiff_t>(kTogether)) {
        add_float_rows<kExclusive, kTogether>(x + at, y + at, step, sums, width);
      }
      for (; k < stop; ++k, at += step) add_float_rows<kExclusive, 1>(x + at, y + at, step, sums, width);
      if (gives_up(k, n, deadline)) return;
    }
  }
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
