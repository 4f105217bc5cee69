// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/quantized_winograd_plan.h"

#include <algorithm>

#include "base/size.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/isa/quantized_winograd.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/quantized_plan.h"
#include "devices/cpu/winograd_tiles.h"

namespace coracle::internal::cpu {
namespace {

/// Bytes of transformed inputs and products that a chunk should have at most.
constexpr int64_t kChunkBytes = 1 << 20;
/// The transformed filter is 8 times the size of the filter.
constexpr WinogradTiles kQuantizedTiles{
    .size = 4, .least_tiles = 12, .least_in_channels = 16, .least_out_channels = 16, .share = 1, .of_shares = 3};
/// Products of a panel with a tile's pairs of channels, as many as are multiplied between looks at the deadline.
constexpr int64_t kUnwatchedPairs = 1 << 15;
/// Results must be smaller (isa/quantized_winograd.h).
constexpr int64_t kResultLimit = 1 << 25;

constexpr int kTransform[6][3] = {{1, 0, 0}, {1, 1, 1}, {1, -1, 1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 1}};

struct QuantizedWinogradForm {
  static constexpr std::string_view kLayout = "integer.winograd.3x3.v1";

  int64_t lanes = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;

  int64_t pairs() const { return (in_channels + 1) / 2; }
  int64_t columns() const { return (out_channels + lanes - 1) / lanes * lanes; }
  size_t bytes() const { return bytes_of<int16_t>(Size(kQuantizedWinogradPoints) * columns() * (2 * pairs())); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) const {
    const int8_t* filter = constants[0]->data<int8_t>();
    auto* const packed = reinterpret_cast<int16_t*>(to);
    pool.parallel_for(out_channels, 8, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        const int64_t panel = o / (2 * lanes) * 2 * lanes;
        const int64_t width = std::min(columns() - panel, 2 * lanes);
        for (int64_t i = 0; i < in_channels; ++i) {
          const int8_t* f = filter + (o * in_channels + i) * 9;
          int half[6][3];
          for (int p = 0; p < 6; ++p) {
            for (int x = 0; x < 3; ++x) {
              half[p][x] = kTransform[p][0] * f[x] + kTransform[p][1] * f[3 + x] + kTransform[p][2] * f[6 + x];
            }
          }
          for (int p = 0; p < 6; ++p) {
            for (int q = 0; q < 6; ++q) {
              const int* g = kTransform[q];
              const int value = half[p][0] * g[0] + half[p][1] * g[1] + half[p][2] * g[2];
              const int64_t point = (p * 6 + q) * columns() + panel;
              packed[(point * pairs() + i / 2 * width + o - panel) * 2 + i % 2] = static_cast<int16_t>(value);
            }
          }
        }
      }
    });
  }
};

struct QuantizedWinogradState {
  const QuantizedWinogradFunctions* functions = nullptr;
  QuantizedWinogradCall call;
  EpilogueProgram epilogue;
  int64_t tiles = 0;
  int64_t panels = 0;  ///< of the filter
  int64_t slots = 1;
  int64_t point_bytes = 0;  ///< of a slot
  int64_t slot_bytes = 0;
};

/// Whether no sum of products with one filter can reach the limit.
bool sums_are_small(const Tensor& filter) {
  const int64_t count = filter.shape().count(1, filter.shape().rank());
  const int8_t* w = filter.data<int8_t>();
  for (int64_t o = 0; o < filter.shape()[0]; ++o, w += count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += std::abs(int{w[i]});
    if (sum * 128 >= kResultLimit) return false;
  }
  return true;
}

}  // namespace

RejectionReason quantized_winograd_rejection(const IntegerConv2d& op, const ArgFacts& args) {
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  if (const RejectionReason rejection = kQuantizedTiles.rejection(g)) return rejection;
  const QuantizedGemmFunctions& direct = machine_quantized_gemm(kernel_isa(args.kernel()));
  if (direct.dot_products) return "products of bytes are faster";
  return sums_are_small(*args.in(1).value) ? nullptr : "sums are too large for Winograd";
}

Prepared prepare_quantized_winograd(const IntegerConv2d& op, const ArgFacts& args, PrepareContext& context) {
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  auto state = std::make_shared<QuantizedWinogradState>();
  QuantizedWinogradState& s = *state;
  s.functions = &quantized_winograd_table(kernel_isa(args.kernel()));
  s.call.in_h = g.height().in;
  s.call.in_w = g.width().in;
  s.call.out_h = g.height().out;
  s.call.out_w = g.width().out;
  s.call.in_channels = g.in_channels;
  s.call.out_channels = g.out_channels;
  s.call.pad_top = g.height().pad_before;
  s.call.pad_left = g.width().pad_before;
  s.epilogue = EpilogueProgram(op, g.out_channels);
  s.tiles = g.batch * kQuantizedTiles.count(g);
  const QuantizedWinogradForm form{
      .lanes = s.functions->lanes, .in_channels = g.in_channels, .out_channels = g.out_channels};
  const int64_t tile_points = kQuantizedWinogradPoints * form.pairs() * 2;
  const int64_t tile_products = kQuantizedWinogradPoints * form.columns();
  s.panels = kQuantizedWinogradPoints * ((form.columns() + 2 * form.lanes - 1) / (2 * form.lanes));
  // Threads share a filter that is larger than what it is multiplied with, and otherwise tiles.
  if (Size(g.in_channels) * g.out_channels > Size(s.tiles) * (g.in_channels + g.out_channels)) {
    s.call.chunk = s.tiles;
  } else {
    const int64_t together = s.functions->tile_rows;
    const int64_t fitting = kChunkBytes / (tile_points * 2 + tile_products * 4);
    s.slots = std::clamp<int64_t>(s.tiles / kGrainTiles, 1, context.pool == nullptr ? 1 : context.pool->threads());
    const int64_t share = (s.tiles + s.slots - 1) / s.slots;
    s.call.chunk = std::min(share, std::max<int64_t>(fitting / together, 1) * together);
  }
  const auto whole_lines = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  s.point_bytes = whole_lines(s.call.chunk * tile_points * 2);
  s.slot_bytes = s.point_bytes + whole_lines(s.call.chunk * tile_products * 4);
  Prepared p;
  p.weights = context.pack(form, args.index(1));
  p.workspace = bytes_of<char>(Size(s.slots) * s.slot_bytes);
  p.state_bytes = sizeof(QuantizedWinogradState);
  p.state = std::move(state);
  return p;
}

void run_quantized_winograd(KernelCall& call) noexcept {
  const QuantizedWinogradState& s = *static_cast<const QuantizedWinogradState*>(call.state);
  EpilogueOp ops[kMaxEpilogueOps];
  QuantizedWinogradCall whole = s.call;
  whole.input = call.in[0].as<const int8_t>();
  whole.filter = static_cast<const int16_t*>(call.weights);
  whole.result = quantized_result(call.attributes<IntegerConv2d>(), s.epilogue, call, ops, whole.out_channels);
  auto* const workspace = static_cast<char*>(call.workspace);
  const QuantizedWinogradFunctions& f = *s.functions;
  whole.points = reinterpret_cast<int16_t*>(workspace);
  whole.products = reinterpret_cast<int32_t*>(workspace + s.point_bytes);
  if (s.call.chunk == s.tiles) {
    call.pool->parallel_for(s.tiles, transformation_grain(kQuantizedWinogradPoints, whole.in_channels),
                            [&](int64_t begin, int64_t end) { f.transform_input(whole, begin, end); });
    const int64_t step = 1 + kUnwatchedPairs / (s.tiles * whole.pairs());
    call.pool->parallel_for(s.panels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end && !call.over(); i += step) {
        f.multiply(whole, s.tiles, i, std::min(i + step, end));
      }
    });
    call.pool->parallel_for(s.tiles, transformation_grain(kQuantizedWinogradPoints, whole.out_channels),
                            [&](int64_t begin, int64_t end) { f.transform_output(whole, begin, end); });
    return;
  }
  for_chunks(call, s.tiles, s.slots, s.call.chunk, [&](int64_t slot, int64_t begin, int64_t end) {
    QuantizedWinogradCall part = whole;
    char* const scratch = workspace + slot * s.slot_bytes;
    part.first = begin;
    part.points = reinterpret_cast<int16_t*>(scratch);
    part.products = reinterpret_cast<int32_t*>(scratch + s.point_bytes);
    f.transform_input(part, begin, end);
    f.multiply(part, end - begin, 0, s.panels);
    f.transform_output(part, begin, end);
  });
}

}  // namespace coracle::internal::cpu
