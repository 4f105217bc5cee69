// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/winograd_plan.h"

#include <algorithm>
#include <vector>

#include "base/size.h"
#include "devices/cpu/bands.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/winograd.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/pixel_line.h"
#include "devices/cpu/winograd_filter.h"
#include "devices/cpu/winograd_parts.h"
#include "devices/cpu/winograd_tiles.h"

namespace coracle::internal::cpu {
namespace {

/// Floats of transformed inputs and products that a chunk should have at most.
constexpr int64_t kChunkFloats = 128 << 10;
/// Multiplications that a thread has to have where threads share the filter, as they wait for each other three times.
constexpr int64_t kSharedGrain = 256 << 10;
/// Points are so many floats further apart than needed: otherwise they would often share sets of the caches.
constexpr int64_t kPointGap = 16;

/// The transformed filter is 4 times the size of the filter for tiles of 4x4 pixels, 16/9 times for 2x2.
constexpr WinogradTiles kTiles4{
    .size = 4, .least_tiles = 40, .least_in_channels = 24, .least_out_channels = 12, .share = 1, .of_shares = 2};
constexpr WinogradTiles kTiles2{
    .size = 2, .least_tiles = 12, .least_in_channels = 64, .least_out_channels = 64, .share = 2, .of_shares = 3};
constexpr const WinogradTiles& tiles_of(int tile) { return tile == 4 ? kTiles4 : kTiles2; }

struct WinogradState {
  WinogradCall call;
  int64_t in_start = 0;
  int64_t out_start = 0;
  GemmCall product;  ///< one group per point
  std::vector<float> zeros;
  int64_t tiles = 0;
  int64_t chunk = 0;  ///< tiles
  int64_t slots = 0;  ///< threads that have a workspace; 1 where all tiles are one chunk
  int64_t panels = 0;
  EpilogueProgram epilogue;

  int64_t input_floats() const { return call.points() * call.in_point_stride; }
  int64_t slot_floats() const { return input_floats() + call.points() * call.out_point_stride; }
};

/// Transformed filters, one packed matrix for each point.
struct WinogradForm {
  static constexpr std::string_view kLayout = "winograd.3x3.panels.v1";

  int64_t tile = 0;
  GemmForm product;

  size_t bytes() const { return product.bytes(); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
            const RunContext& context) const {
    WinogradFilter{.tile = tile}.pack(product, constants, to, pool, context);
  }
};

/// One for each point of a tile.
TileProduct points_of(int tile, const Conv2dFused& op, const ArgFacts& args) {
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  return {.rows = tiles_of(tile).count(g),
          .shape = {1, g.in_channels, g.out_channels},
          .count = (tile + 2.0) * (tile + 2.0)};
}

}  // namespace

RejectionReason winograd_rejection(int tile, const Conv2dFused& op, const ArgFacts& args) {
  return tiles_of(tile).rejection(convolution_geometry(op, args.shape(0), args.shape(1), 2));
}

RejectionReason winograd_product_rejection(int tile, const Conv2dFused& op, const ArgFacts& args) {
  if (const RejectionReason rejection = winograd_rejection(tile, op, args)) return rejection;
  const TileProduct points = points_of(tile, op, args);
  return mode_rejection(kernel_mode(args.kernel()), points.rows, points.shape);
}

std::optional<CostEstimate> winograd_cost(int tile, const Conv2dFused& op, const ArgFacts& args) {
  TileProduct points = points_of(tile, op, args);
  const ComputeMode mode = kernel_mode(args.kernel());
  const std::optional<CostEstimate> products = tile_cost(mode, points);
  points.vector_rate = kWinogradRate;
  const std::optional<CostEstimate> all = tile_cost(mode, points);
  if (!products || !all) return std::nullopt;
  const double transformations = std::max(all->others - products->others, 0.0);
  return CostEstimate{.own = products->own + transformations, .others = all->others};
}

TileProduct beside_winograd(TileProduct direct, const Conv2dFused& op, const ArgFacts& args) {
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  for (int tile : {4, 2}) {
    if (winograd_rejection(tile, op, args) != nullptr) continue;
    const auto points = static_cast<double>(tiles_of(tile).count(g) * (tile + 2) * (tile + 2));
    direct.vector_share = points / static_cast<double>(9 * g.height().out * g.width().out);
    direct.vector_rate = kWinogradRate;
    return direct;
  }
  if (winograd_parts_rejection(op, args) == nullptr) direct.vector_share = winograd_parts_share(op, args);
  return direct;
}

Prepared prepare_winograd(int tile, const Conv2dFused& op, const ArgFacts& args, PrepareContext& context) {
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  const GemmFunctions& gemm = gemm_table(args.kernel());
  auto state = std::make_shared<WinogradState>();
  WinogradState& s = *state;
  s.call.tile = tile;
  s.call.in_h = g.height().in;
  s.call.in_w = g.width().in;
  s.call.in_channels = g.in_channels;
  const PixelLine in = *pixel_line(args.in(0), args.view_in(0));
  const PixelLine out = *pixel_line(args.out(), args.view_out());
  s.in_start = in.start;
  s.out_start = out.start;
  s.call.in_stride = in.stride;
  s.call.out_stride = out.stride;
  s.call.out_h = g.height().out;
  s.call.out_w = g.width().out;
  s.call.out_channels = g.out_channels;
  s.call.pad_top = g.height().pad_before;
  s.call.pad_left = g.width().pad_before;
  s.zeros.assign(static_cast<size_t>(g.in_channels), 0.0F);
  s.product.shape = {1, g.in_channels, g.out_channels};
  const int64_t points = s.call.points();
  const int64_t channels = g.in_channels + g.out_channels;
  s.panels = points * gemm.panels(g.out_channels);
  s.tiles = g.batch * tiles_of(tile).count(g);
  const int64_t threads = context.pool->threads();
  const int64_t shares = std::clamp<int64_t>(s.tiles / kGrainTiles, 1, threads);
  // Where there are too few tiles for all threads, these share the filter.
  const auto multiplications =
      static_cast<double>(points * s.tiles) * static_cast<double>(g.in_channels * g.out_channels);
  const bool few_tiles = 4 * shares <= 3 * threads && multiplications >= static_cast<double>(threads * kSharedGrain);
  if (few_tiles || Size(g.in_channels) * g.out_channels > Size(s.tiles) * channels) {
    s.chunk = s.tiles;
    s.slots = 1;
  } else {
    const int64_t fitting = kChunkFloats / (points * channels);
    const int64_t together = gemm.tile_rows(g.out_channels);
    s.chunk = std::min(s.tiles, std::max(fitting / together, int64_t{1}) * together);
    s.slots = shares;
  }
  s.call.in_point_stride = s.chunk * g.in_channels + kPointGap;
  s.call.out_point_stride = s.chunk * g.out_channels + kPointGap;
  s.product.groups = points;
  s.product.a_stride = g.in_channels;
  s.product.a_group_stride = s.call.in_point_stride;
  s.product.c_stride = g.out_channels;
  s.product.c_group_stride = s.call.out_point_stride;
  s.epilogue = EpilogueProgram(op, g.out_channels);

  Prepared p;
  WinogradForm form{tile, GemmForm{GemmChoice(args.kernel())}};
  form.product.depth = g.in_channels;
  form.product.columns = g.out_channels;
  form.product.groups = points;
  form.product.inner = g.in_channels;
  form.product.group_stride = g.in_channels * g.out_channels;
  form.product.inner_stride = 1;
  form.product.column_stride = g.in_channels;
  p.weights = context.pack(form, args.index(1));
  p.workspace = bytes_of<float>(Size(s.slots) * points * (Size(s.call.in_point_stride) + s.call.out_point_stride));
  p.state_bytes = sizeof(WinogradState) + s.zeros.size() * sizeof(float);
  p.in_place = s.epilogue.whole_tensor(2);
  p.state = std::move(state);
  return p;
}

void run_winograd(KernelCall& call) noexcept {
  const WinogradState& s = *static_cast<const WinogradState*>(call.state);
  const GemmFunctions& gemm = gemm_table(*call.kernel);
  const WinogradFunctions& winograd = winograd_table(kernel_isa(*call.kernel));
  EpilogueOp ops[kMaxEpilogueOps];
  s.epilogue.bind(call, 2, ops);
  WinogradCall c = s.call;
  c.input = call.in[0].as<const float>() + s.in_start;
  c.zeros = s.zeros.data();
  c.output = call.out[0].as<float>() + s.out_start;
  c.epilogue = ops;
  c.epilogue_size = s.epilogue.count();
  auto* workspace = static_cast<float*>(call.workspace);
  if (s.chunk == s.tiles) {
    float* products = workspace + s.input_floats();
    GemmCall product = s.product;
    product.a = workspace;
    product.packed = static_cast<const float*>(call.weights);
    product.c = products;
    call.pool->parallel_for(s.tiles, transformation_grain(c.points(), c.in_channels), [&](int64_t begin, int64_t end) {
      winograd.transform_input(c, begin, end, workspace + begin * c.in_channels);
    });
    call.pool->parallel_for(s.panels, 1,
                            [&](int64_t begin, int64_t end) { gemm.run(product, 0, s.tiles, begin, end); });
    call.pool->parallel_for(s.tiles, transformation_grain(c.points(), c.out_channels), [&](int64_t begin, int64_t end) {
      winograd.transform_output(c, begin, end, products + begin * c.out_channels);
    });
    return;
  }
  for_chunks(call, s.tiles, s.slots, s.chunk, [&](int64_t slot, int64_t begin, int64_t end) {
    float* inputs = workspace + slot * s.slot_floats();
    float* products = inputs + s.input_floats();
    GemmCall product = s.product;
    product.a = inputs;
    product.packed = static_cast<const float*>(call.weights);
    product.c = products;
    winograd.transform_input(c, begin, end, inputs);
    gemm.run(product, 0, end - begin, 0, s.panels);
    winograd.transform_output(c, begin, end, products);
  });
}

}  // namespace coracle::internal::cpu
