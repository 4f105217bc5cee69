// SPDX-License-Identifier: Apache-2.0
//
// What sums of products of integers are kept in while a tile of A is multiplied with a panel of B, and how products are
// added to them (quantized_gemm.h). Included only by quantized_tile.h.
#pragma once

#include "devices/cpu/isa/quantized_gemm.h"
#include "quantized_dots.h"

#if HWY_TARGET == HWY_AVX2 && !defined(CORACLE_PAIRS_OF_INTEGERS) && !CORACLE_DOT_PRODUCTS
#define CORACLE_BYTES_BY_REACH 1
#include "quantized_window.h"
#else
#define CORACLE_BYTES_BY_REACH 0
#endif

// CORACLE_ADDS_PRODUCTS: SMLAL adds a second product of bytes to the first, in 16 bits.
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64 && !CORACLE_DOT_PRODUCTS
#define CORACLE_ADDS_PRODUCTS 1
#else
#define CORACLE_ADDS_PRODUCTS 0
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr auto kLanes = static_cast<int64_t>(kSumLanes);

// How the products of a group of 4 bytes of A and one of each column of B are summed.
enum class Products {
  kPlain,   // four numbers plus 128 by four of B (VNNI), four as they are (NEON), or two of 16 bits by two
  kPairs,   // four from 0 on by four, where no sum of two products exceeds 16 bits
  kFours,   // the same of two groups, where no sum of four exceeds 16 bits; four by four of NEON, where no sum of two
            // does
  kSigned,  // four by four
};

#if HWY_TARGET == HWY_NEON
// Signed bytes by signed bytes, so sums start at 0, whatever stands in front of a panel. Without SDOT the products of
// adjacent bytes, of at most 15 bits, are added to half a column's sum: any byte of A meets any byte of B. Where no
// byte of B is -128, two products fit into 16 bits.
using Packed = int8_t;
constexpr Packed kZero = 0;
constexpr bool kChoosesProducts = false;
#if CORACLE_DOT_PRODUCTS
constexpr int kTileRows = 8;
using Accumulator = Sums;
HWY_INLINE Accumulator start_of(const void* /*panel*/) { return broadcast_bits(0); }
HWY_INLINE Accumulator resumed(const void* sums) { return load_sums(sums); }
template <Products>
HWY_INLINE void multiply_add(Accumulator& sum, Sums a, Sums b) {
  sum = vdotq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
}
// Compilers otherwise copy some of the sixteen sums to other registers and back in each round: 4 instructions of 84 by
// SDOT, 8 of 53 by SMMLA.
HWY_INLINE Sums in_place(Sums sums) {
  asm("" : "+w"(sums));
  return sums;
}
#else
constexpr int kTileRows = HWY_ARCH_ARM_A64 ? 6 : 2;  // as there are registers for
struct Accumulator {
  Sums low, high;  // two halves of two columns' sums each
};
HWY_INLINE Accumulator start_of(const void* /*panel*/) { return {broadcast_bits(0), broadcast_bits(0)}; }
template <Products>
HWY_INLINE void multiply_add(Accumulator& sum, Sums a, Sums b) {
  const int8x16_t x = vreinterpretq_s8_s32(a);
  const int8x16_t y = vreinterpretq_s8_s32(b);
  sum.low = vpadalq_s16(sum.low, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
  sum.high = vpadalq_s16(sum.high, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
}
#if CORACLE_ADDS_PRODUCTS
HWY_INLINE void multiply_add_fours(Accumulator& sum, Sums a, Sums b, Sums next_a, Sums next_b) {
  const auto bytes = [](Sums s) HWY_ATTR { return vreinterpretq_s8_s32(s); };
  const int16x8_t low = vmull_s8(vget_low_s8(bytes(a)), vget_low_s8(bytes(b)));
  const int16x8_t high = vmull_high_s8(bytes(a), bytes(b));
  sum.low = vpadalq_s16(sum.low, vmlal_s8(low, vget_low_s8(bytes(next_a)), vget_low_s8(bytes(next_b))));
  sum.high = vpadalq_s16(sum.high, vmlal_high_s8(high, bytes(next_a), bytes(next_b)));
}
// Whether all bytes, of whole vectors, are more than -128.
HWY_INLINE bool products_fit_in_pairs(const char* bytes, int64_t count) {
  const auto* from = reinterpret_cast<const int8_t*>(bytes);
  int8x16_t least[] = {vdupq_n_s8(0), vdupq_n_s8(0)};
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const int8x16x4_t four = vld1q_s8_x4(from + i);
    least[0] = vminq_s8(least[0], vminq_s8(four.val[0], four.val[1]));
    least[1] = vminq_s8(least[1], vminq_s8(four.val[2], four.val[3]));
  }
  for (; i < count; i += 16) least[0] = vminq_s8(least[0], vld1q_s8(from + i));
  return vminvq_s8(vminq_s8(least[0], least[1])) > -128;
}
#endif
HWY_INLINE void store_sums(const Accumulator& sum, void* to) { store_sums(sums_of_adjacent(sum.low, sum.high), to); }
HWY_INLINE void store_floats(const Accumulator& sum, float* to) {
  store_floats(sums_of_adjacent(sum.low, sum.high), to);
}
HWY_INLINE Accumulator resumed(const void* sums) {
  const int32x4x2_t halves = vzipq_s32(load_sums(sums), broadcast_bits(0));
  return {halves.val[0], halves.val[1]};
}
#endif
#elif CORACLE_DOT_PRODUCTS
using Packed = uint8_t;
constexpr Packed kZero = 128;
constexpr int kTileRows = kLanes == 16 ? 14 : 6;
constexpr bool kChoosesProducts = false;
template <Products>
HWY_INLINE void multiply_add(Sums& sum, const Sums& a, const Sums& b) {
  add_dot_products(sum, a, b);
}
#elif CORACLE_BYTES_BY_REACH
using Packed = int8_t;
constexpr Packed kZero = 0;
constexpr int kTileRows = 6;
constexpr bool kChoosesProducts = true;
HWY_INLINE Sums sums_of_pairs(Sums pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }
template <Products kProducts>
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) {
  if constexpr (kProducts == Products::kSigned) {
    // At most 128 * 127 * 2.
    sum = add(sum, sums_of_pairs(_mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(b, a))));
  } else {
    sum = add(sum, sums_of_pairs(_mm256_maddubs_epi16(a, b)));
  }
}
HWY_INLINE void multiply_add_fours(Sums& sum, Sums a, Sums b, Sums next_a, Sums next_b) {
  sum = add(sum, sums_of_pairs(_mm256_add_epi16(_mm256_maddubs_epi16(a, b), _mm256_maddubs_epi16(next_a, next_b))));
}
#else
using Packed = int16_t;
constexpr Packed kZero = 0;
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 12;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif
constexpr bool kChoosesProducts = false;
template <Products>
HWY_INLINE void multiply_add(Sums& sum, const Sums& a, const Sums& b) {
  sum = add(sum, multiply_pairs(a, b));
}
#endif

#if HWY_TARGET != HWY_NEON
using Accumulator = Sums;
HWY_INLINE Accumulator start_of(const void* panel) { return load_sums(panel); }
HWY_INLINE Accumulator resumed(const void* sums) { return load_sums(sums); }
#endif

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
