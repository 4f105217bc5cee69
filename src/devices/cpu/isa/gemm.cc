// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/gemm.h"

#include "denormals.h"
#include "epilogue.h"
#include "gemm_narrow.h"
#include "gemm_pack.h"
#include "gemm_rows.h"
#include "gemm_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Panels that are multiplied with a tile of rows before the next tile of rows: they should stay in the level-2 cache.
constexpr int64_t kPanelBlockFloats = 64 * 1024;

int64_t panels(int64_t columns) {
  return (columns + static_cast<int64_t>(kPanelColumns) - 1) / static_cast<int64_t>(kPanelColumns);
}

// Panels before the last one are full and of equal size.
Panel panel_at(const GemmShape& shape, int64_t panel) {
  const int64_t left = shape.columns - panel * static_cast<int64_t>(kPanelColumns);
  return left >= static_cast<int64_t>(kPanelColumns) ? Panel{kPanelVectors, false} : panel_for(left);
}

int64_t tile_rows(int64_t columns) { return panel_at({1, 1, columns}, 0).rows(); }

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
  const int64_t full = shape.columns / static_cast<int64_t>(kPanelColumns);
  const int64_t whole = panel_end < full ? panel_end : full;
  if (shape.taps == 1 && source.column_stride == 1 && source.inner == shape.depth && whole > panel_begin) {
    const int64_t offset = source.tap_offsets == nullptr ? 0 : source.tap_offsets[0];
    const int64_t floats = full_panel_floats(shape);
    pack_rows(source.data + offset + panel_begin * static_cast<int64_t>(kPanelColumns), shape.depth,
              source.inner_stride, whole - panel_begin, floats, source.scale, packed + panel_begin * floats);
    panel_begin = whole;
  }
  for (int64_t p = panel_begin; p < panel_end; ++p) {
    const Panel panel = panel_at(shape, p);
    const int64_t columns = columns_of(shape, p);
    float* to = packed + p * full_panel_floats(shape);
    for (int64_t t = 0; t < shape.taps; ++t, to += panel.tap_floats(shape.depth)) {
      const int64_t offset = source.tap_offsets == nullptr ? 0 : source.tap_offsets[t];
      const float* from = source.data + offset + p * static_cast<int64_t>(kPanelColumns) * source.column_stride;
      pack_tap(shape, source, from, columns, panel, to);
    }
    flush_denormals(packed + p * full_panel_floats(shape), panel_floats(shape, p), source.scale);
  }
}

// Sums are made in so many parts, one after the other.
int64_t parts_of(const GemmShape& shape, bool copies) {
  const int64_t most = copies ? kBlockDepth : kTapChunk;
  const int64_t all = copies ? shape.depth : shape.taps;
  return all > most ? (all + most - 1) / most : 1;
}

bool sums_wait_in_c(const GemmCall& call) { return parts_of(call.shape, copies_rows(call)) > 1; }

// One tile of rows after the other. Sums are made of one or more parts: some of the taps, or some of the depth.
class RowTile {
 public:
  // For `rows` rows in all.
  RowTile(const GemmCall& call, const Chain& chain, int64_t rows)
      : call_(call),
        chain_(chain),
        flat_(is_flat(chain.ops, chain.count, call.c_stride)),
        copies_(copies_rows(call)),
        fetches_(rows * call.c_stride >= kLargeFloats),
        parts_(parts_of(call.shape, copies_)),
        group_floats_(packed_floats(call.shape)),
        panel_floats_(full_panel_floats(call.shape)),
        full_panels_(call.shape.columns / static_cast<int64_t>(kPanelColumns)),
        last_(panel_at(call.shape, full_panels_)),
        initial_step_(chain.bias == nullptr ? 0 : static_cast<int64_t>(kPanelColumns)) {
    if (call.image != nullptr) bounds_ = tap_bounds(*call.image, call.shape.taps);
    for (size_t r = 0; r < kTileRows; ++r) tile_rows_[r] = tile_ + r * kTileStride;
    if (parts_ > 1 || !chain.in_tile) return;
    direct_panels_ = full_panels_;
    const bool last_full = columns_of(call.shape, full_panels_) == static_cast<int64_t>(last_.columns());
    if (last_full && !(last_.paired && adds(chain.tile))) ++direct_panels_;
    direct_.last = true;
    direct_.c = out_;
    direct_.epilogue = chain.tile;
  }

  int64_t parts() const { return parts_; }

  // Packed floats of a full panel that are used for a part.
  int64_t part_floats() const {
    return copies_ ? kBlockDepth * static_cast<int64_t>(kPanelColumns) : full_panel_floats(call_.shape);
  }

  // Starts at a row, for so many tiles. The last of them fetch the panel `ahead` floats after the one in use; none if
  // 0.
  void begin(int64_t row, int64_t tiles, int64_t ahead) {
    rows_.begin(call_, row);
    ahead_ = ahead;
    tile_count_ = (tiles < kAheadTiles ? 0 : kAheadTiles - tiles) - 1;
  }

  // Goes on to the next rows.
  void take(int count) {
    count_ = count;
    ++tile_count_;
    rows_.locate(call_, bounds_, count);
    CORACLE_UNROLL for (int r = 0; r < kTileRows; ++r) out_[r] = call_.c + rows_.offsets()[r];
    pointed_group_ = -1;
  }

  // Parts [part_begin, part_end) of the sums of panels [begin, end) of a group. Parts of a full panel may be far apart
  // in time, as sums wait in C; those of another follow each other.
  void run(int64_t group, int64_t begin, int64_t end, int64_t part_begin, int64_t part_end) {
    int64_t p = begin;
    while (p < end && p < direct_panels_) {
      const int64_t full = (end < full_panels_ ? end : full_panels_) - p;
      const int64_t count = full > kMostTogether ? kMostTogether : full > 1 ? full : 1;
      run_direct(group, p, count);
      p += count;
    }
    for (; p < end; ++p) {
      for (int64_t part = part_begin; part < part_end; ++part) run_part(group, p, part);
    }
  }

 private:
  // Panels that are summed at once and finished by the tile: `count` of them if they are full, else one.
  void run_direct(int64_t group, int64_t p, int64_t count) {
    const bool full = p < full_panels_;
    const Panel panel = full ? Panel{kPanelVectors, false} : last_;
    const int64_t column = p * static_cast<int64_t>(kPanelColumns);
    if (pointed_group_ != group) point(group, panel, 0, direct_);
    direct_.b = call_.packed + group * group_floats_ + p * panel_floats_;
    direct_.initial = start(panel, group * call_.shape.columns + column, panel.columns());
    direct_.c_first = group * call_.c_group_stride + column;
    const bool fetches_ahead = ahead_ > 0 && tile_count_ >= 0 && count_ > kFewRows;
    direct_.ahead = direct_.b;
    if (fetches_ahead) direct_.ahead += ahead_ + tile_count_ * panel_floats_ / kAheadTiles;
    if (fetches_) fetch(group * call_.shape.columns + column, static_cast<size_t>(count) * panel.columns());
    direct_.a = rows_.pointers();
    const TileFunction tile = find_tile(panel, count_, fetches_ahead);
    tile(direct_);
    for (int64_t i = 1; i < count; ++i) {
      direct_.b += panel_floats_;
      direct_.ahead += panel_floats_;
      direct_.initial += initial_step_;
      direct_.c_first += static_cast<int64_t>(kPanelColumns);
      tile(direct_);
    }
  }

  void run_part(int64_t group, int64_t p, int64_t part) {
    const GemmShape& shape = call_.shape;
    const Panel panel = panel_at(shape, p);
    const size_t columns = static_cast<size_t>(columns_of(shape, p));
    const int64_t column = group * shape.columns + p * static_cast<int64_t>(kPanelColumns);
    const bool full = columns == panel.columns();
    const bool direct = full && chain_.in_tile && !(panel.paired && adds(chain_.tile));
    const bool flat = !direct && flat_ && columns < kFloatLanes && static_cast<int64_t>(columns) == call_.c_stride &&
                      rows_.adjacent(count_);
    TileCall tile;
    tile.initial = part == 0 ? start(panel, column, columns) : nullptr;
    tile.last = part + 1 == parts();
    tile.b = call_.packed + group * group_floats_ + p * panel_floats_;
    point(group, panel, part, tile);
    const bool fetches_ahead = ahead_ > 0 && tile_count_ >= 0 && count_ > kFewRows;
    tile.ahead = tile.b;
    if (fetches_ahead) {
      tile.ahead += ahead_ + tile_count_ * tile.taps * panel.tap_floats(tile.depth) / kAheadTiles;
    }
    float* base = call_.c + group * (call_.c_group_stride - shape.columns);
    float* c = base + column;
    tile.c_first = 0;
    if (direct) {
      tile.c = out_;
      tile.c_first = c - call_.c;
    } else if (flat) {
      // What is stored past a row's end is overwritten by the next row.
      for (size_t r = 0; r < kTileRows; ++r) flat_rows_[r] = tile_ + r * columns;
      tile.c = flat_rows_;
    } else {
      tile.c = tile_rows_;
    }
    if (parts_ > 1) {
      const bool in_c = full && !panel.paired;
      for (int r = 0; r < kTileRows; ++r) sums_[r] = in_c ? c + rows_.offsets()[r] : raw_ + r * kTileStride;
    }
    if (fetches_ && part == 0) fetch(column, columns);
    tile.a = rows_.pointers();
    tile.sums = sums_;
    tile.epilogue = direct ? chain_.tile : TileEpilogue{};
    find_tile(panel, count_, fetches_ahead)(tile);
    if (direct || !tile.last) return;
    if (flat) {
      apply_epilogue_flat(chain_.ops, chain_.count, tile_, static_cast<size_t>(count_), columns, c, rows_.pixels()[0]);
    } else {
      apply_epilogue(chain_.ops, chain_.count, tile_, kTileStride, static_cast<size_t>(count_), columns,
                     {base, call_.c_stride, rows_.pixels(), static_cast<size_t>(column)});
    }
  }

  static constexpr size_t kTileStride = kMaxPanelVectors * kFloatLanes;
  static constexpr size_t kLineFloats = 16;  // of a line of the cache
  // What exceeds a good part of the level-2 cache comes from farther away.
  static constexpr int64_t kLargeFloats = 64 * 1024;
  // Panels that one call of a tile takes: what it finds out first pays for all of them.
  static constexpr int64_t kMostTogether = 8;
  // So few rows wait for the panel in use all the time.
  static constexpr int kFewRows = 2;
  // Tiles that fetch one panel, the last before it is used, as each takes a line for every two steps of depth.
  static constexpr int64_t kAheadTiles = 2 * kPanelColumns / 16;

  // Finds the rows' floats for a part, and the panel's.
  void point(int64_t group, Panel panel, int64_t part, TileCall& tile) {
    const GemmShape& shape = call_.shape;
    const bool pointed = pointed_group_ == group && pointed_part_ == part;
    const bool next = pointed_group_ >= 0 && pointed_group_ + 1 == group && parts_ == 1;
    pointed_group_ = group;
    pointed_part_ = part;
    if (copies_) {
      const int64_t first = part * kBlockDepth;
      const int64_t last = shape.depth - first < kBlockDepth ? shape.depth : first + kBlockDepth;
      tile.taps = 1;
      tile.depth = last - first;
      tile.b += panel.tap_floats(first);
      if (!pointed) rows_.copy(call_, first, last, group * call_.a_group_stride);
    } else {
      const int64_t first = part * kTapChunk;
      tile.taps = shape.taps - first < kTapChunk ? shape.taps - first : kTapChunk;
      tile.depth = shape.depth;
      tile.b += first * panel.tap_floats(shape.depth);
      if (next) {
        rows_.move(tile.taps, call_.a_group_stride);
      } else if (!pointed) {
        rows_.point(call_, first, tile.taps, group * call_.a_group_stride);
      }
    }
  }

  // What is added to results is fetched while they are computed: rows lie too far apart for the processor to see what
  // comes next.
  void fetch(int64_t column, size_t columns) const {
    for (const EpilogueOp* op = chain_.ops; op != chain_.ops + chain_.count; ++op) {
      if (op->step.kind != EpilogueKind::kAddTensor && op->step.kind != EpilogueKind::kMultiplyTensor) continue;
      for (int r = 0; r < count_; ++r) {
        const float* row = op->tensor + rows_.pixels()[r] * op->tensor_stride + column;
        for (size_t i = 0; i < columns; i += kLineFloats) __builtin_prefetch(row + i, 0, 3);
      }
    }
  }

  // What sums start at, per lane of the panel: the bias or zero.
  const float* start(Panel panel, int64_t column, size_t columns) {
    HWY_ALIGN static constexpr float kZeros[kMaxPanelVectors * kFloatLanes] = {};
    if (chain_.bias == nullptr) return kZeros;
    if (!panel.paired && columns == panel.columns()) return chain_.bias + column;
    if (column == initial_column_) return initial_;
    initial_column_ = column;
    memset(initial_, 0, sizeof(initial_));
    const size_t step = panel.paired ? 2 : 1;
    for (size_t c = 0; c < columns; ++c) initial_[c * step] = chain_.bias[column + static_cast<int64_t>(c)];
    return initial_;
  }

  const GemmCall& call_;
  const Chain& chain_;
  const bool flat_;
  const bool copies_;
  const bool fetches_;
  const int64_t parts_;
  const int64_t group_floats_;
  const int64_t panel_floats_;  // of a full one
  const int64_t full_panels_;   // of a group
  const Panel last_;            // behind them
  const int64_t initial_step_;  // floats from panel to panel of what sums start at
  int64_t direct_panels_ = 0;   // those for run_direct()
  TileCall direct_;             // for these; what changes is set for each call
  TapBounds bounds_{};
  TileRows rows_;
  int count_ = 0;
  int64_t ahead_ = 0;
  int64_t tile_count_ = 0;  // negative until the tiles that fetch
  int64_t pointed_group_ = -1;
  int64_t pointed_part_ = 0;
  int64_t initial_column_ = -1;
  float* out_[kTileRows];  // the rows of C
  float* flat_rows_[kTileRows];
  float* sums_[kTileRows];
  float* tile_rows_[kTileRows];
  HWY_ALIGN float initial_[kMaxPanelVectors * kFloatLanes];
  HWY_ALIGN float raw_[kTileRows * kTileStride];
  HWY_ALIGN float tile_[kTileRows * kTileStride];
};

// Parts [part_begin, part_end) of the sums of rows [begin, end), in tiles of nearly equal size, so that no tile is
// thin, for panels [panel_begin, panel_end) of a group.
void run_rows(RowTile& tile, int64_t begin, int64_t end, int limit, int64_t group, int64_t panel_begin,
              int64_t panel_end, int64_t part_begin, int64_t part_end, int64_t ahead) {
  const int64_t rows = end - begin;
  const int64_t tiles = (rows + limit - 1) / limit;
  const int count = static_cast<int>(rows / tiles);
  const int64_t larger = rows % tiles;  // tiles with one row more
  tile.begin(begin, tiles, ahead);
  for (int64_t t = 0; t < tiles; ++t) {
    tile.take(t < larger ? count + 1 : count);
    tile.run(group, panel_begin, panel_end, part_begin, part_end);
  }
}

// Groups of one panel each: all of them for a tile of rows, whose pixels are found once.
void run_groups(RowTile& tile, const GemmCall& call, int64_t begin, int64_t end, int64_t group_begin,
                int64_t group_end) {
  const int limit = panel_at(call.shape, 0).rows();
  const int64_t rows = end - begin;
  const int64_t tiles = (rows + limit - 1) / limit;
  const int count = static_cast<int>(rows / tiles);
  const int64_t larger = rows % tiles;
  tile.begin(begin, tiles, 0);
  for (int64_t t = 0; t < tiles; ++t) {
    tile.take(t < larger ? count + 1 : count);
    for (int64_t group = group_begin; group < group_end; ++group) {
      tile.run(group, 0, 1, 0, tile.parts());
    }
  }
}

void run(const GemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  if (row_begin >= row_end || panel_begin >= panel_end) return;
  // Where groups lie apart, nothing else lies like C.
  const bool adjacent = call.groups == 1 || call.c_group_stride == call.shape.columns;
  const Chain chain = split_epilogue(call.epilogue, call.epilogue_size, adjacent ? call.c : nullptr, call.c_stride);
  RowTile tile(call, chain, row_end - row_begin);
  const int64_t per_group = panels(call.shape.columns);
  if (call.groups > 1 && per_group == 1) return run_groups(tile, call, row_begin, row_end, panel_begin, panel_end);
  const int64_t parts = tile.parts();
  const int64_t floats = tile.part_floats();
  const int64_t block = floats > 0 && kPanelBlockFloats / floats > 1 ? kPanelBlockFloats / floats : 1;
  for (int64_t at = panel_begin; at < panel_end;) {
    const int64_t group = at / per_group;
    const int64_t first = at - group * per_group;
    int64_t last = first + block < per_group ? first + block : per_group;
    if (last - first > panel_end - at) last = first + panel_end - at;
    // A panel of three vectors has lower tiles, and sums of a panel that is not full do not wait: such a panel goes
    // alone.
    const Panel end = panel_at(call.shape, last - 1);
    const bool full = columns_of(call.shape, last - 1) == static_cast<int64_t>(kPanelColumns);
    const bool alone = end.vectors == 3 || (parts > 1 && !full);
    if (alone && last - first > 1) --last;
    const bool steps = parts > 1 && last - first > 1;  // part by part
    const int limit = panel_at(call.shape, first).rows();
    for (int64_t part = 0; part < (steps ? parts : 1); ++part) {
      // Next come the same panels' next part, or the next panels.
      const int64_t panel_floats = full_panel_floats(call.shape);
      int64_t ahead = (last - first) * panel_floats - (steps ? part * floats : 0);
      if (steps && part + 1 < parts) {
        ahead = floats;
      } else if (at + last - first == panel_end) {
        ahead = 0;
      }
      run_rows(tile, row_begin, row_end, limit, group, first, last, part, steps ? part + 1 : parts, ahead);
    }
    at += last - first;
  }
}

}  // namespace

extern const GemmFunctions gemm;
const GemmFunctions gemm = {panels, tile_rows, packed_floats, pack, sums_wait_in_c, run, &kNarrow};

}  // namespace coracle::internal::cpu::CORACLE_ISA
