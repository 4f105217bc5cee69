// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantize.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/map.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

template <bool kHalfAway, bool kDequantize>
HWY_INLINE V quantized(V x, V scale, V range) {
  const FloatTag d;
  const V one = set(d, 1.0);
  const V divisor = hn::IfThenElse(hn::Le(scale, set(d, 1e-30)), hn::Add(scale, set(d, 1e-6)), scale);
  const V factor = hn::Mul(range, hn::Div(one, divisor));
  V q;
  if constexpr (kHalfAway) {
    const V scaled = hn::Mul(factor, at_least(hn::Neg(scale), at_most(scale, x)));
    const V magnitude = hn::Abs(scaled);
    const V whole = hn::Trunc(magnitude);
    const auto up = hn::Ge(hn::Sub(magnitude, whole), set(d, 0.5));
    q = hn::CopySign(hn::Add(whole, hn::IfThenElseZero(up, one)), scaled);
  } else {
    q = at_least(hn::Neg(hn::Add(range, one)), at_most(range, hn::Round(hn::Mul(factor, x))));
  }
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
        [=](V v) { return quantized<decltype(half_away)::value, decltype(dequantize)::value>(v, s, range); });
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
        return quantized<decltype(half_away)::value, decltype(dequantize)::value>(v, scale, range);
      });
    }
  });
}

}  // namespace

const QuantizeFunctions quantize = {tensor, rows, columns};

}  // namespace coracle::cpu::CORACLE_ISA
