// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions and activations on vectors of float, for any Highway float tag, with AVX-512 for full vectors.
// Each lane's result depends on that lane's input alone, so a value gives the same bits in a full vector and in a tail.
// Errors are a few units in the last place; infinities, NaN, overflow and denormal inputs and results follow the C
// library. Functions named ..._within and ..._of_negative must not be called for other arguments. sin, cos and pow are
// in math_wide.h, erf and gelu in math_erf.h.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {
namespace math {

constexpr double kLog2E = 1.44269504088896341;
constexpr double kLn2High = 0.693115234375;  // 12 bits: its product with an exponent is exact
constexpr double kLn2Low = 3.19461849453094e-5;

// x = n * ln 2 + r with integral n and |r| <= ln(2) / 2; e^r = 1 + r + r^2 * p. NaN where x is.
template <class D>
struct ExpParts {
  hn::Vec<D> r;
  hn::Vec<D> p;
  hn::Vec<D> shifted;  // n + kExpMagic: the low nine bits are n + 127
};

constexpr double kExpMagic = 12582912.0 + 127.0;  // 1.5 * 2^23: adding it rounds to an integer

template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<D> exp_parts(D d, V x) {
  const V magic = set(d, kExpMagic);
  const V shifted = hn::MulAdd(x, set(d, kLog2E), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, set(d, kLn2High), x);
  r = hn::NegMulAdd(n, set(d, kLn2Low), r);
  V p = set(d, 0x1.6da09ap-10);
  p = hn::MulAdd(p, r, set(d, 0x1.122d72p-7));
  p = hn::MulAdd(p, r, set(d, 0x1.55547ep-5));
  p = hn::MulAdd(p, r, set(d, 0x1.5554a8p-3));
  p = hn::MulAdd(p, r, set(d, 0.5));
  return {r, p, shifted};
}

// 2^n for n in [-126, 127]; 0 for -127, infinity for 128.
template <class D, class I>
HWY_INLINE hn::Vec<D> power_of_two(D d, I n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// The same, from the sum in ExpParts.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V power_of_two_shifted(D d, V shifted) {
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(hn::RebindToSigned<D>(), shifted)));
}

#if HWY_TARGET == HWY_AVX3
// 2^(i / 16)
HWY_ALIGN constexpr float kRootsOfTwo[16] = {
    0x1p0,        0x1.0b5586p0, 0x1.172b84p0, 0x1.2387a6p0, 0x1.306fep0,  0x1.3dea64p0, 0x1.4bfdaep0, 0x1.5ab07ep0,
    0x1.6a09e6p0, 0x1.7a1148p0, 0x1.8ace54p0, 0x1.9c4918p0, 0x1.ae89fap0, 0x1.c199bep0, 0x1.d5818ep0, 0x1.ea4afap0};

// e^x for x in [-104, 88.8] or NaN, rounded once where it is denormal. x = n / 16 * ln 2 + r, and AVX-512 has both the
// table of 16 roots and the multiplication by 2^floor(n / 16), so that r is small and few powers of it are needed.
HWY_INLINE hn::Vec<FloatTag> exp_by_roots(hn::Vec<FloatTag> x) {
  using V = hn::Vec<FloatTag>;
  const FloatTag d;
  const V magic = set(d, 0x1.8p19);  // adding it rounds to a sixteenth; the low four bits choose the root
  const V shifted = hn::MulAdd(x, set(d, kLog2E), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, set(d, kLn2High), x);
  r = hn::NegMulAdd(n, set(d, kLn2Low), r);
  const V p = hn::MulAdd(r, set(d, 0x1.55575ep-3), set(d, 0x1.000236p-1));
  const V tail = hn::MulAdd(hn::Mul(r, r), p, r);
  const V root{_mm512_permutexvar_ps(_mm512_castps_si512(shifted.raw), hn::Load(d, kRootsOfTwo).raw)};
  return V{_mm512_scalef_ps(hn::MulAdd(root, tail, root).raw, n.raw)};
}
#endif

// e^x for x in [-88, 88.8] or NaN; below -87.3 the result may be 0, and above 88.7 infinity comes early.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_normal_within([[maybe_unused]] D d, V x) {
#if HWY_TARGET == HWY_AVX3
  return exp_by_roots(x);
#else
  const ExpParts<D> e = exp_parts(d, x);
  const V one = set(d, 1.0);
  return hn::Mul(hn::MulAdd(hn::MulAdd(e.p, e.r, one), e.r, one), power_of_two_shifted(d, e.shifted));
#endif
}

#if HWY_TARGET == HWY_AVX3
constexpr double kExpGivesZero = -104.0;
#else
constexpr double kExpGivesZero = -88.0;
#endif

// e^x where the range's ends do not matter: 0 instead of at least the smallest denormals, infinity from 2^127.5 on.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_normal(D d, V x) {
  return exp_normal_within(d, at_least(set(d, kExpGivesZero), at_most(set(d, 88.8), x)));
}

// e^x for x in [-104, 88.8] or NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_within([[maybe_unused]] D d, V x) {
#if HWY_TARGET == HWY_AVX3
  return exp_by_roots(x);
#else
  const hn::RebindToSigned<D> di;
  const ExpParts<D> e = exp_parts(d, x);
  const V one = set(d, 1.0);
  const V y = hn::MulAdd(hn::MulAdd(e.p, e.r, one), e.r, one);
  // Two factors, since 2^n itself may overflow or be denormal; the second product rounds once.
  const auto n = hn::Sub(hn::BitCast(di, e.shifted), hn::BitCast(di, set(d, kExpMagic)));
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(y, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
#if HWY_TARGET == HWY_AVX2
  if (hn::AllTrue(d, hn::Lt(hn::Abs(x), set(d, 87.0)))) return exp_normal_within(d, x);  // the same bits
#endif
  return exp_within(d, at_least(set(d, -104.0), at_most(set(d, 88.8), x)));
}

// e^x - 1 without cancellation near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  x = at_least(set(d, -30.0), at_most(set(d, 88.8), x));
  const ExpParts<D> e = exp_parts(d, x);
  const V tail = hn::MulAdd(hn::Mul(e.r, e.r), e.p, e.r);
  const V scale = power_of_two_shifted(d, hn::Sub(e.shifted, set(d, 1.0)));  // half of 2^n, which may overflow
  const V half = hn::MulAdd(scale, tail, hn::Sub(scale, set(d, 0.5)));
  return hn::Add(half, half);
}

// The same for x <= 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1_of_negative(D d, V x) {
  const ExpParts<D> e = exp_parts(d, at_least(set(d, -30.0), x));
  const V tail = hn::MulAdd(hn::Mul(e.r, e.r), e.p, e.r);
  const V scale = power_of_two_shifted(d, e.shifted);
  return hn::MulAdd(scale, tail, hn::Sub(scale, set(d, 1.0)));
}

template <class D>
struct LogParts {
  hn::Vec<D> mantissa;  // in [sqrt(1/2), sqrt(2))
  hn::Vec<hn::RebindToSigned<D>> exponent;
};

// Of a normal y > 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<D> log_parts(D d, V y) {
  const hn::RebindToSigned<D> di;
  const auto offset = hn::Set(di, 0x3f3504f3);  // sqrt(1/2)
  const auto bits = hn::Sub(hn::BitCast(di, y), offset);
  return {hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x007fffff)), offset)), hn::ShiftRight<23>(bits)};
}

// log(1 + f) + e * ln(2) for 1 + f in [sqrt(1/2), sqrt(2)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_from_parts(D d, V f, V e) {
  const V f2 = hn::Mul(f, f);
  V q = set(d, -0x1.422b3ap-4);
  q = hn::MulAdd(q, f, set(d, 0x1.07c422p-3));
  q = hn::MulAdd(q, f, set(d, -0x1.0cce5ap-3));
  q = hn::MulAdd(q, f, set(d, 0x1.226f7ap-3));
  q = hn::MulAdd(q, f, set(d, -0x1.547ab8p-3));
  q = hn::MulAdd(q, f, set(d, 0x1.99a592p-3));
  q = hn::MulAdd(q, f, set(d, -0x1.000216p-2));
  q = hn::MulAdd(q, f, set(d, 0x1.55554ap-2));
  V r = hn::MulAdd(hn::Mul(f2, f), q, hn::Mul(e, set(d, kLn2Low)));
  r = hn::NegMulAdd(hn::Mul(f, set(d, 0.5)), f, r);
  return hn::MulAdd(e, set(d, kLn2High), hn::Add(f, r));
}

// log(y + c) for normal y > 0, where c is what y lost by rounding.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_corrected(D d, V y, V c) {
  const hn::RebindToSigned<D> di;
  const LogParts<D> parts = log_parts(d, y);
  const V scale = power_of_two(d, hn::Max(hn::Set(di, -126), hn::Neg(parts.exponent)));
  const V f = hn::MulAdd(c, scale, hn::Sub(parts.mantissa, set(d, 1.0)));
  return log_from_parts(d, f, hn::ConvertTo(d, parts.exponent));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  const V infinity = set(d, __builtin_inff());
  const V zero = hn::Zero(d);
  const auto denormal = hn::Lt(x, set(d, 0x1p-126));
  const V y = hn::IfThenElse(denormal, hn::Mul(x, set(d, 0x1p25)), x);
  const LogParts<D> parts = log_parts(d, y);
  const V exponent = hn::Add(hn::ConvertTo(d, parts.exponent), hn::IfThenElseZero(denormal, set(d, -25.0)));
  V r = log_from_parts(d, hn::Sub(parts.mantissa, set(d, 1.0)), exponent);
  r = hn::IfThenElse(hn::Lt(x, infinity), r, x);  // infinity and NaN
  r = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), r);
  return hn::IfThenElse(hn::Lt(x, zero), set(d, __builtin_nanf("")), r);
}

// log(1 + x) without cancellation near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  const V infinity = set(d, __builtin_inff());
  const V one = set(d, 1.0);
  const V y = hn::Add(one, x);
  // The larger term is subtracted first, so that the rest is exact.
  const auto large = hn::Gt(x, one);
  const V lost = hn::IfThenElse(large, hn::Sub(one, hn::Sub(y, x)), hn::Sub(x, hn::Sub(y, one)));
  V r = log_corrected(d, y, lost);
  r = hn::IfThenElse(hn::Lt(x, infinity), r, x);
  r = hn::IfThenElse(hn::Eq(x, hn::Neg(one)), hn::Neg(infinity), r);
  return hn::IfThenElse(hn::Lt(x, hn::Neg(one)), set(d, __builtin_nanf("")), r);
}

// log(1 + e^x): 0 for very negative x, x for large x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_exp(D d, V x) {
  const V small = exp_within(d, at_least(set(d, -104.0), hn::Neg(hn::Abs(x))));  // s in [0, 1]
  // log(1 + s) = 2 * atanh(w) = s + w * (2 * w^2 * P(w^2) - s) with w = s / (2 + s), at most 1/3.
  const V w = hn::Div(small, hn::Add(small, set(d, 2.0)));
  const V w2 = hn::Mul(w, w);
  V p = set(d, 0x1.1ef87p-2);
  p = hn::MulAdd(p, w2, set(d, 0x1.1eb612p-2));
  p = hn::MulAdd(p, w2, set(d, 0x1.99d27cp-2));
  p = hn::MulAdd(p, w2, set(d, 0x1.5555p-1));
  return hn::Add(at_least(hn::Zero(d), x), hn::MulAdd(w, hn::MulSub(w2, p, small), small));
}

#if HWY_TARGET == HWY_AVX2
// The bits of 2^(i / 8), less those of 1 and less i at the place of the three highest of the mantissa.
HWY_ALIGN constexpr int32_t kEighthRoots[8] = {0, -0x46a3e, -0x7c810, -0xa0129, -0xafb0d, -0xa98d6, -0x8bb03, -0x53f39};

// 1 / (1 + e^-x), where x = r - n * ln 2 for a multiple n of 1/8, so that few powers of r are needed: e^-x is
// 2^n * (1 - r + r^2 * P(r)). What loads roots and adds is free while multiplications go on.
HWY_INLINE hn::Vec<FloatTag> sigmoid_by_roots(hn::Vec<FloatTag> x) {
  using V = hn::Vec<FloatTag>;
  const FloatTag d;
  const IntTag di;
  const V one = set(d, 1.0);
  x = at_least(set(d, -88.73), at_most(set(d, 88.0), x));  // from where on 2^n is infinite, and 0
  const V magic = set(d, 0x1.8p20 + 127);                  // adding it rounds to an eighth
  const V shifted = hn::NegMulAdd(x, set(d, kLog2E), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::MulAdd(n, set(d, kLn2High), x);
  r = hn::MulAdd(n, set(d, kLn2Low), r);
  const V p = hn::NegMulAdd(r, set(d, 0x1.55565cp-3), set(d, 0x1.00089ep-1));
  const V tail = hn::MulSub(hn::Mul(r, r), p, r);
  const auto bits = hn::BitCast(di, shifted);
  const hn::Vec<IntTag> root{_mm256_permutevar8x32_epi32(hn::Load(di, kEighthRoots).raw, bits.raw)};
  const V power = hn::BitCast(d, hn::Add(root, hn::ShiftLeft<20>(bits)));
  return hn::Div(one, hn::MulAdd(power, hn::Add(one, tail), one));
}
#endif

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = set(d, 1.0);
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(V) == sizeof(__m256)) return sigmoid_by_roots(x);
#endif
  return hn::Div(one, hn::Add(one, exp_normal(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_sigmoid(D d, V x) {
  return hn::Neg(log1p_exp(d, hn::Neg(x)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  // (|x| + |x|^3 * P(x^2)) / Q(x^2), where all coefficients are positive, so that the sums lose little. The largest
  // argument gives 1, which the result is from there on.
  const V one = set(d, 1.0);
  const V a = at_most(set(d, 0x1.228f5ep3), hn::Abs(x));
  const V a2 = hn::Mul(a, a);
  V p = set(d, 0x1.c7cb88p-27);
  p = hn::MulAdd(p, a2, set(d, 0x1.58af14p-16));
  p = hn::MulAdd(p, a2, set(d, 0x1.c9a966p-9));
  p = hn::MulAdd(p, a2, set(d, 0x1.11f9dep-3));
  V q = set(d, 0x1.9f8a82p-21);
  q = hn::MulAdd(q, a2, set(d, 0x1.57da92p-12));
  q = hn::MulAdd(q, a2, set(d, 0x1.a7b99ap-6));
  q = hn::MulAdd(q, a2, set(d, 0x1.de5238p-2));
  q = hn::MulAdd(q, a2, one);
  return hn::CopySign(at_most(one, hn::Div(hn::MulAdd(hn::Mul(a2, a), p, a), q)), x);
#else  // without fused multiply-adds, P and Q would lose too many digits
  const V e = expm1_of_negative(d, hn::Mul(hn::Abs(x), set(d, -2.0)));  // in (-1, 0]
  return hn::CopySign(hn::Div(e, hn::Add(e, set(d, 2.0))), x);
#endif
}

// atan(|x|) = offset + atan(t) with |t| <= tan(pi / 8), and atan(t) = t + t^3 * P(t^2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V atan(D d, V x) {
  const V one = set(d, 1.0);
  const V a = hn::Abs(x);
  const auto large = hn::Gt(a, set(d, 2.41421356237309505));   // t = -1 / |x|
  const auto middle = hn::Gt(a, set(d, 0.41421356237309505));  // t = (|x| - 1) / (|x| + 1)
  const V numerator = hn::IfThenElse(large, hn::Neg(one), hn::IfThenElse(middle, hn::Sub(a, one), a));
  const V denominator = hn::IfThenElse(large, a, hn::IfThenElse(middle, hn::Add(a, one), one));
  const V offset =
      hn::IfThenElse(large, set(d, 1.57079632679489662), hn::IfThenElseZero(middle, set(d, 0.785398163397448310)));
  const V t = hn::Div(numerator, denominator);
  const V t2 = hn::Mul(t, t);
  V p = set(d, -0x1.f1ed88p-5);
  p = hn::MulAdd(p, t2, set(d, 0x1.b1ec3p-4));
  p = hn::MulAdd(p, t2, set(d, -0x1.23b522p-3));
  p = hn::MulAdd(p, t2, set(d, 0x1.999196p-3));
  p = hn::MulAdd(p, t2, set(d, -0x1.55554ap-2));
  return hn::CopySign(hn::Add(offset, hn::MulAdd(hn::Mul(t, t2), p, t)), x);
}

// 1 / sqrt(x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V rsqrt(D d, V x) {
  const auto divided = [=] { return hn::Div(set(d, 1.0), hn::Sqrt(x)); };
#if HWY_TARGET == HWY_AVX3
  // One step of Newton's method from an estimate of 14 bits, where the products with it are normal.
  const V estimate = hn::ApproximateReciprocalSqrt(x);
  const V error = hn::NegMulAdd(hn::Mul(hn::Mul(x, set(d, 0.5)), estimate), estimate, set(d, 0.5));
  const V y = hn::MulAdd(estimate, error, estimate);
  const auto plain = hn::And(hn::Ge(x, set(d, 0x1p-120)), hn::Le(x, set(d, 0x1p120)));
#elif HWY_TARGET == HWY_AVX2
  // An estimate from the bits of x, since that of the instruction differs between processors, within 3.5 %; then
  // y * (1 - e)^(-1/2) with e = 1 - x * y^2 as y + y * e * P(e).
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const V estimate = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f374800), hn::ShiftRight<1>(bits)));
  const V error = hn::NegMulAdd(hn::Mul(x, estimate), estimate, set(d, 1.0));
  V p = set(d, 0x1.1982fcp-2);
  p = hn::MulAdd(p, error, set(d, 0x1.417702p-2));
  p = hn::MulAdd(p, error, set(d, 0x1.7fff6ep-2));
  p = hn::MulAdd(p, error, set(d, 0x1.ffff92p-2));
  const V y = hn::MulAdd(hn::Mul(estimate, error), p, estimate);
  // Numbers from 2^-120 to 2^120, of whose bits a sum is below a number.
  constexpr int32_t kLeast = 7 << 23, kCount = 240 << 23;
  const auto plain = hn::RebindMask(
      d, hn::Lt(hn::Sub(bits, hn::Set(di, kLeast - 0x7fffffff - 1)), hn::Set(di, kCount + 1 - 0x7fffffff - 1)));
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::AllTrue(d, plain) ? y : hn::IfThenElse(plain, y, divided());
#else
  return divided();
#endif
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu_tanh(D d, V x) {
  const V one = set(d, 1.0);
  const V inner =
      hn::MulAdd(hn::Mul(x, x), set(d, -2.0 * 0.7978845608028654 * 0.044715), set(d, -2.0 * 0.7978845608028654));
  return hn::Div(x, hn::Add(one, exp_normal(d, hn::Mul(x, inner))));
}

// x * sigmoid(beta * x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V swish(D d, V x, V beta) {
  return hn::Div(x, hn::Add(set(d, 1.0), exp_normal(d, hn::Neg(hn::Mul(beta, x)))));
}

// log(1 + e^(beta * x)) / beta, or x where beta * x > threshold.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x, V beta, V threshold) {
  const V z = hn::Mul(beta, x);
  return hn::IfThenElse(hn::Gt(z, threshold), x, hn::Mul(log1p_exp(d, z), hn::Div(set(d, 1.0), beta)));
}

// x * tanh(log(1 + e^x)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mish(D d, V x) {
  const V limit = set(d, 20.0);  // above, the factor is 1
  const V two = set(d, 2.0);
  const V e = exp_normal(d, at_most(limit, x));
  const V numerator = hn::Mul(e, hn::Add(e, two));
  return hn::IfThenElse(hn::Gt(x, limit), x, hn::Mul(x, hn::Div(numerator, hn::Add(numerator, two))));
}

// x where x > 0, else alpha * (e^x - 1).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V elu(D d, V x, V alpha) {
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(alpha, expm1_of_negative(d, at_most(hn::Zero(d), x))));
}

}  // namespace math
}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
