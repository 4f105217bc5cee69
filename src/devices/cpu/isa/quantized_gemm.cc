// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_gemm.h"

#include "devices/cpu/isa/quantized_finish.h"
#include "quantized_blocks.h"
#include "quantized_padded.h"
#include "quantized_rows.h"
#include "quantized_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

#if CORACLE_BYTES_BY_REACH
using Rows = QuantizedRows<Packed, kZero>;
constexpr int32_t kOnlyTap = 0;

// The numbers of a tile, `stride` in each row, become what is multiplied: what lies between them and the least, if that
// is within reach for all or with few exceptions.
HWY_INLINE void choose_products(RowTile& t, int64_t stride, int32_t reach, int64_t panels,
                                Outliers<kTileRows>& outliers) {
  constexpr int64_t kFewest = 3;  // panels for which clipping pays
  constexpr int64_t kShortest = 128;
  const int64_t count = t.rows * stride;
  t.extent = extent_of(t.a, count);
  if (t.extent.reach() <= reach) {
    if (t.extent.least >= 0) return;
    t.added = -t.extent.least;
    return add_to_all(t.a, count, t.added);
  }
  if (panels < kFewest || stride < kShortest) return;
  const BestWindow best = best_window(t.a, count, t.extent, reach);
  const int64_t most = count / 12;  // then their products take as long as is saved
  if (best.outside > (most < kMostOutliers ? most : kMostOutliers)) return;
  outliers.clip(t.a, stride, t.rows, best.window);
  t.extent = best.window;
  t.added = -best.window.least;
  t.clipped = true;
}

void run(const QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  if (call.padded != nullptr) return run_padded(call, row_begin, row_end, panel_begin, panel_end);
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  const int64_t depth = call.taps * call.depth;
  const int64_t groups = (depth + kPerGroup - 1) / kPerGroup;
  const int64_t stride = groups * kPerGroup;
  HWY_ALIGN float sums[kTiles * kTileRows * 2 * kLanes];
  const int64_t panel_bytes = 2 * kLanes * 4 * (1 + groups);
  const QuantizedReach* const reaches = reaches_of(call, groups);
  int32_t reach = 255;
  for (int64_t p = panel_begin; p < panel_end; ++p) reach = reaches[p].pairs < reach ? reaches[p].pairs : reach;
  // What is behind a row, and the rows that a last tile does not have, count nothing; but they are multiplied.
  const int64_t tiles = quantized_gemm.tiles_of(depth);
  auto* const a = static_cast<Packed*>(call.scratch);
  const auto scratch_bytes = static_cast<size_t>(tiles * kTileRows * stride) * sizeof(Packed) + kBeyond;
  memset(a, 0, scratch_bytes);
  Rows from(call, row_begin);
  RowTile tile[kTiles];
  Outliers<kTileRows> outliers[kTiles];
  HWY_ALIGN char starts[kTileRows * 2 * sizeof(Sums)];
  for (int64_t row = row_begin; row < row_end;) {
    int64_t rows = 0;
    int64_t count = 0;
    bool changed = false;
    for (; count < tiles && row + rows < row_end; ++count) {
      RowTile& t = tile[count];
      t = {.a = a + rows * stride, .rows = row_end - row - rows < kTileRows ? row_end - row - rows : kTileRows};
      from.copy_next(t.rows, stride, t.a);
      choose_products(t, stride, reach, panel_end - panel_begin, outliers[count]);
      changed = changed || t.added != 0;
      rows += t.rows;
    }
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * 2 * kLanes;
      const int64_t columns = call.columns - first < 2 * kLanes ? call.columns - first : 2 * kLanes;
      const int64_t vectors = columns > kLanes ? 2 : 1;
      const char* const panel = static_cast<const char*>(call.packed) + p * panel_bytes;
      float* to = sums;
      for (int64_t i = 0; i < count; ++i, to += kTileRows * vectors * kLanes) {
        const RowTile& t = tile[i];
        const Products products = products_for(t, reach, reaches[p]);
        TileCall of_tile = {t.a, stride, groups, 1, &kOnlyTap, panel, t.added, nullptr, to};
        if (t.clipped) {
          outliers[i].start(vectors, panel, t.added, starts);
          of_tile.start = starts;
        }
        multiply_tile<TileUse::kTaps>(products, vectors, t.rows, of_tile);
      }
      quantized_finish.finish(finishing, {sums, static_cast<size_t>(vectors * kLanes), static_cast<size_t>(rows),
                                          static_cast<size_t>(columns), row, first});
    }
    if (changed) memset(a, 0, scratch_bytes);
    row += rows;
  }
}
#endif

}  // namespace

const QuantizedGemmFunctions quantized_gemm = {
    .lanes = kLanes,
    .element_bytes = sizeof(Packed),
    .tile_rows = kTileRows,
    .tiles = kTiles,
#if !CORACLE_BYTES_BY_REACH && HWY_TARGET != HWY_NEON
    .block_bytes = 256 * 1024,
#endif
    .dot_products = CORACLE_DOT_PRODUCTS != 0,
#if CORACLE_MATRIX_PRODUCTS
    .group_bytes = kPerGroup,
    .lines = 1,
#elif CORACLE_ROW_QUADS
    .lines = kQuadRows,
#endif
    .run = run,
#if CORACLE_BYTES_BY_REACH
    .pad = pad,
    .look_at_padded = look_at_padded,
    .most_channels = 4,
#elif CORACLE_DOT_PRODUCTS && HWY_TARGET != HWY_NEON
    .pad = pad,
    .most_channels = kLanes == 16 ? int64_t{1} << 20 : 4,
#endif
};

}  // namespace coracle::internal::cpu::CORACLE_ISA
