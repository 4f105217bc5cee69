// SPDX-License-Identifier: Apache-2.0
//
// Products of a tile of rows of A with a panel of B (quantized_gemm.h). Included only by quantized_gemm.cc.
#pragma once

#include <utility>

#include "devices/cpu/isa/quantized_finish.h"
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

constexpr int64_t kGroupBytes = CORACLE_MATRIX_PRODUCTS ? 8 : 4;
constexpr int64_t kPerGroup = kGroupBytes / static_cast<int64_t>(sizeof(Packed));

constexpr int64_t kBeyond = 31;  // bytes that may be read, and written, behind a tile

// Of panels of bytes of B, with so many groups of 4 bytes in each column: they lie behind all of them.
HWY_INLINE const QuantizedReach* reaches_of(const QuantizedGemmCall& call, int64_t groups) {
  const int64_t stored = (call.columns + kLanes - 1) / kLanes * kLanes;
  return reinterpret_cast<const QuantizedReach*>(static_cast<const char*>(call.packed) + stored * 4 * (1 + groups));
}

#if !CORACLE_MATRIX_PRODUCTS  // quantized_pairs.h
// One row's sums of one or two vectors.
struct RowSums {
  Accumulator first;
  Accumulator second;

  template <Products kProducts, int kVectors>
  HWY_INLINE void add_group(const Packed* a, const Sums& first_column, const Sums& second_column) {
    const Sums x = broadcast_group(a);
    multiply_add<kProducts>(first, x, first_column);
    if constexpr (kVectors == 2) multiply_add<kProducts>(second, x, second_column);
  }
#if HWY_TARGET == HWY_NEON && CORACLE_DOT_PRODUCTS
  // A group of four that were loaded at once.
  template <int kVectors, int kGroup>
  HWY_INLINE void add_group_of(int8x16_t a, const Sums& first_column, const Sums& second_column) {
    first = in_place(vdotq_laneq_s32(first, vreinterpretq_s8_s32(first_column), a, kGroup));
    if constexpr (kVectors == 2) {
      second = in_place(vdotq_laneq_s32(second, vreinterpretq_s8_s32(second_column), a, kGroup));
    }
  }
#endif
#if CORACLE_BYTES_BY_REACH || CORACLE_ADDS_PRODUCTS
  template <int kVectors>
  HWY_INLINE void add_two_groups(const Packed* a, Sums first_column, Sums second_column, Sums next_first,
                                 Sums next_second) {
#if CORACLE_ADDS_PRODUCTS
    const int32x4x2_t both = vld2q_dup_s32(reinterpret_cast<const int32_t*>(a));
    const Sums x = both.val[0];
    const Sums next = both.val[1];
#else
    const Sums x = broadcast_group(a);
    const Sums next = broadcast_group(a + kPerGroup);
#endif
    multiply_add_fours(first, x, first_column, next, next_first);
    if constexpr (kVectors == 2) multiply_add_fours(second, x, second_column, next, next_second);
  }
#endif
  template <int kVectors>
  HWY_INLINE void store(float* to) const {
    store_floats(first, to);
    if constexpr (kVectors == 2) store_floats(second, to + kLanes);
  }
  template <int kVectors>
  HWY_INLINE void store(char* to) const {
    store_sums(first, to);
    if constexpr (kVectors == 2) store_sums(second, to + sizeof(Sums));
  }
};

#endif

// How much of TileCall is used. What is not is worth a tenth of the time of short rows.
enum class TileUse {
  kRows,    // one tap, at the row's first number
  kTaps,    // taps
  kSlices,  // taps, first and part
};

// A tile of A and what it is multiplied with.
struct TileCall {
  const Packed* a = nullptr;
  int64_t stride = 0;  // from row to row
  int64_t groups = 0;  // of each tap
  int64_t taps = 1;
  const int32_t* tap = nullptr;  // from a row's first number to that of each tap
  const char* panel = nullptr;
  int32_t added = 0;            // to the numbers of A, if the products are chosen
  const char* start = nullptr;  // of each row's sums; null: the same for all, what the panel begins with
  float* tile = nullptr;
  int64_t first = 0;     // group of the panel
  char* part = nullptr;  // instead of tile: integers that other groups are still added to, as start has them
};

#if !CORACLE_MATRIX_PRODUCTS
#if HWY_TARGET == HWY_NEON && CORACLE_DOT_PRODUCTS
// Compilers count up addresses one by one where they see that the same is added to all.
HWY_INLINE const Packed* opaque(const Packed* row) {
  asm("" : "+r"(row));
  return row;
}

// A function, as clang's vld1q_s8 is a macro that hides a pack of numbers.
HWY_INLINE int8x16_t four_groups(const Packed* groups) { return vld1q_s8(groups); }

// Products of groups as long as there are four of them: of how many.
template <int kVectors, size_t... kRow>
HWY_INLINE int64_t multiply_fours(RowSums (&sums)[sizeof...(kRow)], int64_t stride, int64_t groups,
                                  const Packed* HWY_RESTRICT a, const char* HWY_RESTRICT b,
                                  std::index_sequence<kRow...> /*rows*/) {
  constexpr size_t kSecond = (kVectors - 1) * sizeof(Sums);
  constexpr size_t kStep = kVectors * sizeof(Sums);
  const Packed* row[] = {opaque(a + static_cast<int64_t>(kRow) * stride)...};
  int64_t done = 0;
  for (; done + 4 <= groups; done += 4, b += 4 * kStep) {
    const int8x16_t x[] = {four_groups(row[kRow] + done * kPerGroup)...};
    const auto add = [&]<int kGroup>() HWY_ATTR {
      const Sums first = load_sums(b + kGroup * kStep);
      const Sums second = load_sums(b + kGroup * kStep + kSecond);
      (sums[kRow].template add_group_of<kVectors, kGroup>(x[kRow], first, second), ...);
    };
    add.template operator()<0>();
    add.template operator()<1>();
    add.template operator()<2>();
    add.template operator()<3>();
  }
  return done;
}
#endif

// Sums of rows of groups with one panel. The rows are unrolled by their numbers, as sums in an array that a loop goes
// through would stay in memory.
template <Products kProducts, int kVectors, TileUse kUse, size_t... kRow>
HWY_INLINE void multiply(const TileCall& call, std::index_sequence<kRow...> /*rows*/) {
  constexpr size_t kVectorBytes = sizeof(Sums);
  constexpr size_t kSecond = (kVectors - 1) * kVectorBytes;
  constexpr size_t kStep = kVectors * kVectorBytes;
  const int64_t stride = call.stride;
  RowSums sums[sizeof...(kRow)];
  if ((CORACLE_BYTES_BY_REACH || kUse == TileUse::kSlices) && call.start != nullptr) {
    ((sums[kRow] = {resumed(call.start + static_cast<int64_t>(kRow * kStep)),
                    resumed(call.start + static_cast<int64_t>(kRow * kStep + kSecond))}),
     ...);
  } else {
    RowSums initial = {start_of(call.panel), start_of(call.panel + kSecond)};
#if CORACLE_BYTES_BY_REACH
    initial = {times_added(initial.first, call.added), times_added(initial.second, call.added)};
#endif
    ((sums[kRow] = initial), ...);
  }
  constexpr size_t kAhead = 4096;
  const int64_t first_group = kUse == TileUse::kSlices ? call.first : 0;
  const int64_t taps = kUse == TileUse::kRows ? 1 : call.taps;
  const char* HWY_RESTRICT b = call.panel + (1 + first_group) * static_cast<int64_t>(kStep);
  for (int64_t t = 0; t < taps; ++t) {
    const Packed* HWY_RESTRICT a = kUse == TileUse::kRows ? call.a : call.a + call.tap[t];
    int64_t left = call.groups;
#if CORACLE_BYTES_BY_REACH || CORACLE_ADDS_PRODUCTS
    if constexpr (kProducts == Products::kFours) {
      for (; left >= 2; left -= 2, b += 2 * kStep, a += 2 * kPerGroup) {
        const Sums first = load_sums(b);
        const Sums second = load_sums(b + kSecond);
        const Sums next_first = load_sums(b + kStep);
        const Sums next_second = load_sums(b + kStep + kSecond);
        (sums[kRow].template add_two_groups<kVectors>(a + static_cast<int64_t>(kRow) * stride, first, second,
                                                      next_first, next_second),
         ...);
      }
    }
#endif
#if HWY_TARGET == HWY_NEON && CORACLE_DOT_PRODUCTS
    const int64_t done = multiply_fours<kVectors>(sums, stride, left, a, b, std::index_sequence<kRow...>());
    left -= done;
    a += done * kPerGroup;
    b += done * static_cast<int64_t>(kStep);
#endif
    for (; left > 0; --left, b += kStep, a += kPerGroup) {
      if constexpr (kLanes == 16) {
        for (size_t line = 0; line < kStep; line += 64) __builtin_prefetch(b + kAhead + line);
      }
      const Sums first = load_sums(b);
      const Sums second = load_sums(b + kSecond);
      (sums[kRow].template add_group<kProducts, kVectors>(a + static_cast<int64_t>(kRow) * stride, first, second), ...);
    }
  }
  if (kUse == TileUse::kSlices && call.part != nullptr) {
    (sums[kRow].template store<kVectors>(call.part + kRow * kStep), ...);
  } else {
    (sums[kRow].template store<kVectors>(call.tile + kRow * kVectors * kSumLanes), ...);
  }
}

template <Products kProducts, int kVectors, TileUse kUse, int kRows>
void multiply_rows_of(const TileCall& call) {
  multiply<kProducts, kVectors, kUse>(call, std::make_index_sequence<kRows>());
}

template <Products kProducts, int kVectors, TileUse kUse>
void multiply_rows(int64_t rows, const TileCall& call) {
  if (rows == 1) return multiply_rows_of<kProducts, kVectors, kUse, 1>(call);
  if (rows <= kTileRows / 2) return multiply_rows_of<kProducts, kVectors, kUse, kTileRows / 2>(call);
  multiply_rows_of<kProducts, kVectors, kUse, kTileRows>(call);
}

template <Products kProducts, TileUse kUse>
void multiply_vectors(int64_t vectors, int64_t rows, const TileCall& call) {
  if (vectors == 2) {
    multiply_rows<kProducts, 2, kUse>(rows, call);
  } else {
    multiply_rows<kProducts, 1, kUse>(rows, call);
  }
}
#endif

// Rows of A that are multiplied together.
struct RowTile {
  Packed* a = nullptr;
  int64_t rows = 0;
  Extent extent = {};  // if the products are chosen
  int32_t added = 0;   // the same: what makes the least of them 0
  bool clipped = false;
};

HWY_INLINE Products products_for(const RowTile& tile, int32_t least_reach, const QuantizedReach& reach) {
  if constexpr (!kChoosesProducts) return Products::kPlain;
  if (tile.extent.reach() > least_reach) return Products::kSigned;
  return tile.extent.reach() <= reach.fours ? Products::kFours : Products::kPairs;
}

#if !CORACLE_MATRIX_PRODUCTS
template <TileUse kUse>
void multiply_tile(Products products, int64_t vectors, int64_t rows, const TileCall& call) {
  if constexpr (kChoosesProducts) {
    switch (products) {
      case Products::kSigned: return multiply_vectors<Products::kSigned, kUse>(vectors, rows, call);
      case Products::kFours: return multiply_vectors<Products::kFours, kUse>(vectors, rows, call);
      default: return multiply_vectors<Products::kPairs, kUse>(vectors, rows, call);
    }
  }
  if constexpr (CORACLE_ADDS_PRODUCTS) {
    if (products == Products::kFours) return multiply_vectors<Products::kFours, kUse>(vectors, rows, call);
  }
  multiply_vectors<Products::kPlain, kUse>(vectors, rows, call);
}
#endif

constexpr int64_t kTiles = static_cast<int64_t>(kMostFinishedRows) / kTileRows;

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
