// SPDX-License-Identifier: Apache-2.0
//
// Products of a tile of rows of A with a panel of B by SDOT, whose operand for the rows has a group of four of them.
// Included only by quantized_blocks.h.
#pragma once

#include <algorithm>
#include <cstring>

#include "quantized_rows.h"
#include "quantized_tile.h"

#if CORACLE_ROW_QUADS
namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr int64_t kQuadRows = 4;
constexpr int64_t kQuadChunk = 16;  // numbers of each row that are copied at once

// Rows of A, tile by tile, copied to scratch memory a block at a time: a single row as it is, others as one or two
// quads, [group][row of the quad][number]. Rows of a quad that a tile does not have are multiplied, too.
class QuadRows {
 public:
  QuadRows(const QuantizedGemmCall& call, int64_t stride, int64_t block_rows, int64_t row_begin)
      : call_(call),
        rows_(call, row_begin),
        stride_(stride),
        whole_((stride + kQuadChunk - 1) / kQuadChunk * kQuadChunk),
        by_lines_(call.image != nullptr || call.depth % kQuadChunk != 0),
        scratch_(static_cast<int8_t*>(call.scratch)),
        lines_(scratch_ + quantized_gemm.copied_bytes(stride, block_rows) + kQuadChunk * kQuadRows) {
    if (by_lines_) memset(lines_, 0, static_cast<size_t>(kQuadRows * whole_));
  }

  // From here on to row `end` at most.
  HWY_INLINE void start_block(int64_t row, int64_t end) {
    block_ = row;
    end_ = end;
    int8_t* to = scratch_;
    for (; row < end; row += kTileRows) {
      const int64_t rows = std::min<int64_t>(end - row, kTileRows);
      if (rows == 1) {
        copy_row(row, to);
        return;
      }
      for (int64_t r = 0; r < rows; r += kQuadRows, to += kQuadRows * stride_) {
        copy_quad(row + r, std::min(rows - r, kQuadRows), to);
      }
    }
  }

  HWY_INLINE RowTile tile_at(int64_t row) const {
    return {.a = scratch_ + (row - block_) * stride_, .rows = std::min<int64_t>(end_ - row, kTileRows)};
  }

  int64_t stride() const { return stride_; }

 private:
  HWY_INLINE void copy_row(int64_t row, int8_t* to) {
    if (by_lines_) return rows_.copy_next(1, stride_, to);
    memcpy(to, call_.a + row * call_.a_stride, static_cast<size_t>(call_.depth));
  }

  // Writes whole chunks, the last of which may reach beyond the quad.
  HWY_INLINE void copy_quad(int64_t row, int64_t rows, int8_t* to) {
    const int8_t* from[kQuadRows];
    if (by_lines_) {
      for (int64_t r = 0; r < rows; ++r) rows_.copy_next(1, whole_, lines_ + r * whole_);
      for (int64_t r = 0; r < kQuadRows; ++r) from[r] = lines_ + r * whole_;
    } else {
      for (int64_t r = 0; r < kQuadRows; ++r) from[r] = call_.a + (row + (r < rows ? r : 0)) * call_.a_stride;
    }
    for (int64_t k = 0; k < whole_; k += kQuadChunk, to += kQuadRows * kQuadChunk) {
      const auto load = [&](int64_t r) HWY_ATTR { return load_sums(from[r] + k); };
      vst4q_s32(reinterpret_cast<int32_t*>(to), (int32x4x4_t{{load(0), load(1), load(2), load(3)}}));
    }
  }

  const QuantizedGemmCall& call_;
  QuantizedRows<Packed, kZero> rows_;
  int64_t stride_;
  int64_t whole_;  // stride_ in whole chunks
  bool by_lines_;  // whether rows of a quad are copied one by one first
  Packed* scratch_;
  Packed* lines_;
  int64_t block_ = 0;
  int64_t end_ = 0;
};

// Groups of a quad's rows with a vector or two of columns.
template <int kVectors>
HWY_INLINE void add_quad(RowSums* sums, int8x16_t rows, int8x16_t first, int8x16_t second) {
  const auto add = [&]<int kRow>() HWY_ATTR {
    sums[kRow].first = in_place(vdotq_laneq_s32(sums[kRow].first, first, rows, kRow));
    if constexpr (kVectors == 2) {
      sums[kRow].second = in_place(vdotq_laneq_s32(sums[kRow].second, second, rows, kRow));
    }
  };
  add.template operator()<0>();
  add.template operator()<1>();
  add.template operator()<2>();
  add.template operator()<3>();
}

template <int kVectors, int kQuads>
void multiply_quads(const TileCall& call) {
  constexpr int64_t kColumnStep = kVectors * sizeof(Sums);
  constexpr int64_t kRowStep = kQuadRows * kPerGroup;
  constexpr int64_t kAtOnce = 4;  // groups
  const Packed* a = call.a;
  const Packed* second = call.a + kQuadRows * call.stride;
  const auto* b = reinterpret_cast<const int8_t*>(call.panel) + kColumnStep;
  RowSums sums[kQuads * kQuadRows];
  for (RowSums& of_row : sums) of_row = {broadcast_bits(0), broadcast_bits(0)};
  for (int64_t left = call.groups / kAtOnce; left > 0; --left) {
    const int8x16x4_t x = vld1q_s8_x4(a);
    a += kAtOnce * kRowStep;
    int8x16x4_t y = x;
    if constexpr (kQuads == 2) {
      y = vld1q_s8_x4(second);
      second += kAtOnce * kRowStep;
    }
    const auto add_all = [&]<int kGroup>(int8x16_t first_column, int8x16_t second_column) HWY_ATTR {
      add_quad<kVectors>(sums, x.val[kGroup], first_column, second_column);
      if constexpr (kQuads == 2) add_quad<kVectors>(sums + kQuadRows, y.val[kGroup], first_column, second_column);
    };
    const int8x16x4_t columns = vld1q_s8_x4(b);
    b = opaque(b + sizeof(columns));
    if constexpr (kVectors == 2) {
      const int8x16x4_t next = vld1q_s8_x4(b);
      b = opaque(b + sizeof(next));
      add_all.template operator()<0>(columns.val[0], columns.val[1]);
      add_all.template operator()<1>(columns.val[2], columns.val[3]);
      add_all.template operator()<2>(next.val[0], next.val[1]);
      add_all.template operator()<3>(next.val[2], next.val[3]);
    } else {
      add_all.template operator()<0>(columns.val[0], columns.val[0]);
      add_all.template operator()<1>(columns.val[1], columns.val[1]);
      add_all.template operator()<2>(columns.val[2], columns.val[2]);
      add_all.template operator()<3>(columns.val[3], columns.val[3]);
    }
  }
  for (int64_t left = call.groups % kAtOnce; left > 0; --left, a += kRowStep, second += kRowStep, b += kColumnStep) {
    const int8x16_t first_column = vld1q_s8(b);
    const int8x16_t second_column = vld1q_s8(b + kColumnStep - static_cast<int64_t>(sizeof(Sums)));
    add_quad<kVectors>(sums, vld1q_s8(a), first_column, second_column);
    if constexpr (kQuads == 2) add_quad<kVectors>(sums + kQuadRows, vld1q_s8(second), first_column, second_column);
  }
  float* to = call.tile;
  CORACLE_UNROLL for (int r = 0; r < kQuads * kQuadRows; ++r) sums[r].template store<kVectors>(to +
                                                                                               r * kVectors * kLanes);
}

template <int kVectors>
void multiply_quads_or_row(int64_t rows, const TileCall& call) {
  if (rows == 1) return multiply_rows_of<Products::kPlain, kVectors, TileUse::kRows, 1>(call);
  if (rows <= kQuadRows) return multiply_quads<kVectors, 1>(call);
  multiply_quads<kVectors, 2>(call);
}

template <TileUse kUse>
void multiply_tile(Products /*products*/, int64_t vectors, int64_t rows, const TileCall& call) {
  static_assert(kUse == TileUse::kRows, "images are copied, and panels multiplied as a whole");
  if (vectors == 2) return multiply_quads_or_row<2>(rows, call);
  multiply_quads_or_row<1>(rows, call);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
#endif
