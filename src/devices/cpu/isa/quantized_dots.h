// SPDX-License-Identifier: Apache-2.0
//
// Sums of 32 bits of products of integers, one vector of kSumLanes of them, by the instructions of each set, or, for
// tests, in plain code as other sets would. Included only by sources that are compiled once per instruction set.
#pragma once

#include "devices/cpu/isa/quantized_finish.h"
#include "devices/cpu/isa/vector.h"

#if defined(__SSE2__) && !defined(__AVX2__)  // Highway includes the others
#include <emmintrin.h>
#endif

#include <cstring>

// CORACLE_DOT_PRODUCTS: four products of bytes are added to a sum by one instruction, with AVX-512 or AVX2; in plain
// code where vectors of CORACLE_EMULATED_LANES sums are emulated; with NEON's SDOT.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(CORACLE_EMULATED_LANES) || defined(__ARM_FEATURE_DOTPROD)
#define CORACLE_DOT_PRODUCTS 1
#else
#define CORACLE_DOT_PRODUCTS 0
#endif

// CORACLE_MATRIX_PRODUCTS: sums of two rows by two columns of eight bytes each, by NEON's SMMLA.
#if defined(__ARM_FEATURE_MATMUL_INT8) && HWY_TARGET == HWY_NEON
#define CORACLE_MATRIX_PRODUCTS 1
#else
#define CORACLE_MATRIX_PRODUCTS 0
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

#if defined(CORACLE_EMULATED_LANES)
constexpr size_t kSumLanes = CORACLE_EMULATED_LANES;
#else
constexpr size_t kSumLanes = kFloatLanes;
#endif

// multiply_pairs(a, b): the sums of two products each of adjacent numbers of 16 bits, exact for numbers of 8 bits.
// interleaved(a, b): kSumLanes numbers of a and b, widened to 16 bits: a0, b0, a1, b1, ...
#if HWY_TARGET == HWY_NEON
using Sums = int32x4_t;
HWY_INLINE Sums load_sums(const void* p) { return vreinterpretq_s32_u8(vld1q_u8(static_cast<const uint8_t*>(p))); }
HWY_INLINE void store_sums(Sums sums, void* p) { vst1q_u8(static_cast<uint8_t*>(p), vreinterpretq_u8_s32(sums)); }
HWY_INLINE Sums broadcast_bits(int32_t bits) { return vdupq_n_s32(bits); }
HWY_INLINE Sums add(Sums a, Sums b) { return vaddq_s32(a, b); }
#if CORACLE_DOT_PRODUCTS
// Adds to each sum the products of the four bytes with sign of a and those of b.
HWY_INLINE void add_dot_products(Sums& sum, Sums a, Sums b) {
  sum = vdotq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
}
#endif
// The sums of adjacent lanes, of a and then of b.
HWY_INLINE Sums sums_of_adjacent(Sums a, Sums b) {
#if HWY_ARCH_ARM_A64
  return vpaddq_s32(a, b);
#else
  return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)), vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
#endif
}
HWY_INLINE Sums multiply_pairs(Sums a, Sums b) {
  const int16x8_t x = vreinterpretq_s16_s32(a);
  const int16x8_t y = vreinterpretq_s16_s32(b);
  return sums_of_adjacent(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_s16(vget_high_s16(x), vget_high_s16(y)));
}
HWY_INLINE void store_floats(Sums sums, float* to) { vst1q_f32(to, vcvtq_f32_s32(sums)); }
HWY_INLINE Sums interleaved(const int8_t* a, const int8_t* b) {
  int32_t x;
  int32_t y;
  memcpy(&x, a, sizeof(x));
  memcpy(&y, b, sizeof(y));
  const int8x8_t bytes = vzip_s8(vreinterpret_s8_s32(vdup_n_s32(x)), vreinterpret_s8_s32(vdup_n_s32(y))).val[0];
  return vreinterpretq_s32_s16(vmovl_s8(bytes));
}
#elif defined(CORACLE_EMULATED_LANES) || !defined(__SSE2__)
struct Sums {
  int32_t of[kSumLanes];
};
HWY_INLINE Sums load_sums(const void* p) {
  Sums s;
  memcpy(&s, p, sizeof(s));
  return s;
}
HWY_INLINE void store_sums(const Sums& sums, void* p) { memcpy(p, &sums, sizeof(sums)); }
HWY_INLINE Sums broadcast_bits(int32_t bits) {
  Sums s;
  for (int32_t& lane : s.of) lane = bits;
  return s;
}
HWY_INLINE Sums add(const Sums& a, const Sums& b) {
  Sums s;
  for (size_t i = 0; i < kSumLanes; ++i) {
    s.of[i] = static_cast<int32_t>(static_cast<uint32_t>(a.of[i]) + static_cast<uint32_t>(b.of[i]));
  }
  return s;
}
HWY_INLINE Sums multiply_pairs(const Sums& a, const Sums& b) {
  int16_t x[2 * kSumLanes];
  int16_t y[2 * kSumLanes];
  memcpy(x, &a, sizeof(x));
  memcpy(y, &b, sizeof(y));
  Sums s;
  for (size_t i = 0; i < kSumLanes; ++i) s.of[i] = x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
  return s;
}
HWY_INLINE void store_floats(const Sums& sums, float* to) {
  for (size_t i = 0; i < kSumLanes; ++i) to[i] = static_cast<float>(sums.of[i]);
}
HWY_INLINE Sums interleaved(const int8_t* a, const int8_t* b) {
  int16_t both[2 * kSumLanes];
  for (size_t i = 0; i < kSumLanes; ++i) {
    both[2 * i] = a[i];
    both[2 * i + 1] = b[i];
  }
  return load_sums(both);
}
#elif HWY_TARGET == HWY_AVX3
using Sums = __m512i;
HWY_INLINE Sums load_sums(const void* p) { return _mm512_loadu_si512(p); }
HWY_INLINE void store_sums(Sums sums, void* p) { _mm512_storeu_si512(p, sums); }
HWY_INLINE Sums broadcast_bits(int32_t bits) { return _mm512_set1_epi32(bits); }
HWY_INLINE Sums add(Sums a, Sums b) { return _mm512_add_epi32(a, b); }
HWY_INLINE Sums multiply_pairs(Sums a, Sums b) { return _mm512_madd_epi16(a, b); }
HWY_INLINE void store_floats(Sums sums, float* to) { _mm512_storeu_ps(to, _mm512_cvtepi32_ps(sums)); }
HWY_INLINE Sums interleaved(const int8_t* a, const int8_t* b) {
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
  const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
  return _mm512_cvtepi8_epi16(_mm256_set_m128i(_mm_unpackhi_epi8(x, y), _mm_unpacklo_epi8(x, y)));
}
#elif HWY_TARGET == HWY_AVX2
using Sums = __m256i;
HWY_INLINE Sums load_sums(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
HWY_INLINE void store_sums(Sums sums, void* p) { _mm256_storeu_si256(static_cast<__m256i*>(p), sums); }
HWY_INLINE Sums broadcast_bits(int32_t bits) { return _mm256_set1_epi32(bits); }
HWY_INLINE Sums add(Sums a, Sums b) { return _mm256_add_epi32(a, b); }
HWY_INLINE Sums multiply_pairs(Sums a, Sums b) { return _mm256_madd_epi16(a, b); }
HWY_INLINE void store_floats(Sums sums, float* to) { _mm256_storeu_ps(to, _mm256_cvtepi32_ps(sums)); }
HWY_INLINE Sums interleaved(const int8_t* a, const int8_t* b) {
  const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(a));
  const __m128i y = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(b));
  return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(x, y));
}
#else
using Sums = __m128i;
HWY_INLINE Sums load_sums(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
HWY_INLINE void store_sums(Sums sums, void* p) { _mm_storeu_si128(static_cast<__m128i*>(p), sums); }
HWY_INLINE Sums broadcast_bits(int32_t bits) { return _mm_set1_epi32(bits); }
HWY_INLINE Sums add(Sums a, Sums b) { return _mm_add_epi32(a, b); }
HWY_INLINE Sums multiply_pairs(Sums a, Sums b) { return _mm_madd_epi16(a, b); }
HWY_INLINE void store_floats(Sums sums, float* to) { _mm_storeu_ps(to, _mm_cvtepi32_ps(sums)); }
HWY_INLINE Sums interleaved(const int8_t* a, const int8_t* b) {
  int32_t x;
  int32_t y;
  memcpy(&x, a, sizeof(x));
  memcpy(&y, b, sizeof(y));
  const __m128i bytes = _mm_unpacklo_epi8(_mm_cvtsi32_si128(x), _mm_cvtsi32_si128(y));
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
}
#endif

#if CORACLE_DOT_PRODUCTS && HWY_TARGET != HWY_NEON
// Adds to each sum the products of the four bytes without sign of a and those with sign of b.
HWY_INLINE void add_dot_products(Sums& sum, const Sums& a, const Sums& b) {
#if defined(CORACLE_EMULATED_LANES)
  uint8_t x[sizeof(Sums)];
  int8_t y[sizeof(Sums)];
  memcpy(x, &a, sizeof(x));
  memcpy(y, &b, sizeof(y));
  for (size_t i = 0; i < sizeof(Sums); ++i) {
    sum.of[i / 4] = static_cast<int32_t>(static_cast<uint32_t>(sum.of[i / 4]) + static_cast<uint32_t>(x[i] * y[i]));
  }
#elif HWY_TARGET == HWY_AVX3
  // As an instruction: from the intrinsic, GCC 12 moves all sums of a loop to other registers and back.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
#endif
}
#endif

#if defined(__AVX512VNNI__)
using avx512::quantized_finish;
#elif defined(__ARM_FEATURE_DOTPROD)
using neon::quantized_finish;
#elif CORACLE_DOT_PRODUCTS || defined(CORACLE_PAIRS_OF_INTEGERS)
using avx2::quantized_finish;
#endif

// Numbers between which others lie.
struct Extent {
  int32_t least = 0;
  int32_t most = 0;

  int32_t reach() const { return most - least; }
};

HWY_INLINE Sums broadcast_group(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  return broadcast_bits(bits);
}

#if CORACLE_DOT_PRODUCTS && HWY_TARGET != HWY_NEON
// kSumLanes numbers of each of four rows, plus 128 as bytes without sign: those of the first column, then the next.
HWY_INLINE Sums interleaved_four(const int8_t* const (&rows)[4]) {
#if defined(CORACLE_EMULATED_LANES)
  uint8_t all[4 * kSumLanes];
  for (size_t i = 0; i < kSumLanes; ++i) {
    for (size_t r = 0; r < 4; ++r) all[4 * i + r] = static_cast<uint8_t>(rows[r][i] + 128);
  }
  return load_sums(all);
#else
  const auto load = [&](size_t r) {
    if constexpr (kSumLanes == 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r]));
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows[r]));
  };
#if HWY_TARGET == HWY_AVX3
  __m512i all = _mm512_castsi128_si512(load(0));
  all = _mm512_inserti32x4(all, load(1), 1);
  all = _mm512_inserti32x4(all, load(2), 2);
  all = _mm512_inserti32x4(all, load(3), 3);
  const __m512i by_columns = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i by_rows = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  all = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(by_columns, all), by_rows);
  return _mm512_xor_si512(all, _mm512_set1_epi8(-128));
#else
  const __m128i first = _mm_unpacklo_epi8(load(0), load(1));
  const __m128i second = _mm_unpacklo_epi8(load(2), load(3));
  const __m256i all = _mm256_set_m128i(_mm_unpackhi_epi16(first, second), _mm_unpacklo_epi16(first, second));
  return _mm256_xor_si256(all, _mm256_set1_epi8(-128));
#endif
#endif
}
#endif

#if CORACLE_DOT_PRODUCTS && HWY_TARGET == HWY_NEON
// kSumLanes numbers of each of four rows: those of the first column, then the next. And the same of the numbers behind
// them, which are there if there are two vectors.
HWY_INLINE Sums interleaved_four(const int8_t* const (&rows)[4], int64_t vectors, Sums& second) {
  const auto load = [&](size_t r) HWY_ATTR {
    if (vectors == 1) return vreinterpretq_s8_s32(broadcast_group(rows[r]));
    return vcombine_s8(vld1_s8(rows[r]), vdup_n_s8(0));
  };
  const int16x8_t above = vreinterpretq_s16_s8(vzip1q_s8(load(0), load(1)));
  const int16x8_t below = vreinterpretq_s16_s8(vzip1q_s8(load(2), load(3)));
  second = vreinterpretq_s32_s16(vzip2q_s16(above, below));
  return vreinterpretq_s32_s16(vzip1q_s16(above, below));
}
#endif

// interleaved() of two adjacent vectors of numbers.
HWY_INLINE void interleave_two(const int8_t* a, const int8_t* b, char* to, char* second) {
#if HWY_TARGET == HWY_AVX2 && !defined(CORACLE_EMULATED_LANES)
  const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
  const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
  store_sums(_mm256_cvtepi8_epi16(_mm_unpacklo_epi8(x, y)), to);
  store_sums(_mm256_cvtepi8_epi16(_mm_unpackhi_epi8(x, y)), second);
#else
  store_sums(interleaved(a, b), to);
  store_sums(interleaved(a + kSumLanes, b + kSumLanes), second);
#endif
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
