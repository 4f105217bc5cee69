// SPDX-License-Identifier: Apache-2.0
//
// Products of blocks of rows of A with one panel of B after the other, where the numbers of A are the same for all
// panels (quantized_gemm.h). Included only by quantized_gemm.cc.
#pragma once

#include <algorithm>

#include "quantized_pairs.h"
#include "quantized_quads.h"
#include "quantized_rows.h"
#include "quantized_tile.h"

#if !CORACLE_BYTES_BY_REACH
namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

#if defined(CORACLE_PAIRS_OF_INTEGERS)
constexpr bool kTakesImages = false;
#else
constexpr bool kTakesImages = true;
#endif

constexpr int64_t kSliceGroups = 256;  // of a panel, which the first cache keeps
constexpr int32_t kOnlyTap = 0;

#if CORACLE_MATRIX_PRODUCTS
using TileRows = PairedRows;
#elif CORACLE_ROW_QUADS
using TileRows = QuadRows;
#else
// Rows of A, tile by tile: copied to scratch memory a block at a time, or where an image with its surroundings has
// them; tiles then end with a row of the result's pixels.
class TileRows {
 public:
  TileRows(const QuantizedGemmCall& call, int64_t stride, int64_t /*block_rows*/, int64_t row_begin)
      : padded_(call.padded), copied_(call, row_begin), stride_(stride), scratch_(static_cast<Packed*>(call.scratch)) {
    if (padded_ == nullptr) return;
    scratch_ = reinterpret_cast<Packed*>(const_cast<int8_t*>(call.a));
    stride_ = padded_->stride_x * padded_->channels;
  }

  // From here on to row `end` at most.
  HWY_INLINE void start_block(int64_t row, int64_t end) {
    block_ = row;
    end_ = end;
    if (padded_ == nullptr) copied_.copy_next(end - row, stride_, scratch_);
  }

  HWY_INLINE RowTile tile_at(int64_t row) const {
    const int64_t left = std::min<int64_t>(end_ - row, kTileRows);
    if (padded_ == nullptr) return {.a = scratch_ + (row - block_) * stride_, .rows = left};
    const PaddedImage& m = *padded_;
    const int64_t y = row / m.out_w;
    const int64_t x = row - y * m.out_w;
    const int64_t image = y / m.out_h;
    const int64_t line = image * m.height + (y - image * m.out_h) * m.stride_y;
    return {.a = scratch_ + line * m.width * m.channels + x * stride_, .rows = std::min(left, m.out_w - x)};
  }

  int64_t stride() const { return stride_; }

 private:
  const PaddedImage* padded_;
  QuantizedRows<Packed, kZero, kTakesImages> copied_;
  int64_t stride_;
  Packed* scratch_;
  int64_t block_ = 0;
  int64_t end_ = 0;
};
#endif

// Groups of a panel: of some taps, or some of the only tap.
struct PanelSlices {
  int64_t all_taps = 1;
  int64_t of_tap = 0;  // groups
  int64_t taps = 1;    // of a slice
  int64_t groups = 0;  // of each of them
  int64_t count = 1;

  PanelSlices(int64_t taps_of_panel, int64_t groups_of_tap, bool sliced)
      : all_taps(taps_of_panel), of_tap(groups_of_tap), taps(taps_of_panel), groups(groups_of_tap) {
    if (!sliced) return;
    const auto parts = [](int64_t n, int64_t most) { return most < 1 ? n : (n + most - 1) / most; };
    if (all_taps > 1) {
      taps = parts(all_taps, parts(all_taps, kSliceGroups / of_tap));
      count = parts(all_taps, taps);
    } else if (of_tap > kSliceGroups) {
      groups = parts(of_tap, parts(of_tap, kSliceGroups));
      count = parts(of_tap, groups);
    }
  }

  struct Slice {
    int64_t tap = 0;
    int64_t taps = 0;
    int64_t group = 0;  // of each tap
    int64_t groups = 0;
  };
  Slice slice(int64_t i) const {
    const int64_t tap = all_taps > 1 ? i * taps : 0;
    const int64_t group = all_taps > 1 ? 0 : i * groups;
    return {tap, std::min(taps, all_taps - tap), group, std::min(groups, of_tap - group)};
  }
};

// The panels of a call, and how many rows of tiles each meets before the next one.
struct PanelForm {
  int64_t taps = 1;
  int64_t of_tap = 0;  // groups
  int64_t bytes = 0;   // from panel to panel
  int64_t small = 0;   // the fewest rows
  int64_t block = 0;

  explicit PanelForm(const QuantizedGemmCall& call) {
    const bool in_place = call.padded != nullptr;
    taps = in_place ? call.taps : 1;
    of_tap = ((in_place ? call.depth : call.taps * call.depth) + kPerGroup - 1) / kPerGroup;
    bytes = 2 * kLanes * (4 + taps * of_tap * kGroupBytes);
    small = quantized_gemm.tiles_of(numbers()) * kTileRows;
    block = std::max(call.block_rows, small);
  }
  int64_t numbers() const { return taps * of_tap * kPerGroup; }  // of a column
};

// Those that all panels of a call are multiplied by.
HWY_INLINE Products products_of([[maybe_unused]] const QuantizedGemmCall& call, [[maybe_unused]] const PanelForm& form,
                                [[maybe_unused]] int64_t rows, [[maybe_unused]] int64_t panel_begin,
                                [[maybe_unused]] int64_t panel_end) {
#if CORACLE_ADDS_PRODUCTS
  constexpr int64_t kFewest = 2 * kTileRows;  // rows for which looking at the panels pays
  if (rows < kFewest) return Products::kPlain;
  for (int64_t p = panel_begin; p < panel_end; ++p) {
    const int64_t vectors = call.columns - p * 2 * kLanes > kLanes ? 2 : 1;
    const int64_t line = vectors * static_cast<int64_t>(sizeof(Sums));
    const char* const panel = static_cast<const char*>(call.packed) + p * form.bytes;
    if (!products_fit_in_pairs(panel + line, form.taps * form.of_tap * line)) return Products::kPlain;
  }
  return Products::kFours;
#else
  return Products::kPlain;
#endif
}

template <TileUse kUse>
void run_as(const QuantizedGemmCall& call, const PanelForm& form, const PanelSlices& slices, int64_t row_begin,
            int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  char* const parts = static_cast<char*>(call.scratch) + quantized_gemm.copied_bytes(form.numbers(), form.block);
  const int32_t* const tap_from = kUse == TileUse::kRows || call.padded == nullptr ? &kOnlyTap : call.padded->taps;
  HWY_ALIGN float sums[kTiles * kTileRows * 2 * kLanes];
  TileRows tiles(call, form.of_tap * kPerGroup, form.block, row_begin);
  const Products products = products_of(call, form, row_end - row_begin, panel_begin, panel_end);
  for (int64_t row = row_begin; row < row_end; row += form.block) {
    const int64_t end = std::min(row + form.block, row_end);
    tiles.start_block(row, end);
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * 2 * kLanes;
      const int64_t columns = std::min(call.columns - first, 2 * kLanes);
      const int64_t vectors = columns > kLanes ? 2 : 1;
      const int64_t row_numbers = vectors * kLanes;
      const char* const panel = static_cast<const char*>(call.packed) + p * form.bytes;
      for (int64_t i = 0; i < slices.count; ++i) {
        const PanelSlices::Slice slice = slices.slice(i);
        const bool last = i == slices.count - 1;
        char* part = parts;
        int64_t finished = 0;  // rows of tiles in `sums`
        float* to = sums;
        for (int64_t r = row; r < end;) {
          const RowTile tile = tiles.tile_at(r);
          multiply_tile<kUse>(products, vectors, tile.rows,
                              {.a = tile.a + slice.group * kPerGroup,
                               .stride = tiles.stride(),
                               .groups = slice.groups,
                               .taps = slice.taps,
                               .tap = tap_from + slice.tap,
                               .panel = panel,
                               .start = i == 0 ? nullptr : part,
                               .tile = to,
                               .first = slice.tap * form.of_tap + slice.group,
                               .part = last ? nullptr : part});
          r += tile.rows;
          if (kUse == TileUse::kSlices) part += quantized_gemm.multiplied_rows(tile.rows) * row_numbers * 4;
          if (kUse == TileUse::kSlices && !last) continue;
          finished += tile.rows;
          to += kTileRows * row_numbers;
          // A tile of fewer rows ends what is finished together.
          if (tile.rows == kTileRows && finished < kTiles * kTileRows && r < end) continue;
          quantized_finish.finish(finishing, {sums, static_cast<size_t>(row_numbers), static_cast<size_t>(finished),
                                              static_cast<size_t>(columns), r - finished, first});
          finished = 0;
          to = sums;
        }
      }
    }
  }
}

void run(const QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  const PanelForm form(call);
  // What is behind a row is multiplied with zeros.
  if (call.padded == nullptr && form.numbers() != call.taps * call.depth) {
    memset(call.scratch, 0, static_cast<size_t>(form.block * form.numbers()) * sizeof(Packed));
  }
  const PanelSlices slices(form.taps, form.of_tap, form.block > form.small);
#if HWY_TARGET == HWY_NEON  // where no image is read in place, and no block passed over in slices
  const auto run_with = run_as<TileUse::kRows>;
#else
  const auto run_with = slices.count > 1 ? run_as<TileUse::kSlices>
                        : form.taps > 1  ? run_as<TileUse::kTaps>
                                         : run_as<TileUse::kRows>;
#endif
  run_with(call, form, slices, row_begin, row_end, panel_begin, panel_end);
}

#if CORACLE_DOT_PRODUCTS && HWY_TARGET != HWY_NEON
void pad(const PaddedImage& m, const int8_t* images, int8_t* to, int64_t begin, int64_t end) {
  pad_lines<uint8_t, kZero>(m, images, to, begin, end);
}
#endif

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
#endif
