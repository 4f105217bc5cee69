// SPDX-License-Identifier: Apache-2.0
//
// Numbers in steps of their scale. Included only by sources that are compiled once per instruction set.
#pragma once

#include <cstring>
#include <initializer_list>

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// x in steps of scale / range, an integer in a float (see Quantization in quantize.h).
template <bool kHalfAway>
HWY_INLINE FloatVector quantized(FloatVector x, FloatVector scale, FloatVector range) {
  using V = FloatVector;
  const FloatTag d;
  const V one = set(d, 1.0);
  const V divisor = hn::IfThenElse(hn::Le(scale, set(d, 1e-30)), hn::Add(scale, set(d, 1e-6)), scale);
  const V factor = hn::Mul(range, hn::Div(one, divisor));
  if constexpr (kHalfAway) {
    const V scaled = hn::Mul(factor, at_least(hn::Neg(scale), at_most(scale, x)));
    const V magnitude = hn::Abs(scaled);
    const V whole = hn::Trunc(magnitude);
    const auto up = hn::Ge(hn::Sub(magnitude, whole), set(d, 0.5));
    return hn::CopySign(hn::Add(whole, hn::IfThenElseZero(up, one)), scaled);
  } else {
    return at_least(hn::Neg(hn::Add(range, one)), at_most(range, hn::Round(hn::Mul(factor, x))));
  }
}

using Int8Tag = hn::Rebind<int8_t, FloatTag>;

// CORACLE_NARROWING_CLIPS: conversion to integers makes 0 of NaN, and what narrows them ends at both ends of the range.
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
#define CORACLE_NARROWING_CLIPS 1
#else
#define CORACLE_NARROWING_CLIPS 0
#endif

HWY_INLINE float inverse_of_scale(float scale) { return scale <= 1e-30f ? 1.0f / (scale + 1e-6f) : 1.0f / scale; }

// Numbers in steps of scale / 127 as int8, zero for NaN: what ops/quantize/integer_product.h computes, bit by bit.
template <bool kHalfAway>
class Int8Rounding {
 public:
  explicit HWY_INLINE Int8Rounding(float scale) : Int8Rounding(scale, inverse_of_scale(scale)) {}
  HWY_INLINE Int8Rounding(float scale, float inverse) {
    const FloatTag d;
    scale_ = hn::Set(d, scale);
    inverse_ = hn::Set(d, inverse);
    factor_ = hn::Mul(set(d, 127.0), inverse_);
    most_ = set(d, 127.0);
  }

#if !CORACLE_NARROWING_CLIPS
  // Larger integers become this one, of at most 127.
  HWY_INLINE void set_most(float most) { most_ = hn::Set(FloatTag(), most); }
#endif

  HWY_INLINE hn::Vec<Int8Tag> operator()(FloatVector v) const { return rounded<false>(v); }

  // kNumber: v is not NaN.
  template <bool kNumber>
  HWY_INLINE hn::Vec<Int8Tag> rounded(FloatVector v) const {
    const auto all = integers<kNumber>(v);
#if HWY_TARGET == HWY_AVX2
    const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(all.raw), _mm256_extracti128_si256(all.raw, 1));
    return hn::Vec<Int8Tag>{_mm_packs_epi16(half, half)};
#else
    return hn::DemoteTo(Int8Tag(), all);
#endif
  }

#if HWY_TARGET == HWY_AVX2
  // Four vectors that follow each other.
  HWY_INLINE void store_four(const float* from, int8_t* to) const {
    const __m256i bytes = _mm256_packs_epi16(words_of_two(from), words_of_two(from + 2 * kFloatLanes));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, order));
  }
#elif HWY_TARGET == HWY_AVX3
  HWY_INLINE void store_four(const float* from, int8_t* to) const {
    const __m512i bytes = _mm512_packs_epi16(words_of_two(from), words_of_two(from + 2 * kFloatLanes));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, bytes));
  }
#elif CORACLE_NARROWING_CLIPS
  HWY_INLINE void store_four(const float* from, int8_t* to) const {
    const int16x8_t second = words_of_two(from + 2 * kFloatLanes);
    vst1q_s8(to, vqmovn_high_s16(vqmovn_s16(words_of_two(from)), second));
  }

  template <bool kNumber>
  HWY_INLINE int16x8_t words(FloatVector first, FloatVector second) const {
    return vqmovn_high_s32(vqmovn_s32(integers<kNumber>(first).raw), integers<kNumber>(second).raw);
  }
#endif

  // As numbers of 32 bits, which may be outside of -128 to 127: saturation ends at these.
  template <bool kNumber>
  HWY_INLINE hn::Vec<IntTag> integers(FloatVector v) const {
    const FloatTag d;
    constexpr bool kUnchecked = kNumber || (CORACLE_NARROWING_CLIPS && !kHalfAway);
    const FloatVector x = kUnchecked ? v : hn::IfThenElseZero(hn::Eq(v, v), v);
    if constexpr (kHalfAway) {
      // What is just below a half, added to a half, is rounded to 1; added to less, it is not.
      const FloatVector scaled = hn::Mul(factor_, hn::Max(hn::Neg(scale_), hn::Min(scale_, x)));
      const FloatVector up = hn::CopySign(hn::Set(d, 0.49999997f), scaled);
      return hn::ConvertTo(IntTag(), hn::Add(scaled, up));
    } else {
#if CORACLE_NARROWING_CLIPS
      return hn::NearestInt(hn::Mul(hn::Mul(x, set(d, 127.0)), inverse_));
#else
      const FloatVector most = hn::Min(most_, hn::Mul(hn::Mul(x, set(d, 127.0)), inverse_));
#if HWY_TARGET == HWY_AVX2
      return hn::Vec<IntTag>{_mm256_cvtps_epi32(most.raw)};  // what is below the range becomes the least number
#elif HWY_TARGET == HWY_AVX3
      return hn::Vec<IntTag>{_mm512_cvtps_epi32(most.raw)};
#else
      return hn::NearestInt(hn::Max(set(d, -128.0), most));
#endif
#endif
    }
  }

 private:
  // Four numbers of both, then the next four.
#if HWY_TARGET == HWY_AVX2
  HWY_INLINE __m256i words_of_two(const float* from) const {
    const FloatTag d;
    return _mm256_packs_epi32(integers<false>(hn::LoadU(d, from)).raw,
                              integers<false>(hn::LoadU(d, from + kFloatLanes)).raw);
  }
#elif HWY_TARGET == HWY_AVX3
  HWY_INLINE __m512i words_of_two(const float* from) const {
    const FloatTag d;
    return _mm512_packs_epi32(integers<false>(hn::LoadU(d, from)).raw,
                              integers<false>(hn::LoadU(d, from + kFloatLanes)).raw);
  }
#elif CORACLE_NARROWING_CLIPS
  HWY_INLINE int16x8_t words_of_two(const float* from) const {
    const FloatTag d;
    return words<false>(hn::LoadU(d, from), hn::LoadU(d, from + kFloatLanes));
  }
#endif

  FloatVector scale_;
  FloatVector inverse_;
  FloatVector factor_;
  FloatVector most_;
};

#if HWY_TARGET != HWY_AVX3
// The first `count` < 8 bytes as a number, in whole pieces.
HWY_INLINE uint64_t bytes_of_part(const int8_t* from, size_t count) {
  uint64_t bits = 0;
  size_t at = 0;
  for (const size_t piece : {4, 2, 1}) {
    if ((count & piece) == 0) continue;
    uint32_t part = 0;
    memcpy(&part, from + at, piece);
    bits |= uint64_t{part} << (8 * at);
    at += piece;
  }
  return bits;
}
#endif

// The first `count` < kFloatLanes numbers; the other lanes are zero.
HWY_INLINE hn::Vec<Int8Tag> load_int8_part(const int8_t* from, size_t count) {
  const Int8Tag d;
#if HWY_TARGET == HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  static_assert(kFloatLanes <= sizeof(uint64_t));
  const uint64_t bits = bytes_of_part(from, count);
  return hn::LoadU(d, reinterpret_cast<const int8_t*>(&bits));
#endif
}

// The first `count` <= kFloatLanes numbers as floats.
HWY_INLINE FloatVector int8_as_floats(const int8_t* from, size_t count) {
  const auto bytes = count == kFloatLanes ? hn::LoadU(Int8Tag(), from) : load_int8_part(from, count);
  return hn::ConvertTo(FloatTag(), hn::PromoteTo(IntTag(), bytes));
}

HWY_INLINE void store_int8_part(hn::Vec<Int8Tag> v, int8_t* to, size_t count) {
  const Int8Tag d;
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  uint64_t bits = 0;
  hn::StoreU(v, d, reinterpret_cast<int8_t*>(&bits));
  for (const size_t piece : {4, 2, 1}) {
    if ((count & piece) == 0) continue;
    memcpy(to, &bits, piece);
    bits >>= 8 * piece;
    to += piece;
  }
#endif
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
