// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/gemm.h"

namespace coracle::internal::gpu {
namespace {

/// How a work-group shares a tile. Sums do not depend on it.
struct Tile {
  int group_m, group_n, item_m, item_n, depth;
};

/// Few rows or columns have tiles of their own, so that items do not compute what is not there.
Tile tile_for(int64_t rows, int64_t columns) {
  if (rows <= 4) return {1, 64, 4, 1, 16};
  if (columns <= 4) return {64, 1, 1, 4, 16};
  return {8, 8, 4, 4, 16};
}

}  // namespace

void add(LaunchPlan& plan, OpenDevice& device, const Gemm& g, DType type) {
  int64_t batch = 1;
  for (const Gemm::Axis& axis : g.batch) batch *= axis.size;
  if (batch * g.rows * g.columns == 0) return;
  const Tile tile = tile_for(g.rows, g.columns);
  Definitions d;
  d.set_stored(type);
  d.set("GROUP_M", tile.group_m).set("GROUP_N", tile.group_n).set("ITEM_M", tile.item_m).set("ITEM_N", tile.item_n);
  d.set("TILE_K", tile.depth).set_each("BATCH_AXES", 0, static_cast<int>(g.batch.size()));
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

  const auto groups = [](int64_t count, int size) { return static_cast<size_t>((count + size - 1) / size); };
  l.grid.local[0] = static_cast<size_t>(tile.group_n);
  l.grid.local[1] = static_cast<size_t>(tile.group_m);
  l.grid.global[0] = groups(g.columns, tile.group_n * tile.item_n) * l.grid.local[0];
  l.grid.global[1] = groups(g.rows, tile.group_m * tile.item_m) * l.grid.local[1];
  l.grid.global[2] = static_cast<size_t>(batch);
  l.function = compile(device, "gemm", d);
  plan.push_back(std::move(l));
}

}  // namespace coracle::internal::gpu
