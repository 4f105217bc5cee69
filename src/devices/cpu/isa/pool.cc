// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/pool.h"

#include "devices/cpu/isa/quantized.h"

#if HWY_ARCH_X86
#include <emmintrin.h>
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// The vectors that a pixel is cut into: whole ones, then those of half the size down to `Least`, of which the last may
// be part of one. A part of few elements is loaded in fewer pieces.
template <class T>
struct PixelParts;
template <>
struct PixelParts<float> {
  using Whole = FloatTag;
  using Least = FloatTag;
};
template <>
struct PixelParts<int8_t> {
  using Whole = hn::ScalableTag<int8_t>;
  using Least = Int8Tag;
};

HWY_INLINE FloatVector load_part(FloatTag d, const float* x, size_t count) { return load_partial(d, x, count); }
HWY_INLINE void store_part(FloatTag d, FloatVector v, float* y, size_t count) { store_partial(d, v, y, count); }
HWY_INLINE hn::Vec<Int8Tag> load_part(Int8Tag, const int8_t* x, size_t count) { return load_int8_part(x, count); }
HWY_INLINE void store_part(Int8Tag, hn::Vec<Int8Tag> v, int8_t* y, size_t count) { store_int8_part(v, y, count); }

#if HWY_TARGET == HWY_EMU128 && HWY_ARCH_X86
template <class V>
HWY_INLINE __m128i whole_of(const V& v) {
  static_assert(sizeof(v.raw) == sizeof(__m128i));
  __m128i all;
  memcpy(&all, v.raw, sizeof(all));
  return all;
}
#endif

// The larger of both; NaN in b stays NaN.
HWY_INLINE FloatVector larger(FloatVector a, FloatVector b) { return at_least(a, b); }
template <class V>
HWY_INLINE V larger(V a, V b) {
#if HWY_TARGET == HWY_EMU128 && HWY_ARCH_X86  // the compiler would compare bytes one by one
  const __m128i first = whole_of(a), second = whole_of(b);
  const __m128i greater = _mm_cmpgt_epi8(first, second);
  const __m128i all = _mm_or_si128(_mm_and_si128(greater, first), _mm_andnot_si128(greater, second));
  V result;
  memcpy(result.raw, &all, sizeof(all));
  return result;
#else
  return hn::Max(a, b);
#endif
}

template <size_t kVectors, bool kPart = false>
struct Strip {
  static constexpr size_t vectors = kVectors;
  static constexpr bool part = kPart;
};

// f(strip, d, from, width) for the strips of a pixel: so many vectors of d, or part of one, its first `width` elements.
template <class D, class F>
HWY_INLINE void in_strips_of(D d, size_t from, size_t channels, F f) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  for (; from + 4 * kLanes <= channels; from += 4 * kLanes) f(Strip<4>(), d, from, 4 * kLanes);
  for (; from + kLanes <= channels; from += kLanes) f(Strip<1>(), d, from, kLanes);
  if (from == channels) return;
  using Least = typename PixelParts<hn::TFromD<D>>::Least;
  if constexpr (kLanes > hn::MaxLanes(Least())) {
    in_strips_of(hn::Half<D>(), from, channels, f);
  } else {
    f(Strip<1, true>(), d, from, channels - from);
  }
}

// What becomes of the elements of a window.
struct Largest {
  float empty;  // the maximum of no elements
  template <class D>
  HWY_INLINE hn::Vec<D> identity(D d) const {
    return set(d, empty);
  }
  template <class V>
  HWY_INLINE V combined(V a, V b) const {
    return larger(a, b);
  }
  template <class V>
  HWY_INLINE V finished(V all) const {
    return all;
  }
};
struct Average {
  FloatVector divisor;
  HWY_INLINE FloatVector identity(FloatTag d) const { return hn::Zero(d); }
  HWY_INLINE FloatVector combined(FloatVector a, FloatVector b) const { return hn::Add(a, b); }
  HWY_INLINE FloatVector finished(FloatVector all) const { return hn::Div(all, divisor); }
};

// The windows of the output rows [begin, end); `operation_of(row, column)` says what becomes of each.
template <class T, class OperationOf>
HWY_INLINE void pooled(const Pool<T>& p, size_t begin, size_t end, OperationOf operation_of) {
  using Whole = typename PixelParts<T>::Whole;
  for (size_t row = begin; row < end; ++row) {
    for (size_t column = 0; column < p.out_width; ++column) {
      const int32_t top = p.rows.begin[row], bottom = p.rows.end[row];
      const int32_t left = p.columns.begin[column], right = p.columns.end[column];
      T* y = p.y + (row * p.out_width + column) * p.y_stride;
      const auto operation = operation_of(row, column);
      in_strips_of(Whole(), 0, p.channels, [=, &p](auto strip, auto d, size_t from, size_t width) {
        constexpr bool kPart = decltype(strip)::part;
        constexpr size_t kVectors = decltype(strip)::vectors;
        constexpr size_t kLanes = hn::MaxLanes(decltype(d)());
        hn::Vec<decltype(d)> all[kVectors];
        for (size_t v = 0; v < kVectors; ++v) all[v] = operation.identity(d);
        for (int32_t r = top; r < bottom; ++r) {
          const T* x = p.x + (static_cast<size_t>(r) * p.in_width + static_cast<size_t>(left)) * p.channels + from;
          for (int32_t c = left; c < right; ++c, x += p.channels) {
            for (size_t v = 0; v < kVectors; ++v) {
              if constexpr (kPart) {
                all[v] = operation.combined(all[v], load_part(d, x, width));
              } else {
                all[v] = operation.combined(all[v], hn::LoadU(d, x + v * kLanes));
              }
            }
          }
        }
        for (size_t v = 0; v < kVectors; ++v) {
          if constexpr (kPart) {
            store_part(d, operation.finished(all[v]), y + from, width);
          } else {
            hn::StoreU(operation.finished(all[v]), d, y + from + v * kLanes);
          }
        }
      });
    }
  }
}

void max(const Pool<float>& p, size_t begin, size_t end) {
  pooled(p, begin, end, [](size_t, size_t) { return Largest{-__FLT_MAX__}; });
}

void average(const Pool<float>& p, size_t begin, size_t end) {
  pooled(p, begin, end, [&p](size_t row, size_t column) {
    const float divisor = static_cast<float>(p.rows.divisor[row]) * static_cast<float>(p.columns.divisor[column]);
    return Average{hn::Set(FloatTag(), divisor)};
  });
}

void max_int8(const Pool<int8_t>& p, size_t begin, size_t end) {
  pooled(p, begin, end, [](size_t, size_t) { return Largest{-128}; });
}

}  // namespace

const PoolFunctions pool = {max, average, max_int8};

}  // namespace coracle::internal::cpu::CORACLE_ISA
