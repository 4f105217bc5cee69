// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/quantized_plan.h"
#include "ops/quantize/integer_conv2d.h"

/// Transposed convolutions of int8 whose filters do not overlap: each pixel makes a block of pixels of its own. One
/// product for each row of the blocks, as adjacent pixels of the result are adjacent columns.
namespace coracle::internal::cpu::kernels::quantized_transposed {
namespace {

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const IntegerConv2d*>(op_attributes);
  if (!op.transposed) return "not transposed";
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  if (op.groups != 1) return "only one group";
  const ConvolutionGeometry g = op.geometry(args.shape(0), args.shape(1));
  for (const WindowAxis* a : {&g.height(), &g.width()}) {
    if (a->kernel != a->stride || a->dilation != 1 || a->pad_before != 0 || a->out != a->in * a->stride) {
      return "filters overlap or are cut";
    }
  }
  return quantized_rejection(op, args, convolution_result(g, op.data_format, 2), g.out_channels, g.in_channels);
}

/// How many pixels are one row of a product, with zeros between their weights: as many as fill a vector of columns.
int64_t joined_pixels(int64_t width, int64_t columns, int64_t lanes) {
  int64_t count = std::clamp<int64_t>(lanes / columns, 1, width);
  while (width % count != 0) --count;
  return count;
}

[[gnu::cold]] Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const IntegerConv2d*>(op_attributes);
  const ConvolutionGeometry g = op.geometry(args.shape(0), args.shape(1));
  const int64_t width = g.width().in;
  const int64_t block_rows = g.height().kernel;
  const int64_t area = block_rows * g.width().kernel;
  auto state = std::make_shared<QuantizedGemmPlan>();
  QuantizedGemmPlan& plan = *state;
  plan.functions = &machine_quantized_gemm(kernel_isa(args.kernel()));
  QuantizedGemmForm form;
  form.columns = g.width().kernel * g.out_channels;
  form.matrices = block_rows;
  form.blocks = joined_pixels(width, form.columns, plan.functions->lanes);
  form.depth = g.in_channels;
  form.inner_columns = g.out_channels;
  form.matrix_stride = g.width().kernel;
  form.inner_stride = g.out_channels * area;
  form.outer_stride = 1;
  form.column_stride = area;
  plan.call.depth = form.blocks * form.depth;
  plan.call.columns = form.blocks * form.columns;
  plan.call.a_stride = plan.call.depth;
  plan.rows = width / form.blocks;
  plan.result_stride = plan.call.columns;
  plan.epilogue = EpilogueProgram(op, plan.result_stride);
  plan.parts.clear();
  for (int64_t row = 0; row < g.batch * g.height().in; ++row) {
    for (int64_t y = 0; y < block_rows; ++y) {
      plan.parts.push_back(
          {.a = row * width * form.depth, .matrix = y, .result = (row * block_rows + y) * width * form.columns});
    }
  }
  Prepared prepared = prepared_product(plan, form, args, context);
  prepared.workspace += bytes_of<float>(Size(plan.call.columns) * kMaxEpilogueOps);
  prepared.state = std::move(state);
  return prepared;
}

void run(KernelCall& call) noexcept {
  const auto& plan = state_of<QuantizedGemmPlan>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  const QuantizedResult result =
      quantized_result(call.attributes<IntegerConv2d>(), plan.epilogue, call, ops, plan.result_stride);
  const int64_t channels = call.out[0].fact->shape[1];
  // Per-channel tensors, repeated for the pixels of a row.
  auto* repeated = reinterpret_cast<float*>(static_cast<char*>(call.workspace) + plan.slots * plan.scratch_bytes);
  for (EpilogueOp& op : std::span(ops, static_cast<size_t>(result.epilogue_size))) {
    if (op.step.kind != EpilogueKind::kAddChannel && op.step.kind != EpilogueKind::kMultiplyChannel) continue;
    const float* from = op.tensor;
    op.tensor = repeated;
    for (int64_t i = 0; i < plan.call.columns; i += channels) repeated = std::copy_n(from, channels, repeated);
  }
  plan.run(call.in[0].as<const int8_t>(), call.weights, call.workspace, result, *call.pool);
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {
      KernelDef{.name = kernel_name<"integer_conv2d.transposed", kIsa>(),
                .op = &kOpSchema<IntegerConv2d>,
                .capability = kIsa,
                .layout = LayoutRule::kChannelsLast,
                .types = kQuantizedRule,
                .rank = -2,
                .fits = fits,
                .prepare = prepare,
                .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::quantized_transposed
