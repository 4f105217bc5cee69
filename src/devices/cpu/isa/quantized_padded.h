// SPDX-License-Identifier: Apache-2.0
//
// Products of filters with images of few channels, read in place (AVX2, quantized_gemm.h): of a few bytes, copying
// takes longer than multiplying. Included only by quantized_gemm.cc.
#pragma once

#include <algorithm>

#include "quantized_rows.h"
#include "quantized_tile.h"

#if CORACLE_BYTES_BY_REACH
namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

HWY_INLINE int64_t groups_of_taps(const QuantizedGemmCall& call) {
  return call.taps * ((call.depth + kPerGroup - 1) / kPerGroup);
}

void pad(const PaddedImage& m, const int8_t* images, int8_t* to, int64_t begin, int64_t end) {
  pad_lines<int8_t, 0>(m, images, to, begin, end);
}

void look_at_padded(QuantizedGemmCall& call) {
  const int64_t bytes = quantized_gemm.pad_bytes(*call.padded);
  const int64_t groups = groups_of_taps(call);
  auto* const all = const_cast<int8_t*>(call.a);
  memset(all + call.padded->numbers(), 0, static_cast<size_t>(bytes - call.padded->numbers()));
  PaddedNumbers& numbers = call.numbers;
  numbers = {.reach = 255};
  const QuantizedReach* const reaches = reaches_of(call, groups);
  for (int64_t p = 0; p < quantized_gemm.panels(call.columns); ++p) {
    numbers.reach = std::min(numbers.reach, reaches[p].pairs);
  }
  const Extent extent = extent_of(all, bytes - kBeyond - 1);
  numbers.least = extent.least;
  numbers.most = extent.most;
  if (extent.reach() > numbers.reach || extent.least == 0) return;
  numbers.added = -extent.least;
  add_to_all(all, bytes - kBeyond - 1, numbers.added);
}

void run_padded(const QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin,
                int64_t panel_end) {
  const PaddedImage& m = *call.padded;
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  const int64_t groups = groups_of_taps(call);
  const int64_t stride = m.stride_x * m.channels;
  const int64_t line = m.width * m.channels;
  const int64_t panel_bytes = 2 * kLanes * 4 * (1 + groups);
  const int64_t most_tiles = quantized_gemm.tiles_of(groups * kPerGroup);
  const QuantizedReach* const reaches = reaches_of(call, groups);
  HWY_ALIGN float sums[kTiles * kTileRows * 2 * kFloatLanes];
  const Extent extent = {call.numbers.least, call.numbers.most};
  RowTile tile[kTiles];
  for (int64_t row = row_begin; row < row_end;) {
    int64_t rows = 0;
    int64_t count = 0;
    // Tiles of adjacent pixels; only the last one of those that are finished together may have fewer rows.
    for (bool whole = true; whole && count < most_tiles && row + rows < row_end; ++count) {
      const int64_t x = (row + rows) % m.out_w;
      const int64_t y = (row + rows) / m.out_w;
      const int64_t image = y / m.out_h;
      const int64_t first = image * m.height + (y - image * m.out_h) * m.stride_y;
      const int64_t most = std::min(m.out_w - x, row_end - row - rows);
      tile[count] = {.a = const_cast<int8_t*>(call.a) + first * line + x * stride,
                     .rows = std::min<int64_t>(most, kTileRows),
                     .extent = extent};
      rows += tile[count].rows;
      whole = tile[count].rows == kTileRows;
    }
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * 2 * kLanes;
      const int64_t columns = std::min(call.columns - first, 2 * kLanes);
      const int64_t vectors = columns > kLanes ? 2 : 1;
      const char* const panel = static_cast<const char*>(call.packed) + p * panel_bytes;
      const int64_t of_tap = groups / call.taps;
      float* to = sums;
      for (int64_t i = 0; i < count; ++i, to += kTileRows * vectors * kLanes) {
        Products products = products_for(tile[i], call.numbers.reach, reaches[p]);
        // What two groups reach is known of those that lie so in B.
        if (products == Products::kFours && of_tap % 2 != 0) products = Products::kPairs;
        multiply_tile<TileUse::kTaps>(
            products, vectors, tile[i].rows,
            {tile[i].a, stride, of_tap, call.taps, m.taps, panel, call.numbers.added, nullptr, to});
      }
      quantized_finish.finish(finishing, {sums, static_cast<size_t>(vectors) * kFloatLanes, static_cast<size_t>(rows),
                                          static_cast<size_t>(columns), row, first});
    }
    row += rows;
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
#endif
