// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/gemm.h"

#include <algorithm>
#include <span>

#include "devices/gpu/library_steps.h"

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
std::span<const Tile> tiles_for(const Matrices& p, int64_t batch, int units) {
  if (p.rows <= 4) return {&kFewRows, 1};
  if (p.columns <= 4) return {&kFewColumns, 1};
  std::span<const Tile> tiles = kTiles;
  const auto is_too_large = [&](const Tile& t) {
    return p.rows * 2 <= t.group_m * t.item_m || p.columns * 2 <= t.group_n * t.item_n ||
           batch * t.count(p.rows, p.columns) < units;
  };
  while (tiles.size() > 1 && is_too_large(tiles.front())) tiles = tiles.subspan(1);
  return tiles;
}

int64_t count_of_matrices(const Matrices& p) {
  int64_t count = 1;
  for (const Matrices::Axis& axis : p.batch) count *= axis.size;
  return count;
}

/// By a library, and the steps that it has not by a kernel; false where there is none that takes the product.
bool add_by_library(LaunchPlan& plan, const PrepareContext& context, const Gemm& g, DType type) {
  if (g.windows != nullptr || g.groups != 1 || g.matrices.depth == 0) return false;
  const Matrices& p = g.matrices;
  const LibrarySteps steps =
      LibrarySteps::of(g.epilogue, g.first_tensor, {.scale = true, .bias = !g.channels_in_rows, .gelu = true});
  OpenDevice& device = *context.device;
  PlannedLaunch l;
  l.function = static_cast<OpenGpu&>(device).product({.matrices = p,
                                                      .type = type,
                                                      .precision = context.precision,
                                                      .alpha = steps.alpha,
                                                      .has_added = steps.has_added,
                                                      .has_bias = steps.has_bias,
                                                      .activation = steps.activation});
  if (l.function == nullptr) return false;
  l.parameters = {g.result, g.a, g.b};
  l.parameters.insert(l.parameters.end(), steps.tensors.begin(), steps.tensors.end());
  plan.push_back(std::move(l));
  const LibraryResult result = {
      type, count_of_matrices(p) * p.rows * p.columns, p.rows, p.columns, g.channels_in_rows, g.result};
  add_other_steps(plan, device, result, g.epilogue, g.first_tensor, steps);
  return true;
}

/// Sums of integers by a library, and what is made of them by a kernel: the floats of the workspace that the sums take,
/// 0 where there is no library that takes the product.
int64_t add_sums_by_library(LaunchPlan& plan, const PrepareContext& context, const Gemm& g) {
  if (g.windows != nullptr || g.groups != 1 || g.matrices.depth == 0) return 0;
  const Matrices& p = g.matrices;
  const int64_t count = count_of_matrices(p) * p.rows * p.columns;
  OpenDevice& device = *context.device;
  PlannedLaunch sums;
  sums.function = static_cast<OpenGpu&>(device).product({.matrices = p, .type = DType::kInt8});
  if (sums.function == nullptr) return 0;
  sums.parameters = {Parameter::workspace(0), g.a, g.b};
  plan.push_back(std::move(sums));
  Definitions d;
  d.set("CHANNEL", g.channels_in_rows ? "row%channels" : "column");
  PlannedLaunch finish;
  finish.grid = grid_of(count);
  finish.parameters = {g.result, Parameter::workspace(0), Parameter::of(count), Parameter::of(p.columns),
                       Parameter::of(p.rows)};
  add_integer_epilogue(*g.integers, g.first_tensor, d, finish.parameters);
  finish.function = compile(device, "integer_finish", d);
  plan.push_back(std::move(finish));
  return count;
}

/// Whether four numbers along k are a word in memory, at a multiple of four: of a line from `line` to `line` and from
/// matrix to matrix by each `step`.
bool has_words(const Matrices& p, int64_t line, int64_t along_depth, int64_t Matrices::Axis::*step) {
  const auto whole = [](int64_t n) { return n % 4 == 0; };
  return along_depth == 1 && whole(p.depth) && whole(line) &&
         std::all_of(p.batch.begin(), p.batch.end(), [&](const Matrices::Axis& axis) { return whole(axis.*step); });
}

}  // namespace

int64_t add(LaunchPlan& plan, const PrepareContext& context, const Gemm& g, DType type) {
  const Matrices& p = g.matrices;
  const int64_t batch = count_of_matrices(p);
  if (batch * p.rows * p.columns == 0) return 0;
  if (g.integers == nullptr) {
    if (add_by_library(plan, context, g, type)) return 0;
  } else if (const int64_t floats = add_sums_by_library(plan, context, g); floats > 0) {
    return floats;
  }
  OpenDevice& device = *context.device;
  Definitions d;
  if (g.integers == nullptr) {
    d.set_stored(type);
  } else {
    const bool b_words = g.windows == nullptr && has_words(p, p.b_column, p.b_depth, &Matrices::Axis::b_step);
    d.set("A_WORDS", has_words(p, p.a_row, p.a_depth, &Matrices::Axis::a_step) ? 1 : 0).set("B_WORDS", b_words ? 1 : 0);
  }
  d.set("A_ALONG_K", p.a_row == 1 && p.a_depth != 1 ? 0 : 1);
  d.set("B_ALONG_K", g.windows == nullptr && p.b_depth == 1 && p.b_column != 1 ? 1 : 0);
  d.set_each("BATCH_AXES", 0, static_cast<int>(p.batch.size()));
  d.set("CONVOLUTION", g.windows == nullptr ? 0 : 1);
  if (g.windows != nullptr) d.set("KERNEL_H", g.windows->kernel_h).set("KERNEL_W", g.windows->kernel_w);
  d.set("CHANNEL", g.channels_in_rows ? "batch%groups*rows+m" : "n");

  PlannedLaunch l;
  l.parameters = {g.result, g.a, g.b};
  for (int64_t n : {p.rows, p.columns, p.depth, p.a_row, p.a_depth, p.b_depth, p.b_column, g.groups}) {
    l.parameters.push_back(Parameter::of(n));
  }
  for (size_t i = p.batch.size(); i-- > 0;) {
    for (int64_t n : {p.batch[i].size, p.batch[i].a_step, p.batch[i].b_step}) l.parameters.push_back(Parameter::of(n));
  }
  if (g.windows != nullptr) {
    for (int64_t n : g.windows->numbers) l.parameters.push_back(Parameter::of(n));
  }
  if (g.integers == nullptr) {
    add_epilogue(g.epilogue, g.first_tensor, d, l.parameters);
  } else {
    add_integer_epilogue(*g.integers, g.first_tensor, d, l.parameters);
  }

  // Of what has more items than the device takes in a group, the next smaller tile.
  std::span<const Tile> tiles = tiles_for(p, batch, device.info().compute_units);
  for (;; tiles = tiles.subspan(1)) {
    const Tile& tile = tiles.front();
    Definitions of_tile = d;
    of_tile.set("GROUP_M", tile.group_m).set("GROUP_N", tile.group_n).set("TILE_K", tile.depth);
    of_tile.set("ITEM_M", tile.item_m).set("ITEM_N", tile.item_n);
    l.function = compile(device, g.integers == nullptr ? "gemm" : "integer_gemm", of_tile);
    if (tiles.size() == 1 || l.function->largest_group() >= tile.items()) break;
  }
  const Tile& tile = tiles.front();
  const auto groups = [](int64_t count, int size) { return static_cast<size_t>((count + size - 1) / size); };
  l.grid.local[0] = static_cast<size_t>(tile.group_n);
  l.grid.local[1] = static_cast<size_t>(tile.group_m);
  l.grid.global[0] = groups(p.columns, tile.group_n * tile.item_n) * l.grid.local[0];
  l.grid.global[1] = groups(p.rows, tile.group_m * tile.item_m) * l.grid.local[1];
  l.grid.global[2] = static_cast<size_t>(batch);
  plan.push_back(std::move(l));
  return 0;
}

}  // namespace coracle::internal::gpu
