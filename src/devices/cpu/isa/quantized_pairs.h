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

  template <size_t... kPair>
  HWY_INLINE void add(int8x16_t rows, const int8x16_t (&columns)[kColumnPairs],
                      std::index_sequence<kPair...> /*pairs*/) {
    ((of[kPair] = in_place(vmmlaq_s32(of[kPair], rows, columns[kPair]))), ...);
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

template <int kVectors, size_t... kPair>
HWY_INLINE void multiply_row_pairs(const TileCall& call, std::index_sequence<kPair...> /*pairs of rows*/) {
  constexpr int64_t kRowStep = 2 * sizeof...(kPair) * kPerGroup;
  constexpr int64_t kColumnStep = kVectors * kLanes * kPerGroup;
  constexpr int64_t kPairBytes = 2 * kPerGroup;
  using Pair = PairSums<kVectors>;
  const auto load = [](const void* p) HWY_ATTR { return vld1q_s8(static_cast<const int8_t*>(p)); };
  Pair sums[sizeof...(kPair)] = {};
  const Packed* HWY_RESTRICT a = call.a;
  const char* HWY_RESTRICT b = call.panel + kVectors * sizeof(Sums);
  const auto add_group = [&]<size_t... kColumns>(std::index_sequence<kColumns...> columns) HWY_ATTR {
    const int8x16_t y[] = {load(b + kColumns * kPairBytes)...};
    const int8x16_t x[] = {load(a + kPair * kPairBytes)...};
    (sums[kPair].add(x[kPair], y, columns), ...);
    a += kRowStep;
    b += kColumnStep;
  };
  constexpr std::make_index_sequence<Pair::kColumnPairs> kColumns;
  int64_t left = call.groups;
  for (; left >= 2; left -= 2) {
    add_group(kColumns);
    add_group(kColumns);
  }
  if (left > 0) add_group(kColumns);
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
