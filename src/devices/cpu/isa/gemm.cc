// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/gemm.h"

#include "epilogue.h"
#include "gemm_pack.h"
#include "gemm_rows.h"
#include "gemm_tile.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

// Panels that are multiplied with a tile of rows before the next tile of rows: they should stay in the level-2 cache.
constexpr int64_t kPanelBlockFloats = 96 * 1024;

int64_t panels(int64_t columns) {
  return (columns + static_cast<int64_t>(kPanelColumns) - 1) / static_cast<int64_t>(kPanelColumns);
}

// Panels before the last one are full and of equal size.
Panel panel_at(const GemmShape& shape, int64_t panel) {
  const int64_t left = shape.columns - panel * static_cast<int64_t>(kPanelColumns);
  return left >= static_cast<int64_t>(kPanelColumns) ? Panel{kPanelVectors, false} : panel_for(left);
}

int64_t panel_floats(const GemmShape& shape, int64_t panel) {
  return shape.taps * panel_at(shape, panel).tap_floats(shape.depth);
}

int64_t full_panel_floats(const GemmShape& shape) {
  return shape.taps * shape.depth * static_cast<int64_t>(kPanelColumns);
}

int64_t packed_floats(const GemmShape& shape) {
  if (shape.columns <= 0) return 0;
  const int64_t last = panels(shape.columns) - 1;
  return last * full_panel_floats(shape) + panel_floats(shape, last);
}

int64_t columns_of(const GemmShape& shape, int64_t panel) {
  const int64_t left = shape.columns - panel * static_cast<int64_t>(kPanelColumns);
  return left < static_cast<int64_t>(kPanelColumns) ? left : static_cast<int64_t>(kPanelColumns);
}

void pack(const GemmShape& shape, const GemmSource& source, float* packed, int64_t panel_begin, int64_t panel_end) {
  if (shape.depth == 0) return;
  for (int64_t p = panel_begin; p < panel_end; ++p) {
    const Panel panel = panel_at(shape, p);
    const int64_t columns = columns_of(shape, p);
    float* to = packed + p * full_panel_floats(shape);
    for (int64_t t = 0; t < shape.taps; ++t, to += panel.tap_floats(shape.depth)) {
      const int64_t offset = source.tap_offsets == nullptr ? 0 : source.tap_offsets[t];
      const float* from = source.data + offset + p * static_cast<int64_t>(kPanelColumns) * source.column_stride;
      pack_tap(shape, source, from, columns, panel, to);
    }
  }
}

// One tile of rows, in the order in which panels come.
class RowTile {
 public:
  RowTile(const GemmCall& call, const Chain& chain)
      : call_(call), chain_(chain), flat_(is_flat(chain.ops, chain.count)), group_floats_(packed_floats(call.shape)) {
    if (call.image != nullptr) bounds_ = tap_bounds(*call.image, call.shape.taps);
  }

  void begin(int64_t row) { rows_.begin(call_, row); }

  // Goes on to the next rows.
  void take(int count) {
    count_ = count;
    padded_ = tile_rows(count, kTileRows);
    rows_.locate(call_, bounds_, count);
    pointed_group_ = -1;
  }

  void run(int64_t group, int64_t p) {
    const GemmShape& shape = call_.shape;
    const Panel panel = panel_at(shape, p);
    const size_t columns = static_cast<size_t>(columns_of(shape, p));
    const int64_t column = group * shape.columns + p * static_cast<int64_t>(kPanelColumns);
    const bool direct = columns == panel.columns() && chain_.count == 0;
    const bool flat = !direct && flat_ && columns < kFloatLanes && static_cast<int64_t>(columns) == call_.c_stride &&
                      rows_.adjacent(count_);
    if (direct) {
      float* c = call_.c + column;
      for (int r = 0; r < kTileRows; ++r) out_[r] = c + rows_.pixels()[r] * call_.c_stride;
    } else {
      // Flat: what is stored past a row's end is overwritten by the next row.
      const size_t stride = flat ? columns : kTileStride;
      for (int r = 0; r < kTileRows; ++r) out_[r] = tile_ + static_cast<size_t>(r < count_ ? r : count_ - 1) * stride;
    }
    const int rows = panel.rows() < padded_ ? panel.rows() : padded_;
    const TileFunction function = find_tile(panel, rows);
    const float* initial = start(panel, column, columns);
    TileCall tile;
    tile.a = rows_.pointers();
    tile.depth = shape.depth;
    tile.b = call_.packed + group * group_floats_ + p * full_panel_floats(shape);
    tile.sums = sums_;
    tile.c = out_;
    tile.low = chain_.low;
    tile.high = chain_.high;
    int64_t tap = 0;
    do {
      tile.taps = shape.taps - tap < kTapChunk ? shape.taps - tap : kTapChunk;
      if (shape.taps > kTapChunk || pointed_group_ != group) {
        rows_.point(call_, tap, tile.taps, group * shape.depth);
        pointed_group_ = group;
      }
      tile.initial = tap == 0 ? initial : nullptr;
      tap += tile.taps;
      tile.last = tap >= shape.taps;
      function(tile);
      tile.b += tile.taps * panel.tap_floats(shape.depth);
    } while (!tile.last);
    if (direct) return;
    if (flat) {
      finish_flat(chain_.ops, chain_.count, tile_, static_cast<size_t>(count_), columns, call_.c, rows_.pixels()[0]);
    } else {
      finish_tile(chain_.ops, chain_.count, tile_, kTileStride, static_cast<size_t>(count_), columns,
                  {call_.c, call_.c_stride, rows_.pixels(), static_cast<size_t>(column)});
    }
  }

 private:
  static constexpr size_t kTileStride = kMaxPanelVectors * kFloatLanes;

  // What sums start at, per lane of the panel: the bias or zero.
  const float* start(Panel panel, int64_t column, size_t columns) {
    HWY_ALIGN static constexpr float kZeros[kMaxPanelVectors * kFloatLanes] = {};
    if (chain_.bias == nullptr) return kZeros;
    if (!panel.paired && columns == panel.columns()) return chain_.bias + column;
    memset(initial_, 0, sizeof(initial_));
    const size_t step = panel.paired ? 2 : 1;
    for (size_t c = 0; c < columns; ++c) initial_[c * step] = chain_.bias[column + static_cast<int64_t>(c)];
    return initial_;
  }

  const GemmCall& call_;
  const Chain& chain_;
  const bool flat_;
  const int64_t group_floats_;
  TapBounds bounds_{};
  TileRows rows_;
  int count_ = 0;
  int padded_ = 0;
  int64_t pointed_group_ = -1;
  float* out_[kTileRows];
  HWY_ALIGN float initial_[kMaxPanelVectors * kFloatLanes];
  HWY_ALIGN float sums_[kTileRows * kMaxPanelVectors * kFloatLanes];
  HWY_ALIGN float tile_[kTileRows * kTileStride];
};

// Rows of [begin, end) in tiles of nearly equal size, so that no tile is thin, for panels [panel_begin, panel_end) of a
// group.
void run_block(RowTile& tile, int64_t begin, int64_t end, int limit, int64_t group, int64_t panel_begin,
               int64_t panel_end) {
  const int64_t rows = end - begin;
  const int64_t tiles = (rows + limit - 1) / limit;
  const int count = static_cast<int>(rows / tiles);
  const int64_t larger = rows % tiles;  // tiles with one row more
  tile.begin(begin);
  for (int64_t t = 0; t < tiles; ++t) {
    tile.take(t < larger ? count + 1 : count);
    for (int64_t p = panel_begin; p < panel_end; ++p) tile.run(group, p);
  }
}

void run(const GemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  if (row_begin >= row_end || panel_begin >= panel_end) return;
  const Chain chain = split_chain(call.ops, call.op_count);
  RowTile tile(call, chain);
  const int64_t per_group = panels(call.shape.columns);
  const int64_t full = full_panel_floats(call.shape);
  const int64_t block = full > 0 && kPanelBlockFloats / full > 1 ? kPanelBlockFloats / full : 1;
  for (int64_t at = panel_begin; at < panel_end;) {
    const int64_t group = at / per_group;
    const int64_t first = at - group * per_group;
    int64_t last = first + block < per_group ? first + block : per_group;
    if (last - first > panel_end - at) last = first + panel_end - at;
    // A panel of three vectors has lower tiles and goes alone.
    const bool triple = panel_at(call.shape, last - 1).vectors == 3;
    if (triple && last - first > 1) --last;
    const int limit = triple && last - first == 1 ? panel_at(call.shape, first).rows() : kTileRows;
    run_block(tile, row_begin, row_end, limit, group, first, last);
    at += last - first;
  }
}

}  // namespace

extern const GemmFunctions gemm;
const GemmFunctions gemm = {panels, packed_floats, pack, run};

}  // namespace coracle::cpu::CORACLE_ISA
