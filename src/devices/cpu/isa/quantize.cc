// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantize.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/map.h"
#include "devices/cpu/isa/quantized.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

template <bool kHalfAway, bool kDequantize>
HWY_INLINE V stepped(V x, V scale, V range) {
  const V q = quantized<kHalfAway>(x, scale, range);
  return kDequantize ? hn::Div(hn::Mul(q, scale), range) : q;
}

// f with the two choices as types.
template <bool kValue>
struct Choice {
  static constexpr bool value = kValue;
};
template <class F>
HWY_INLINE void with_choices(const Quantization& q, F f) {
  if (q.round_half_away) {
    q.dequantize ? f(Choice<true>(), Choice<true>()) : f(Choice<true>(), Choice<false>());
  } else {
    q.dequantize ? f(Choice<false>(), Choice<true>()) : f(Choice<false>(), Choice<false>());
  }
}

void tensor(const Quantization& q, const float* x, float scale, float* y, size_t count) {
  const V s = hn::Set(FloatTag(), scale);
  const V range = hn::Set(FloatTag(), q.range);
  with_choices(q, [=](auto half_away, auto dequantize) {
    map(x, y, count,
        [=](V v) { return stepped<decltype(half_away)::value, decltype(dequantize)::value>(v, s, range); });
  });
}

void rows(const Quantization& q, const float* x, const float* scales, float* y, size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; ++r) tensor(q, x + r * columns, scales[r], y + r * columns, columns);
}

void columns(const Quantization& q, const float* x, const float* scales, float* y, size_t rows, size_t columns) {
  const V range = hn::Set(FloatTag(), q.range);
  with_choices(q, [=](auto half_away, auto dequantize) {
    for (size_t r = 0; r < rows; ++r) {
      map2(x + r * columns, scales, y + r * columns, columns, [=](V v, V scale) {
        return stepped<decltype(half_away)::value, decltype(dequantize)::value>(v, scale, range);
      });
    }
  });
}

template <bool kHalfAway>
void integers(const float* x, float scale, int8_t* y, size_t count) {
  const FloatTag d;
  const Int8Rounding<kHalfAway> rounding(scale);
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || CORACLE_NARROWING_CLIPS
  for (; i + 4 * kFloatLanes <= count; i += 4 * kFloatLanes) rounding.store_four(x + i, y + i);
#endif
  for (; i + kFloatLanes <= count; i += kFloatLanes) hn::StoreU(rounding(hn::LoadU(d, x + i)), Int8Tag(), y + i);
  if (i < count) store_int8_part(rounding(load_partial(d, x + i, count - i)), y + i, count - i);
}

void to_int8(bool round_half_away, const float* x, float scale, int8_t* y, size_t count) {
  if (round_half_away) {
    integers<true>(x, scale, y, count);
  } else {
    integers<false>(x, scale, y, count);
  }
}

}  // namespace

const QuantizeFunctions quantize = {tensor, rows, columns, to_int8};

}  // namespace coracle::internal::cpu::CORACLE_ISA
