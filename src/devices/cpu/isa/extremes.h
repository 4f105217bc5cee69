// SPDX-License-Identifier: Apache-2.0
//
// The largest (smallest) of rows and of columns of real numbers; NaN where there is one, minus (plus) infinity of
// nothing.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// The largest (smallest) lane.
template <bool kLargest, class D>
HWY_INLINE hn::TFromD<D> extreme_lane(D d, hn::Vec<D> lanes) {
#if HWY_TARGET == HWY_EMU128  // where functions over the lanes start from a finite number
  using T = hn::TFromD<D>;
  HWY_ALIGN T values[HWY_LANES(T)];
  hn::Store(lanes, d, values);
  T result = values[0];
  for (T value : values) result = (kLargest ? value > result : value < result) ? value : result;
  return result;
#else
  return hn::GetLane(kLargest ? hn::MaxOfLanes(d, lanes) : hn::MinOfLanes(d, lanes));
#endif
}

// The largest so far in each lane. Whether there was NaN is kept apart: the maximum of two vectors loses it, and
// choosing it at each step would take as long as reading the elements.
template <bool kLargest, class T>
struct Extreme {
  using Tag = hn::ScalableTag<T>;
  using V = hn::Vec<Tag>;
  static constexpr double kNone = kLargest ? -__builtin_inf() : __builtin_inf();

  V best = set(Tag(), kNone);
  hn::Mask<Tag> nan = hn::IsNaN(hn::Zero(Tag()));

  static HWY_INLINE V better(V a, V b) { return kLargest ? hn::Max(a, b) : hn::Min(a, b); }

  HWY_INLINE void take(V v) {
    best = better(v, best);
    nan = hn::Or(nan, hn::IsNaN(v));
  }
  HWY_INLINE void join(const Extreme& other) {
    best = better(other.best, best);
    nan = hn::Or(nan, other.nan);
  }
  HWY_INLINE V lanes() const { return hn::IfThenElse(nan, set(Tag(), __builtin_nan("")), best); }

  HWY_INLINE T folded() const {
    const Tag d;
    if (!hn::AllFalse(d, nan)) return static_cast<T>(__builtin_nan(""));
    return extreme_lane<kLargest>(d, best);
  }
};

// y[r] over each of `rows` contiguous rows of n.
template <bool kLargest, class T>
void extremes_of_rows(const T* x, T* y, size_t rows, size_t n) {
  using E = Extreme<kLargest, T>;
  const typename E::Tag d;
  constexpr size_t kLanes = HWY_LANES(T);
  for (size_t r = 0; r < rows; ++r, x += n) {
    E e0, e1, e2, e3;
    size_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      e0.take(hn::LoadU(d, x + i));
      e1.take(hn::LoadU(d, x + i + kLanes));
      e2.take(hn::LoadU(d, x + i + 2 * kLanes));
      e3.take(hn::LoadU(d, x + i + 3 * kLanes));
    }
    for (; i + kLanes <= n; i += kLanes) e0.take(hn::LoadU(d, x + i));
    if (i < n) e1.take(hn::IfThenElse(hn::FirstN(d, n - i), load_partial(d, x + i, n - i), set(d, E::kNone)));
    e0.join(e1);
    e2.join(e3);
    e0.join(e2);
    y[r] = e0.folded();
  }
}

// y[column, column + width) over the first axis of [n, inner]; `width` is less than a vector's only where kVectors
// is 1.
template <bool kLargest, size_t kVectors, class T>
HWY_INLINE void extremes_of_strip(const T* x, T* y, size_t n, size_t inner, size_t column, size_t width) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = HWY_LANES(T);
  Extreme<kLargest, T> e[kVectors];
  for (size_t i = 0; i < n; ++i) {
    CORACLE_UNROLL for (size_t v = 0; v < kVectors; ++v) {
      const T* from = x + i * inner + column + v * kLanes;
      e[v].take(width >= kLanes ? hn::LoadU(d, from) : load_partial(d, from, width));
    }
  }
  CORACLE_UNROLL for (size_t v = 0; v < kVectors; ++v) {
    if (width >= kLanes) {
      hn::StoreU(e[v].lanes(), d, y + column + v * kLanes);
    } else {
      store_partial(d, e[v].lanes(), y + column + v * kLanes, width);
    }
  }
}

// y[i] over the first axis of [n, inner], for i in [begin, end).
template <bool kLargest, class T>
void extremes_of_columns(const T* x, T* y, size_t n, size_t inner, size_t begin, size_t end) {
  constexpr size_t kLanes = HWY_LANES(T);
  for (; begin + 4 * kLanes <= end; begin += 4 * kLanes) {
    extremes_of_strip<kLargest, 4>(x, y, n, inner, begin, 4 * kLanes);
  }
  for (; begin < end; begin += kLanes) {
    extremes_of_strip<kLargest, 1>(x, y, n, inner, begin, end - begin < kLanes ? end - begin : kLanes);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
