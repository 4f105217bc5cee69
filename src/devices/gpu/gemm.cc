// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/gemm.h"

#include <span>

namespace coracle::internal::gpu {
namespace {

/// How a work-group shares a tile. Sums do not depend on it.
struct Tile {
  int group_m, group_n, item_m, item_n, depth;

  size_t items() const { return static_cast<size_t>(group_m) * static_cast<size_t>(group_n); }
  int64_t count(int64_t rows, int64_t columns) const {
    const auto tiles = [](int64_t size, int tile) { return (size + tile - 1) / tile; };
    return tiles(rows, group_m * item_m) * tiles(columns, group_n * item_n);
  }
};

// Few rows or columns have tiles of their own, so that items do not compute what is not there.
constexpr Tile kFewRows = {1, 64, 4, 1, 16};
constexpr Tile kFewColumns = {64, 1, 1, 4, 16};
/// The largest first: the more elements an item has, the fewer it reads for each.
constexpr Tile kTiles[] = {{16, 16, 8, 8, 8}, {16, 16, 4, 4, 16}, {8, 8, 4, 4, 16}};

/// The largest tiles that are enough to have all units of the device at work, and that are not half empty; the
/// smallest, where none are. Those after it are the next best.
std::span<const Tile> tiles_for(const Gemm& g, int64_t batch, int units) {
  if (g.rows <= 4) return {&kFewRows, 1};
  if (g.columns <= 4) return {&kFewColumns, 1};
  std::span<const Tile> tiles = kTiles;
  const auto is_too_large = [&](const Tile& t) {
    return g.rows * 2 <= t.group_m * t.item_m || g.columns * 2 <= t.group_n * t.item_n ||
           batch * t.count(g.rows, g.columns) < units;
  };
  while (tiles.size() > 1 && is_too_large(tiles.front())) tiles = tiles.subspan(1);
  return tiles;
}

}  // namespace

void add(LaunchPlan& plan, OpenDevice& device, const Gemm& g, DType type) {
  int64_t batch = 1;
  for (const Gemm::Axis& axis : g.batch) batch *= axis.size;
  if (batch * g.rows * g.columns == 0) return;
  Definitions d;
  d.set_stored(type);
  d.set("A_ALONG_K", g.a_row == 1 && g.a_depth != 1 ? 0 : 1);
  d.set("B_ALONG_K", g.windows == nullptr && g.b_depth == 1 && g.b_column != 1 ? 1 : 0);
  d.set_each("BATCH_AXES", 0, static_cast<int>(g.batch.size()));
  d.set("CONVOLUTION", g.windows == nullptr ? 0 : 1);
  if (g.windows != nullptr) d.set("KERNEL_H", g.windows->kernel_h).set("KERNEL_W", g.windows->kernel_w);
  d.set("CHANNEL", g.channels_in_rows ? "batch%groups*rows+m" : "n");

  PlannedLaunch l;
  l.parameters = {Parameter::result(), Parameter::operand(g.a), Parameter::operand(g.b)};
  for (int64_t n : {g.rows, g.columns, g.depth, g.a_row, g.a_depth, g.b_depth, g.b_column, g.groups}) {
    l.parameters.push_back(Parameter::of(n));
  }
  for (size_t i = g.batch.size(); i-- > 0;) {
    for (int64_t n : {g.batch[i].size, g.batch[i].a_step, g.batch[i].b_step}) l.parameters.push_back(Parameter::of(n));
  }
  if (g.windows != nullptr) {
    for (int64_t n : g.windows->numbers) l.parameters.push_back(Parameter::of(n));
  }
  add_epilogue(g.epilogue, g.first_tensor, d, l.parameters);

  // Of what has more items than the device takes in a group, the next smaller tile.
  std::span<const Tile> tiles = tiles_for(g, batch, device.info().compute_units);
  for (;; tiles = tiles.subspan(1)) {
    const Tile& tile = tiles.front();
    Definitions of_tile = d;
    of_tile.set("GROUP_M", tile.group_m).set("GROUP_N", tile.group_n).set("TILE_K", tile.depth);
    of_tile.set("ITEM_M", tile.item_m).set("ITEM_N", tile.item_n);
    l.function = compile(device, "gemm", of_tile);
    if (tiles.size() == 1 || l.function->largest_group() >= tile.items()) break;
  }
  const Tile& tile = tiles.front();
  const auto groups = [](int64_t count, int size) { return static_cast<size_t>((count + size - 1) / size); };
  l.grid.local[0] = static_cast<size_t>(tile.group_n);
  l.grid.local[1] = static_cast<size_t>(tile.group_m);
  l.grid.global[0] = groups(g.columns, tile.group_n * tile.item_n) * l.grid.local[0];
  l.grid.global[1] = groups(g.rows, tile.group_m * tile.item_m) * l.grid.local[1];
  l.grid.global[2] = static_cast<size_t>(batch);
  plan.push_back(std::move(l));
}

}  // namespace coracle::internal::gpu
