// SPDX-License-Identifier: Apache-2.0
//
// Products of a tile of rows of A with a panel of B (quantized_gemm.h). Included only by quantized_gemm.cc.
#pragma once

#include <utility>

#include "devices/cpu/isa/quantized_finish.h"
#include "devices/cpu/isa/quantized_gemm.h"
#include "quantized_accumulator.h"

// CORACLE_ROW_QUADS: SDOT takes the groups of four rows from one vector (quantized_quads.h).
#if HWY_TARGET == HWY_NEON && CORACLE_DOT_PRODUCTS && !CORACLE_MATRIX_PRODUCTS
#define CORACLE_ROW_QUADS 1
#else
#define CORACLE_ROW_QUADS 0
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr int64_t kGroupBytes = CORACLE_MATRIX_PRODUCTS ? 8 : 4;
constexpr int64_t kPerGroup = kGroupBytes / static_cast<int64_t>(sizeof(Packed));

constexpr int64_t kBeyond = 31;  // bytes that may be read, and written, behind a tile

// Of panels of bytes of B, with so many groups of 4 bytes in each column: they lie behind all of them.
HWY_INLINE const QuantizedReach* reaches_of(const QuantizedGemmCall& call, int64_t groups) {
  const int64_t stored = (call.columns + kLanes - 1) / kLanes * kLanes;
  return reinterpret_cast<const QuantizedReach*>(static_cast<const char*>(call.packed) + stored * 4 * (1 + groups));
}

#if HWY_TARGET == HWY_NEON
// Compilers count up addresses one by one where they see that the same is added to all.
template <class T>
HWY_INLINE const T* opaque(const T* row) {
  asm("" : "+r"(row));
  return row;
}
#endif

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
#if CORACLE_BYTES_BY_REACH
  template <int kVectors>
  HWY_INLINE void add_two_groups(const Packed* a, Sums first_column, Sums second_column, Sums next_first,
                                 Sums next_second) {
    const Sums x = broadcast_group(a);
    const Sums next = broadcast_group(a + kPerGroup);
    multiply_add_fours(first, x, first_column, next, next_first);
    if constexpr (kVectors == 2) multiply_add_fours(second, x, second_column, next, next_second);
  }
#endif
#if CORACLE_ADDS_PRODUCTS
  template <int kVectors>
  HWY_INLINE void add_two_groups(int32x4x2_t a, Sums first_column, Sums second_column, Sums next_first,
                                 Sums next_second) {
    multiply_add_fours(first, a.val[0], first_column, a.val[1], next_first);
    if constexpr (kVectors == 2) multiply_add_fours(second, a.val[0], second_column, a.val[1], next_second);
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

#if CORACLE_ADDS_PRODUCTS
// The next two vectors.
HWY_INLINE void load_pair(const char*& from, Sums& first, Sums& second) {
  const auto& both = *reinterpret_cast<const char(*)[2 * sizeof(Sums)]>(from);
  asm("ldp %q0, %q1, [%2], #32" : "=w"(first), "=w"(second), "+r"(from) : "m"(both));
}

// A vector of each of the next two groups.
HWY_INLINE int32x4x2_t next_two(const int32_t*& from) {
#if defined(__clang__)
  const int32x4x2_t both = vld2q_dup_s32(from);
  from += 2;
#else
  // GCC counts up the address by an instruction of its own.
  int32x4x2_t both;
  const auto& groups = *reinterpret_cast<const int32_t(*)[2]>(from);
  asm("ld2r {%S0.4s, %T0.4s}, [%1], #8" : "=w"(both), "+r"(from) : "m"(groups));
#endif
  return both;
}

// Products of groups as long as there are two of them: of how many.
template <int kVectors, size_t... kRow>
HWY_INLINE int64_t multiply_twos(RowSums (&sums)[sizeof...(kRow)], int64_t stride, int64_t groups,
                                 const Packed* HWY_RESTRICT a, const char* b, std::index_sequence<kRow...> /*rows*/) {
  const int32_t* row[] = {reinterpret_cast<const int32_t*>(a + static_cast<int64_t>(kRow) * stride)...};
  for (int64_t left = groups / 2; left > 0; --left) {
    Sums first;
    Sums second;
    Sums next_first;
    Sums next_second;
    if constexpr (kVectors == 2) {
      load_pair(b, first, second);
      load_pair(b, next_first, next_second);
    } else {
      load_pair(b, first, next_first);
      second = first;
      next_second = next_first;
    }
    (sums[kRow].template add_two_groups<kVectors>(next_two(row[kRow]), first, second, next_first, next_second), ...);
  }
  return groups / 2 * 2;
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
#if CORACLE_ADDS_PRODUCTS
    if constexpr (kProducts == Products::kFours) {
      const int64_t done = multiply_twos<kVectors>(sums, stride, left, a, b, std::index_sequence<kRow...>());
      left -= done;
      a += done * kPerGroup;
      b += done * static_cast<int64_t>(kStep);
    }
#elif CORACLE_BYTES_BY_REACH
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

#if !CORACLE_ROW_QUADS
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

#if !CORACLE_MATRIX_PRODUCTS && !CORACLE_ROW_QUADS
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
