// SPDX-License-Identifier: Apache-2.0
//
// The error function and gelu on vectors of float; what math.h says holds for them.
#pragma once

#include "devices/cpu/isa/math.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {
namespace math {

#if HWY_TARGET == HWY_AVX2
// erf(a) / a for a in pieces around 0, w, ..., 7 * w, as polynomials of the distance from there: row i has the
// coefficients of the i-th power.
constexpr double kErfPiece = 0.53125;
HWY_ALIGN constexpr float kErfPieces[7][8] = {
    {0x1.20dd76p+0, 0x1.07d824p+0, 0x1.a1d1f0p-1, 0x1.397ad4p-1, 0x1.e09a7ap-2, 0x1.817080p-2, 0x1.4140b8p-2,
     0x1.135c7ep-2},
    {-0x1.76f316p-26, -0x1.5a6e2cp-2, -0x1.b2cdf0p-2, -0x1.503608p-2, -0x1.b8705ep-3, -0x1.21767cp-3, -0x1.9315aep-4,
     -0x1.282f8cp-4},
    {-0x1.8126f2p-2, -0x1.b67628p-3, 0x1.1c8856p-5, 0x1.df5472p-4, 0x1.6bfbacp-4, 0x1.abec98p-5, 0x1.f91dd8p-6,
     0x1.3e9172p-6},
    {-0x1.c46c82p-16, 0x1.5d012cp-3, 0x1.c7f3dep-4, 0x1.4ae8dep-9, -0x1.ae7a78p-6, -0x1.280048p-6, -0x1.3a0cdep-7,
     -0x1.567bfcp-8},
    {0x1.cf4a56p-4, 0x1.92367ap-6, -0x1.e83280p-5, -0x1.09ab22p-5, -0x1.809892p-15, 0x1.479fe8p-8, 0x1.799ea2p-9,
     0x1.6f1fcap-10},
    {-0x1.5a3486p-10, -0x1.8e08a0p-5, -0x1.b41578p-8, 0x1.13ebaep-6, 0x1.892e24p-8, -0x1.9509d0p-12, -0x1.91b0d2p-11,
     -0x1.866f26p-12},
    {-0x1.8bc260p-6, 0x1.2070f4p-9, 0x1.fd7420p-7, -0x1.971798p-11, -0x1.d50f00p-9, -0x1.51a83cp-11, 0x1.09791ep-13,
     0x1.981c20p-14},
};
#endif

template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf(D d, V x) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(V) == sizeof(__m256)) {
    const V whole = at_most(set(d, 0x1.f570a6p1), hn::Abs(x));  // which gives 1
    const V magic = set(d, 0x1.8p23);  // adding it rounds to an integer; the low three bits choose the piece
    const V shifted = hn::MulAdd(whole, set(d, 1 / kErfPiece), magic);
    const V t = hn::NegMulAdd(hn::Sub(shifted, magic), set(d, kErfPiece), whole);
    const auto coefficient = [&](size_t i) {
      return V{_mm256_permutevar8x32_ps(hn::Load(d, kErfPieces[i]).raw, _mm256_castps_si256(shifted.raw))};
    };
    V p = coefficient(6);
    CORACLE_UNROLL
    for (size_t i = 1; i <= 6; ++i) p = hn::MulAdd(p, t, coefficient(6 - i));
    return hn::CopySign(at_most(set(d, 1.0), hn::Mul(whole, p)), x);
  }
#endif
  const V a = at_most(set(d, 4.0), hn::Abs(x));
  const V one = set(d, 1.0);
  // |x| < 0.9: x + x * R(x^2).
  const V a2 = hn::Mul(a, a);
  V small = set(d, -0x1.406868p-11);
  small = hn::MulAdd(small, a2, set(d, 0x1.48be5cp-8));
  small = hn::MulAdd(small, a2, set(d, -0x1.b6cbacp-6));
  small = hn::MulAdd(small, a2, set(d, 0x1.ce1ec2p-4));
  small = hn::MulAdd(small, a2, set(d, -0x1.8127p-2));
  small = hn::MulAdd(small, a2, set(d, 0x1.06eba6p-3));
  small = hn::MulAdd(small, a, a);
  // Otherwise: 1 - e^q(|x|), where q approximates log(erfc).
  V q = set(d, 0x1.9d83c6p-13);
  q = hn::MulAdd(q, a, set(d, -0x1.90806ap-9));
  q = hn::MulAdd(q, a, set(d, 0x1.6cfc88p-6));
  q = hn::MulAdd(q, a, set(d, -0x1.aa22eap-4));
  q = hn::MulAdd(q, a, set(d, -0x1.462cb8p-1));
  q = hn::MulAdd(q, a, set(d, -0x1.20b43p0));
  q = hn::MulAdd(q, a, set(d, -0x1.744556p-13));
  const V large = hn::Sub(one, exp_normal(d, q));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, set(d, 0.9)), small, large), x);
}

// x * Phi(x) = x / 2 * (1 + erf(x / sqrt(2))). e^q(|x|) approximates Phi(-|x|), so that there is no cancellation for x
// < 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V gelu(D d, V x) {
  const V a = hn::Abs(x);
  V q = set(d, -0x1.127bd4p-26);
  q = hn::MulAdd(q, a, set(d, 0x1.0d7952p-21));
  q = hn::MulAdd(q, a, set(d, -0x1.c14966p-18));
  q = hn::MulAdd(q, a, set(d, 0x1.9460cp-15));
  q = hn::MulAdd(q, a, set(d, -0x1.771296p-13));
  q = hn::MulAdd(q, a, set(d, -0x1.dceb04p-16));
  q = hn::MulAdd(q, a, set(d, 0x1.3da8a6p-8));
  q = hn::MulAdd(q, a, set(d, -0x1.29effcp-5));
  q = hn::MulAdd(q, a, set(d, -0x1.45f0dep-2));
  q = hn::MulAdd(q, a, set(d, -0x1.98846cp-1));
  q = hn::MulAdd(q, a, set(d, -0x1.62e43p-1));
  const V lower = exp_normal_within(d, at_least(set(d, kExpGivesZero), q));  // q is below 0
  return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), lower, hn::Sub(set(d, 1.0), lower)));
}

}  // namespace math
}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
