// SPDX-License-Identifier: Apache-2.0
//
// Functions on vectors of float that work in double inside. The tag must be a full vector's (FloatTag), because it is
// split into two halves. As in math.h a lane's result depends on that lane's input alone.
#pragma once

#include "devices/cpu/isa/math.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {
namespace math {

using HalfFloatTag = hn::Half<FloatTag>;
using DoubleTag = hn::Rebind<double, HalfFloatTag>;
using DoubleVector = hn::Vec<DoubleTag>;
using DoubleBits = hn::RebindToUnsigned<DoubleTag>;

HWY_INLINE DoubleVector lower_double(FloatVector x) {
  return hn::PromoteTo(DoubleTag(), hn::LowerHalf(HalfFloatTag(), x));
}
HWY_INLINE DoubleVector upper_double(FloatVector x) {
  return hn::PromoteTo(DoubleTag(), hn::UpperHalf(HalfFloatTag(), x));
}
HWY_INLINE FloatVector combine_float(DoubleVector upper, DoubleVector lower) {
#if HWY_TARGET == HWY_EMU128  // its DemoteTo saturates and loses NaN
  float values[kFloatLanes];
  for (size_t i = 0; i < kFloatLanes / 2; ++i) {
    values[i] = static_cast<float>(lower.raw[i]);
    values[i + kFloatLanes / 2] = static_cast<float>(upper.raw[i]);
  }
  return hn::LoadU(FloatTag(), values);
#else
  const HalfFloatTag dh;
  return hn::Combine(FloatTag(), hn::DemoteTo(dh, upper), hn::DemoteTo(dh, lower));
#endif
}

// The nearest integer, ties to even; |x| must be below 2^51.
HWY_INLINE DoubleVector nearest(DoubleVector x) {
  const DoubleVector magic = set(DoubleTag(), 0x1.8p52);
  return hn::Sub(hn::Add(x, magic), magic);
}

constexpr float kLargestReduced = 1e9F;  // magnitudes from here on are left to the C library

struct QuadrantDouble {
  DoubleVector remainder;  // x - pi / 2 * n, |remainder| <= pi / 4
  DoubleVector quadrant;   // n, less a multiple of 4: in [-2, 2]
};

HWY_INLINE QuadrantDouble reduce_quadrant(DoubleVector x) {
  const DoubleTag d;
  const DoubleVector n = nearest(hn::Mul(x, set(d, 0.63661977236758134308)));
  DoubleVector r = hn::NegMulAdd(n, set(d, 0x1.921fb544p0), x);  // 33 bits of pi / 2: the product is exact below 2^20
  r = hn::NegMulAdd(n, set(d, 0x1.0b4611a626331p-34), r);
  // Arguments too large for the reduction stay in the range of what follows.
  r = at_least(set(d, -0.8), at_most(set(d, 0.8), r));
  return {r, hn::NegMulAdd(nearest(hn::Mul(n, set(d, 0.25))), set(d, 4.0), n)};
}

// `y`, but the sine (cosine for offset 1) by the C library where |x| is 1e9 or more.
HWY_NOINLINE FloatVector with_large_arguments(FloatVector x, FloatVector y, int quadrant_offset) {
  const FloatTag d;
  float from[kFloatLanes], to[kFloatLanes];
  hn::StoreU(x, d, from);
  hn::StoreU(y, d, to);
  for (size_t i = 0; i < kFloatLanes; ++i) {
    if (__builtin_fabsf(from[i]) < kLargestReduced) continue;
    to[i] = static_cast<float>(quadrant_offset == 0 ? __builtin_sin(from[i]) : __builtin_cos(from[i]));
  }
  return hn::LoadU(d, to);
}

// sin(x + quadrant_offset * pi / 2) for offset 0 or 1.
HWY_INLINE FloatVector sin_shifted(FloatVector x, int quadrant_offset) {
  const FloatTag d;
  const IntTag di;
  const QuadrantDouble low = reduce_quadrant(lower_double(x));
  const QuadrantDouble high = reduce_quadrant(upper_double(x));
  const FloatVector r = combine_float(high.remainder, low.remainder);
  const auto quadrant =
      hn::Add(hn::ConvertTo(di, combine_float(high.quadrant, low.quadrant)), hn::Set(di, quadrant_offset));
  const FloatVector r2 = hn::Mul(r, r);
  FloatVector s = set(d, 0x1.6cd5ecp-19);
  s = hn::MulAdd(s, r2, set(d, -0x1.a00f94p-13));
  s = hn::MulAdd(s, r2, set(d, 0x1.111108p-7));
  s = hn::MulAdd(s, r2, set(d, -0x1.555556p-3));
  s = hn::MulAdd(hn::Mul(s, r2), r, r);
  FloatVector c = set(d, -0x1.24290ap-22);
  c = hn::MulAdd(c, r2, set(d, 0x1.a01118p-16));
  c = hn::MulAdd(c, r2, set(d, -0x1.6c16b8p-10));
  c = hn::MulAdd(c, r2, set(d, 0x1.555556p-5));
  c = hn::MulAdd(hn::Mul(c, r2), r2, hn::NegMulAdd(set(d, 0.5), r2, set(d, 1.0)));
  const auto one = hn::Set(di, 1);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, one), one));
  const auto sign = hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(di, 2)));
  const FloatVector y = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sign));
  if (hn::AllTrue(d, hn::Lt(hn::Abs(x), set(d, kLargestReduced)))) return y;
  return with_large_arguments(x, y, quadrant_offset);
}

// Accurate to a few ulp of max(|result|, 1e-3).
HWY_INLINE FloatVector sin(FloatTag, FloatVector x) { return sin_shifted(x, 0); }
HWY_INLINE FloatVector cos(FloatTag, FloatVector x) { return sin_shifted(x, 1); }

// |x|^y for finite |x| > 0; infinite where the result overflows a float, NaN where y is.
HWY_INLINE DoubleVector pow_magnitude(DoubleVector x, DoubleVector y) {
  const DoubleTag d;
  const DoubleBits du;
  const DoubleVector one = set(d, 1.0);
  const DoubleVector zero = hn::Zero(d);
  const DoubleVector infinity = set(d, __builtin_inf());
  const DoubleVector a = hn::Abs(x);
  // a = 2^e * m with m in [sqrt(1/2), sqrt(2)); a float is a normal double.
  const auto bits = hn::BitCast(du, a);
  const auto one_bits = hn::Set(du, 0x3ff0000000000000ull);
  const auto biased = hn::ShiftRight<52>(hn::Add(bits, hn::Set(du, 0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull)));
  const DoubleVector m = hn::BitCast(d, hn::Add(hn::Sub(bits, hn::ShiftLeft<52>(biased)), one_bits));
  const DoubleVector e =
      hn::Sub(hn::BitCast(d, hn::Or(biased, hn::Set(du, 0x4330000000000000ull))), set(d, 4503599627370496.0 + 1023.0));
  // log2(m) = 2 * atanh(s) / ln(2), as a series.
  const DoubleVector s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const DoubleVector s2 = hn::Mul(s, s);
  DoubleVector p = set(d, 1.0 / 17);
  p = hn::MulAdd(p, s2, set(d, 1.0 / 15));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 13));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 11));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 9));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 7));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 5));
  p = hn::MulAdd(p, s2, set(d, 1.0 / 3));
  p = hn::MulAdd(p, s2, one);
  DoubleVector log2 = hn::MulAdd(hn::Mul(s, set(d, 2.0 * kLog2E)), p, e);
  log2 = hn::IfThenElse(hn::Lt(a, infinity), log2, a);  // infinity, NaN
  log2 = hn::IfThenElse(hn::Eq(a, zero), hn::Neg(infinity), log2);
  // 1^infinity is 1, where the product below would be NaN.
  const auto one_to_any = hn::And(hn::Eq(log2, zero), hn::Eq(y, y));
  DoubleVector t = hn::IfThenElse(one_to_any, zero, hn::Mul(y, log2));
  t = at_least(set(d, -160.0), at_most(set(d, 160.0), t));
  const DoubleVector magic = set(d, 0x1.8p52);
  const DoubleVector shifted = hn::Add(t, magic);
  const DoubleVector n = hn::Sub(shifted, magic);
  const DoubleVector r = hn::Mul(hn::Sub(t, n), set(d, 0.69314718055994530942));
  DoubleVector q = set(d, 1.0 / 362880);
  q = hn::MulAdd(q, r, set(d, 1.0 / 40320));
  q = hn::MulAdd(q, r, set(d, 1.0 / 5040));
  q = hn::MulAdd(q, r, set(d, 1.0 / 720));
  q = hn::MulAdd(q, r, set(d, 1.0 / 120));
  q = hn::MulAdd(q, r, set(d, 1.0 / 24));
  q = hn::MulAdd(q, r, set(d, 1.0 / 6));
  q = hn::MulAdd(q, r, set(d, 0.5));
  q = hn::MulAdd(q, r, one);
  q = hn::MulAdd(q, r, one);
  const auto exponent = hn::ShiftLeft<52>(hn::Sub(hn::BitCast(du, shifted), hn::BitCast(du, magic)));
  const DoubleVector result = hn::BitCast(d, hn::Add(hn::BitCast(du, q), exponent));
  return hn::IfThenElse(hn::Lt(t, set(d, 128.0)), result, hn::IfThenElse(hn::Eq(t, t), infinity, t));
}

// C's pow.
HWY_INLINE FloatVector pow(FloatTag d, FloatVector x, FloatVector y) {
  const FloatVector zero = hn::Zero(d);
  const FloatVector one = set(d, 1.0);
  const FloatVector infinity = set(d, __builtin_inff());
  const FloatVector ax = hn::Abs(x);
  const DoubleVector low = pow_magnitude(lower_double(x), lower_double(y));
  const DoubleVector high = pow_magnitude(upper_double(x), upper_double(y));
  FloatVector r = combine_float(high, low);
  const auto integral = hn::Eq(hn::Floor(y), y);
  const FloatVector half_y = hn::Mul(y, set(d, 0.5));
  const auto odd = hn::AndNot(hn::Eq(hn::Floor(half_y), half_y), integral);
  const auto negative_base = hn::And(hn::Lt(x, zero), hn::Lt(ax, infinity));
  r = hn::IfThenElse(hn::AndNot(integral, negative_base), set(d, __builtin_nanf("")), r);
  r = hn::IfThenElse(odd, hn::Xor(r, hn::And(x, set(d, -0.0))), r);
  r = hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, r);
  return r;
}

}  // namespace math
}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
