// SPDX-License-Identifier: Apache-2.0
//
// Products of a tile of rows of A with a panel of B by SMMLA: of two rows by two columns, each in groups of 8 bytes.
// Included only by quantized_blocks.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "quantized_rows.h"
#include "quantized_tile.h"

#if CORACLE_MATRIX_PRODUCTS
namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Rows that are multiplied where a tile has `rows`; their groups lie one behind the other, and then the next ones.
HWY_INLINE int64_t interleaved_rows(int64_t rows) {
  return rows <= 2 ? 2 : rows <= kTileRows / 2 ? kTileRows / 2 : kTileRows;
}

// Groups of a row as they are, kSpacing bytes apart.
template <int64_t kSpacing>
HWY_INLINE void spread_groups(const int8_t* HWY_RESTRICT from, int64_t count, int8_t* HWY_RESTRICT to) {
  constexpr int64_t kAtOnce = 8;
  int64_t left = count;
  for (; left >= kAtOnce * kPerGroup; left -= kAtOnce * kPerGroup) {
    uint64_t groups[kAtOnce];
    memcpy(groups, from, sizeof(groups));
    for (int64_t i = 0; i < kAtOnce; ++i) memcpy(to + i * kSpacing, groups + i, kPerGroup);
    from += kAtOnce * kPerGroup;
    to += kAtOnce * kSpacing;
  }
  for (; left >= kPerGroup; left -= kPerGroup, from += kPerGroup, to += kSpacing) memcpy(to, from, kPerGroup);
  for (int64_t i = 0; i < left; ++i) to[i] = from[i];
}

// Rows of A, tile by tile, copied to scratch memory a block at a time.
class PairedRows {
 public:
  PairedRows(const QuantizedGemmCall& call, int64_t stride, int64_t block_rows, int64_t row_begin)
      : call_(call),
        rows_(call, row_begin),
        stride_(stride),
        scratch_(static_cast<int8_t*>(call.scratch)),
        line_(scratch_ + quantized_gemm.copied_bytes(stride, block_rows)) {}

  // From here on to row `end` at most.
  HWY_INLINE void start_block(int64_t row, int64_t end) {
    block_ = row;
    end_ = end;
    for (; row < end; row += kTileRows) {
      const RowTile tile = tile_at(row);
      switch (interleaved_rows(tile.rows)) {
        case 2: copy_rows<2>(row, tile); break;
        case kTileRows / 2: copy_rows<kTileRows / 2>(row, tile); break;
        default: copy_rows<kTileRows>(row, tile);
      }
    }
  }

  HWY_INLINE RowTile tile_at(int64_t row) const {
    return {.a = scratch_ + (row - block_) * stride_, .rows = std::min<int64_t>(end_ - row, kTileRows)};
  }

  int64_t stride() const { return stride_; }

 private:
  template <int64_t kRows>
  HWY_INLINE void copy_rows(int64_t row, const RowTile& tile) {
    const int8_t* from = call_.a + row * call_.a_stride;
    for (int64_t r = 0; r < tile.rows; ++r) {
      if (call_.image != nullptr) {
        rows_.copy_next(1, stride_, line_);
        spread_groups<kRows * kPerGroup>(line_, call_.taps * call_.depth, tile.a + r * kPerGroup);
      } else {
        spread_groups<kRows * kPerGroup>(from + r * call_.a_stride, call_.depth, tile.a + r * kPerGroup);
      }
    }
  }

  const QuantizedGemmCall& call_;
  QuantizedRows<Packed, kZero> rows_;
  int64_t stride_;
  Packed* scratch_;
  Packed* line_;  // a row of an image
  int64_t block_ = 0;
  int64_t end_ = 0;
};

// Sums of two rows by two columns each: first those of the first row.
template <int kVectors>
struct PairSums {
  static constexpr int kColumnPairs = 2 * kVectors;
  Sums of[kColumnPairs];

  static HWY_INLINE PairSums zeros() {
    PairSums sums;
    for (Sums& s : sums.of) s = broadcast_bits(0);
    return sums;
  }
  template <class Columns>
  HWY_INLINE void add(int8x16_t rows, const Columns& columns) {
    of[0] = in_place(vmmlaq_s32(of[0], rows, columns.val[0]));
    of[1] = in_place(vmmlaq_s32(of[1], rows, columns.val[1]));
    if constexpr (kVectors == 2) {
      of[2] = in_place(vmmlaq_s32(of[2], rows, columns.val[2]));
      of[3] = in_place(vmmlaq_s32(of[3], rows, columns.val[3]));
    }
  }
  HWY_INLINE void store(float* to) const {
    for (int v = 0; v < kVectors; ++v) {
      const int64x2_t left = vreinterpretq_s64_s32(of[2 * v]);
      const int64x2_t right = vreinterpretq_s64_s32(of[2 * v + 1]);
      store_floats(vreinterpretq_s32_s64(vzip1q_s64(left, right)), to + v * kLanes);
      store_floats(vreinterpretq_s32_s64(vzip2q_s64(left, right)), to + (kVectors + v) * kLanes);
    }
  }
};

// kCount vectors of bytes that lie one behind the other, loaded by one instruction.
template <size_t kCount>
HWY_INLINE auto load_adjacent(const int8_t* from) {
  struct One {
    int8x16_t val[1];
  };
  static_assert(kCount == 4 || kCount <= 2);
  if constexpr (kCount == 4) return vld1q_s8_x4(from);
  if constexpr (kCount == 2) return vld1q_s8_x2(from);
  if constexpr (kCount == 1) return One{{vld1q_s8(from)}};
}

template <int kVectors, size_t... kPair>
HWY_INLINE void multiply_row_pairs(const TileCall& call, std::index_sequence<kPair...> /*pairs of rows*/) {
  constexpr int64_t kRowStep = 2 * sizeof...(kPair) * kPerGroup;
  constexpr int64_t kColumnStep = kVectors * kLanes * kPerGroup;
  using Pair = PairSums<kVectors>;
  Pair sums[sizeof...(kPair)];
  ((sums[kPair] = Pair::zeros()), ...);
  const Packed* a = call.a;
  const auto* b = reinterpret_cast<const int8_t*>(call.panel + kVectors * sizeof(Sums));
  for (int64_t left = call.groups / 2; left > 0; --left) {
    const auto y = load_adjacent<Pair::kColumnPairs>(b);
    const auto x = load_adjacent<sizeof...(kPair)>(a);
    (sums[kPair].add(x.val[kPair], y), ...);
    a = opaque(a + kRowStep);
    b = opaque(b + kColumnStep);
    const auto next_y = load_adjacent<Pair::kColumnPairs>(b);
    const auto next_x = load_adjacent<sizeof...(kPair)>(a);
    (sums[kPair].add(next_x.val[kPair], next_y), ...);
    a = opaque(a + kRowStep);
    b = opaque(b + kColumnStep);
  }
  if (call.groups % 2 != 0) {
    const auto y = load_adjacent<Pair::kColumnPairs>(b);
    const auto x = load_adjacent<sizeof...(kPair)>(a);
    (sums[kPair].add(x.val[kPair], y), ...);
  }
  (sums[kPair].store(call.tile + kPair * 2 * kVectors * kLanes), ...);
}

template <int kVectors, int kRows>
void multiply_interleaved(const TileCall& call) {
  multiply_row_pairs<kVectors>(call, std::make_index_sequence<kRows / 2>());
}

template <int kVectors>
void multiply_interleaved(int64_t rows, const TileCall& call) {
  switch (interleaved_rows(rows)) {
    case 2: return multiply_interleaved<kVectors, 2>(call);
    case kTileRows / 2: return multiply_interleaved<kVectors, kTileRows / 2>(call);
    default: return multiply_interleaved<kVectors, kTileRows>(call);
  }
}

template <TileUse kUse>
void multiply_tile(Products /*products*/, int64_t vectors, int64_t rows, const TileCall& call) {
  static_assert(kUse == TileUse::kRows, "images are copied, and panels multiplied as a whole");
  if (vectors == 2) return multiply_interleaved<2>(rows, call);
  multiply_interleaved<1>(rows, call);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
#endif
