// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/cpu/depthwise_plan.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/depthwise.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/cpu/pixel_line.h"
#include "ops/conv_pool/conv2d_fused.h"

/// Depthwise convolution, channels-last: each channel with its own filter.
namespace coracle::internal::cpu::kernels::depthwise_conv2d {
namespace {

struct State {
  const DepthwiseFunctions* functions = nullptr;
  DepthwiseCall call;
  int64_t in_start = 0;
  int64_t out_start = 0;
  std::vector<float> zeros;
  int64_t rows = 0;
  EpilogueProgram epilogue;
};

RejectionReason fits(const void* op_attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  if (op.data_format == DataFormat::kNhwc) return "only NCHW";
  if (args.in(1).value == nullptr) return "the filter is not constant";
  const int64_t channels = args.shape(0)[1];
  if (op.groups != channels || args.out().shape[1] != channels || channels == 1) return "not one filter per channel";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  if (const RejectionReason rejection =
          epilogue_rejection(op, args, 2, convolution_result(g, op.data_format, 2), channels)) {
    return rejection;
  }
  return pixels_rejection(args);
}

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = convolution_geometry(op, args.shape(0), args.shape(1), 2);
  auto state = std::make_shared<State>();
  state->functions = &depthwise_table(kernel_isa(args.kernel()));
  DepthwiseCall& c = state->call = depthwise_call(g, *state->functions);
  const PixelLine in = *pixel_line(args.in(0), args.view_in(0));
  const PixelLine out = *pixel_line(args.out(), args.view_out());
  state->in_start = in.start;
  state->out_start = out.start;
  c.in_stride = in.stride;
  c.out_stride = out.stride;
  state->zeros.assign(static_cast<size_t>(c.channels), 0.0F);
  c.zeros = state->zeros.data();
  state->rows = g.batch * c.out_h;
  state->epilogue = EpilogueProgram(op, g.in_channels);

  Prepared prepared;
  prepared.weights =
      context.pack(DepthwiseForm(kernel_isa(args.kernel()), c.kernel_h * c.kernel_w, c.channels), args.index(1));
  prepared.state_bytes = sizeof(State) + state->zeros.size() * sizeof(float);
  prepared.state = state;
  prepared.in_place = state->epilogue.whole_tensor(2);
  prepared.rows = {c.stride_y, c.pad_top, (c.kernel_h - 1) * c.dilation_y + 1};
  return prepared;
}

/// `ops` is where the epilogue go.
DepthwiseCall bound(const KernelCall& call, EpilogueOp* ops) {
  const State& state = state_of<State>(call);
  state.epilogue.bind(call, 2, ops);
  DepthwiseCall c = state.call;
  c.input = call.in[0].as<const float>() + state.in_start;
  c.packed = static_cast<const float*>(call.weights);
  c.output = call.out[0].as<float>() + state.out_start;
  c.epilogue = ops;
  c.epilogue_size = state.epilogue.count();
  return c;
}

void run(KernelCall& call) noexcept {
  EpilogueOp ops[kMaxEpilogueOps];
  const State& s = state_of<State>(call);
  run_whole_depthwise(*s.functions, bound(call, ops), s.rows, *call.pool);
}

void run_rows(const KernelCall& call, int64_t begin, int64_t end) noexcept {
  EpilogueOp ops[kMaxEpilogueOps];
  state_of<State>(call).functions->run(bound(call, ops), begin, end);
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<"conv2d.depthwise", kIsa>(),
                                                                  .op = &kOpSchema<Conv2dFused>,
                                                                  .capability = kIsa,
                                                                  .layout = LayoutRule::kChannelsLast,
                                                                  .rank = -2,
                                                                  .strided = true,
                                                                  .fits = fits,
                                                                  .prepare = prepare,
                                                                  .run = run,
                                                                  .run_rows = run_rows}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::depthwise_conv2d
