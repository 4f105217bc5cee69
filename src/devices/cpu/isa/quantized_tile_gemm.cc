// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_tile_gemm.h"

#include "devices/cpu/isa/quantized_finish.h"
#include "matrix_tiles.h"
#include "quantized_rows.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

#if defined(__AVX512F__)
using avx512::quantized_finish;
#else
using avx2::quantized_finish;
#endif

constexpr int64_t kBlockRows = 2 * kTileSide;     // rows that are computed together
constexpr int64_t kBlockColumns = 2 * kTileSide;  // columns of a panel
constexpr int64_t kBlocks = 4;                    // of rows, that are multiplied by one panel after the other
static_assert(kBlockRows <= static_cast<int64_t>(kMostFinishedRows));

using Rows = QuantizedRows<uint8_t, 128>;

// The steps along k.
struct Steps {
  explicit Steps(int64_t depth)
      : all(quantized_tile_gemm.groups(depth)),
        count(quantized_tile_gemm.steps(depth)),
        groups(quantized_tile_gemm.step_groups(depth)) {}

  int64_t stride() const { return count * groups * 4; }
  int64_t first_group(int64_t step) const { return step + 1 < count ? step * groups : all - groups; }

  // Of a row of `all` groups, the last step's to its end.
  HWY_INLINE void move_last(uint8_t* row) const {
    const int64_t repeated = count * groups - all;
    uint8_t* const last = row + (count - 1) * groups * 4;
    memmove(last + repeated * 4, last, static_cast<size_t>(groups - repeated) * 4);
    memset(last, 0, static_cast<size_t>(repeated) * 4);
  }

  int64_t all;
  int64_t count;
  int64_t groups;
};

// Sums of a block of rows by a panel of `kColumnTiles` vectors of columns.
template <int kRowTiles, int kColumnTiles>
HWY_INLINE void multiply(MatrixTiles& tiles, const Steps& steps, const uint8_t* a, const char* panel, int32_t* sums) {
  constexpr int64_t kStep = int64_t{kColumnTiles} * 64;  // from group to group of the panel
  const int64_t stride = steps.stride();
  tiles.load<0>(panel, 0);
  if constexpr (kColumnTiles == 2) tiles.load<1>(panel + 64, 0);
  if constexpr (kRowTiles == 2) tiles.load<2>(panel, 0);
  if constexpr (kRowTiles == 2 && kColumnTiles == 2) tiles.load<3>(panel + 64, 0);
  for (int64_t s = 0; s < steps.count; ++s, a += steps.groups * 4) {
    const char* const b = panel + (1 + steps.first_group(s)) * kStep;
    tiles.load<4>(a, stride);
    tiles.load<6>(b, kStep);
    tiles.multiply_bytes<0, 4, 6>();
    if constexpr (kColumnTiles == 2) {
      tiles.load<7>(b + 64, kStep);
      tiles.multiply_bytes<1, 4, 7>();
    }
    if constexpr (kRowTiles == 2) {
      tiles.load<5>(a + kTileSide * stride, stride);
      tiles.multiply_bytes<2, 5, 6>();
      if constexpr (kColumnTiles == 2) tiles.multiply_bytes<3, 5, 7>();
    }
  }
  constexpr int64_t kRow = kBlockColumns * sizeof(int32_t);
  constexpr int64_t kBelow = kTileSide * kBlockColumns;
  tiles.store<0>(sums, kRow);
  if constexpr (kColumnTiles == 2) tiles.store<1>(sums + kTileSide, kRow);
  if constexpr (kRowTiles == 2) tiles.store<2>(sums + kBelow, kRow);
  if constexpr (kRowTiles == 2 && kColumnTiles == 2) tiles.store<3>(sums + kBelow + kTileSide, kRow);
}

void multiply_block(MatrixTiles& tiles, const Steps& steps, int64_t rows, bool two_columns, const uint8_t* a,
                    const char* panel, int32_t* sums) {
  if (rows > kTileSide) {
    two_columns ? multiply<2, 2>(tiles, steps, a, panel, sums) : multiply<2, 1>(tiles, steps, a, panel, sums);
  } else {
    two_columns ? multiply<1, 2>(tiles, steps, a, panel, sums) : multiply<1, 1>(tiles, steps, a, panel, sums);
  }
}

// `rows` rows of sums go on from channel `channel` of pixel `pixel`.
void finish_block(const QuantizedFinishing& finishing, const int32_t* sums, int64_t rows, int64_t columns,
                  int64_t pixel, int64_t channel) {
  const FloatTag d;
  HWY_ALIGN float floats[kBlockRows * kBlockColumns];
  const auto count = static_cast<size_t>(rows);
  for (size_t i = 0; i < count * kBlockColumns; i += kFloatLanes) {
    hn::Store(hn::ConvertTo(d, hn::Load(IntTag(), sums + i)), d, floats + i);
  }
  quantized_finish.finish(
      finishing, {floats, static_cast<size_t>(kBlockColumns), count, static_cast<size_t>(columns), pixel, channel});
}

void run(const QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  if (row_begin >= row_end || panel_begin >= panel_end) return;
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  const int64_t depth = call.taps * call.depth;
  const Steps steps(depth);
  const int64_t stride = steps.stride();
  const int64_t together = quantized_tile_gemm.tiles_of(depth) * kBlockRows;
  const bool moves = steps.count * steps.groups > steps.all;
  auto* const a = static_cast<uint8_t*>(call.scratch);
  // What lies behind the last number of a row, and rows that a last tile does not have, are multiplied, too.
  memset(a, 0, static_cast<size_t>(quantized_tile_gemm.scratch_bytes(depth)));
  HWY_ALIGN int32_t sums[kBlockRows * kBlockColumns] = {};
  MatrixTiles tiles(static_cast<int>(steps.groups));
  Rows from(call, row_begin);
  for (int64_t row = row_begin; row < row_end; row += together) {
    const int64_t rows = row_end - row < together ? row_end - row : together;
    from.copy_next(rows, stride, a);
    for (int64_t r = 0; r < rows && moves; ++r) steps.move_last(a + r * stride);
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * kBlockColumns;
      const int64_t columns = call.columns - first < kBlockColumns ? call.columns - first : kBlockColumns;
      const char* const panel = static_cast<const char*>(call.packed) + p * kBlockColumns * 4 * (1 + steps.all);
      for (int64_t r = 0; r < rows; r += kBlockRows) {
        const int64_t count = rows - r < kBlockRows ? rows - r : kBlockRows;
        multiply_block(tiles, steps, count, columns > kTileSide, a + r * stride, panel, sums);
        finish_block(finishing, sums, count, columns, row + r, first);
      }
    }
  }
}

}  // namespace

const QuantizedGemmFunctions quantized_tile_gemm = {
    .lanes = kTileSide,
    .element_bytes = 1,
    .tile_rows = kBlockRows,
    .tiles = kBlocks,
    .most_bytes = 64 * 1024,
    .dot_products = true,
    .step = kTileSide,
    .run = run,
};

}  // namespace coracle::internal::cpu::CORACLE_ISA
