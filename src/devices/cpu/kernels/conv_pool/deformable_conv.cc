// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/deformable_conv.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "devices/cpu/bands.h"
#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/tile_cost.h"

/// Deformable convolution, channels-last: what the taps of some result pixels read, interpolated, is laid side by side
/// and multiplied with the packed filter while it is in cache.
namespace coracle::internal::cpu::kernels::deformable_conv {
namespace {

/// Result pixels that are computed together.
constexpr int64_t kBlock = 32;

struct State {
  GemmForm filter;
  ConvolutionGeometry g;
  const LinesFunctions* lines = nullptr;
  const GemmFunctions* gemm = nullptr;
  GemmCall call;
  int64_t taps = 1;
  int64_t offset_groups = 1;
  bool packs = false;   ///< the filter is computed
  int64_t bands = 1;    ///< parts of the result that run at once
  int64_t samples = 0;  ///< floats of a block
  int64_t packed_floats = 0;
};

TileProduct tile_product(const ConvolutionGeometry& g) {
  const int64_t taps = g.height().kernel * g.width().kernel;
  return {.rows = g.height().out * g.width().out,
          .shape = {1, taps * g.in_channels / g.groups, g.out_channels / g.groups},
          .count = static_cast<double>(g.groups)};
}

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const DeformableConv*>(op_attributes);
  if (args.out().shape.count() == 0 || args.shape(0).count() == 0) return "no elements";
  const ConvolutionGeometry g = convolution_geometry(op.convolution(), args.shape(0), args.shape(2), 2);
  const TileProduct product = tile_product(g);
  return mode_rejection(kernel_mode(args.kernel()), product.rows, product.shape);
}

std::optional<CostEstimate> cost(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const DeformableConv*>(op_attributes);
  return tile_cost(kernel_mode(args.kernel()),
                   tile_product(convolution_geometry(op.convolution(), args.shape(0), args.shape(2), 2)));
}

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const DeformableConv*>(op_attributes);
  State s;
  s.g = convolution_geometry(op.convolution(), args.shape(0), args.shape(2), 2);
  const ConvolutionGeometry& g = s.g;
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.gemm = &gemm_table(args.kernel());
  s.taps = g.height().kernel * g.width().kernel;
  s.offset_groups = op.deformable_groups;
  GemmForm& form = s.filter;
  form.choice = GemmChoice(args.kernel());
  form.groups = g.groups;
  form.inner = g.in_channels / g.groups;
  form.depth = s.taps * form.inner;
  form.columns = g.out_channels / g.groups;
  form.join_stride = 1;
  form.inner_stride = s.taps;
  form.column_stride = form.depth;
  form.group_stride = form.columns * form.depth;
  s.call.shape = form.shape();
  s.call.groups = g.groups;
  s.call.a_group_stride = s.call.shape.depth;
  s.call.c_group_stride = form.columns;
  s.call.a_stride = s.taps * g.in_channels;
  s.call.c_stride = g.out_channels;
  s.packed_floats = (Size(s.gemm->packed_floats(s.call.shape)) * g.groups).rounded_up(16).count();
  s.samples = (Size(s.taps) * g.in_channels * kBlock).rounded_up(16).count();
  const int64_t blocks = (g.batch * g.height().out * g.width().out + kBlock - 1) / kBlock;
  s.bands = std::clamp<int64_t>(blocks, 1, context.pool->threads());
  s.packs = args.in(2).value == nullptr;
  std::shared_ptr<const void> weights;
  if (!s.packs) weights = context.pack(form, args.index(2));
  const Size floats = Size(s.bands) * s.samples + (s.packs ? s.packed_floats : 0);
  Prepared prepared = kernels::prepared(s, floats * sizeof(float));
  prepared.weights = weights;
  return prepared;
}

struct Operands {
  const float* x;
  const float* offsets;
  const float* mask;
};

/// What the taps of one result pixel read, [group][tap][channel].
void sample(const State& s, const Operands& operands, int64_t pixel, float* to) {
  const WindowAxis& h = s.g.height();
  const WindowAxis& w = s.g.width();
  const int64_t channels = s.g.in_channels;
  const int64_t per_group = channels / s.g.groups;
  const int64_t per_offset = channels / s.offset_groups;
  const float* image = operands.x + pixel / (h.out * w.out) * h.in * w.in * channels;
  const int64_t row = pixel / w.out % h.out * h.stride - h.pad_before;
  const int64_t column = pixel % w.out * w.stride - w.pad_before;
  const float* offsets = operands.offsets + pixel * s.offset_groups * 2 * s.taps;
  const float* mask = operands.mask == nullptr ? nullptr : operands.mask + pixel * s.offset_groups * s.taps;
  for (int64_t o = 0; o < s.offset_groups; ++o) {
    for (int64_t t = 0; t < s.taps; ++t) {
      const int64_t at = o * s.taps + t;
      const int64_t tap_row = t / w.kernel;
      const double y = static_cast<double>(row + tap_row * h.dilation) + static_cast<double>(offsets[2 * at]);
      const double x =
          static_cast<double>(column + t % w.kernel * w.dilation) + static_cast<double>(offsets[2 * at + 1]);
      int64_t places[4];
      float weights[4];
      size_t count = 0;
      if (y > -1 && x > -1 && y < static_cast<double>(h.in) && x < static_cast<double>(w.in)) {
        const auto y0 = static_cast<int64_t>(std::floor(y));
        const auto x0 = static_cast<int64_t>(std::floor(x));
        const double down = y - static_cast<double>(y0);
        const double across = x - static_cast<double>(x0);
        const double factor = mask == nullptr ? 1.0 : static_cast<double>(mask[at]);
        for (int64_t i = 0; i < 2; ++i) {
          for (int64_t j = 0; j < 2; ++j) {
            if (y0 + i < 0 || x0 + j < 0 || y0 + i >= h.in || x0 + j >= w.in) continue;
            places[count] = ((y0 + i) * w.in + x0 + j) * channels;
            weights[count++] = static_cast<float>((i == 0 ? 1 - down : down) * (j == 0 ? 1 - across : across) * factor);
          }
        }
      }
      // Channels of these offsets, group by group.
      for (int64_t c = o * per_offset; c < (o + 1) * per_offset;) {
        const int64_t group = c / per_group;
        const int64_t end = std::min((o + 1) * per_offset, (group + 1) * per_group);
        const WeightedLines p{.x = image + c,
                              .offsets = places,
                              .weights = weights,
                              .count = count,
                              .y = to + (group * s.taps + t) * per_group + (c - group * per_group),
                              .channels = static_cast<size_t>(end - c)};
        s.lines->sum(p);
        c = end;
      }
    }
  }
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  auto* room = static_cast<float*>(call.workspace);
  const bool masked = call.in_counts.size() > 3 && call.in_counts[3] > 0;
  const Operands operands{call.in[0].as<const float>(), call.in[1].as<const float>(),
                          masked ? call.in[3].as<const float>() : nullptr};
  const auto* packed = static_cast<const float*>(call.weights);
  if (s.packs) {
    float* to = room + s.bands * s.samples;
    s.filter.pack_matrices(call.in[2].as<const float>(), to, *call.pool);
    packed = to;
  }
  auto* y = call.out[0].as<float>();
  const int64_t pixels = s.g.batch * s.g.height().out * s.g.width().out;
  const int64_t blocks = (pixels + kBlock - 1) / kBlock;
  const int64_t panels = s.gemm->panels(s.call.shape.columns) * s.g.groups;
  for_bands(*call.pool, blocks, s.bands, [&](int64_t band, int64_t first, int64_t stop) {
    float* samples = room + band * s.samples;
    for (int64_t b = first; b < stop && !call.over(); ++b) {
      const int64_t end = std::min((b + 1) * kBlock, pixels);
      for (int64_t p = b * kBlock; p < end; ++p) sample(s, operands, p, samples + (p - b * kBlock) * s.call.a_stride);
      GemmCall product = s.call;
      product.a = samples;
      product.packed = packed;
      product.c = y + b * kBlock * s.call.c_stride;
      s.gemm->run(product, 0, end - b * kBlock, 0, panels);
    }
  });
}

template <Isa I, ComputeMode P>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<DeformableConv, I, P>(),
                .op = &kOpSchema<DeformableConv>,
                .capability = I,
                .layout = LayoutRule::kChannelsLast,
                .mode = P,
                .fits = fits,
                .estimate = P == ComputeMode::kFloat32 ? nullptr : cost,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_all_products<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::deformable_conv
