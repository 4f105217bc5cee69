// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "devices/cpu/depthwise_plan.h"
#include "devices/cpu/isa/depthwise.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/conv_pool/convolution_operators.h"

/// Convolutions with one filter for each channel that depthwise_conv2d leaves: of files that put the channels last, and
/// with a filter that is computed.
namespace coracle::internal::cpu::kernels::convolution_depthwise {
namespace {

struct State {
  DepthwiseCall call;
  bool packs = false;
  int64_t rows = 0;
  std::vector<float> zeros;
  EpilogueProgram epilogue;
};

RejectionReason fits(const ConvolutionNode& node, const ArgFacts& args) {
  if (const RejectionReason rejection = convolution_epilogue_rejection(node, args)) return rejection;
  const ConvolutionGeometry& g = node.geometry;
  return g.groups > 1 && g.groups == g.in_channels && g.groups == g.out_channels ? nullptr
                                                                                 : "not one filter per channel";
}

Prepared prepare(const ConvolutionNode& node, const ArgFacts& args, PrepareContext& context) {
  const ConvolutionGeometry& g = node.geometry;
  const DepthwiseFunctions& depthwise = depthwise_table(kernel_isa(args.kernel()));
  State s;
  DepthwiseCall& c = s.call = depthwise_call(g, depthwise);
  s.zeros.assign(static_cast<size_t>(c.channels), 0.0F);
  c.zeros = s.zeros.data();  // which stay where they are when their vector is moved
  s.rows = g.batch * c.out_h;
  s.epilogue = epilogue_program(node);
  s.packs = args.in(1).value == nullptr;
  const int64_t taps = c.kernel_h * c.kernel_w;
  const int64_t channels = c.channels;
  const int64_t floats = depthwise.packed_floats(taps, channels);
  std::shared_ptr<const void> weights;
  if (!s.packs) weights = context.pack(DepthwiseForm(kernel_isa(args.kernel()), taps, channels), args.index(1));
  const size_t workspace = s.packs ? static_cast<size_t>(floats) * sizeof(float) : 0;
  const size_t extra = s.zeros.size() * sizeof(float);
  Prepared prepared = kernels::prepared(std::move(s), workspace, extra);
  prepared.weights = weights;
  return prepared;
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  EpilogueOp ops[kMaxEpilogueOps];
  s.epilogue.bind(call, 2, ops);
  DepthwiseCall c = s.call;
  c.input = call.in[0].as<const float>();
  c.packed = static_cast<const float*>(call.weights);
  if (s.packs) {
    auto* packed = static_cast<float*>(call.workspace);
    depthwise_table(kernel_isa(*call.kernel))
        .pack(call.in[1].as<const float>(), c.kernel_h * c.kernel_w, c.channels, packed);
    c.packed = packed;
  }
  c.output = call.out[0].as<float>();
  c.epilogue = ops;
  c.epilogue_size = s.epilogue.count();
  run_whole_depthwise(depthwise_table(kernel_isa(*call.kernel)), c, s.rows, *call.pool);
}

template <Isa I>
struct IsaKernels {
  template <class Op, bool kByShape>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<"convolution.depthwise", I>(),
            .op = &kOpSchema<Op>,
            .capability = I,
            .layout = kByShape ? LayoutRule::kRowMajor : LayoutRule::kChannelsLast,
            .rank = -1,
            .fits = fits_convolution<Op, fits>,
            .prepare = prepare_convolution<Op, prepare>,
            .run = run};
  }
  static constexpr std::array<KernelDef, 5> kKernels = {
      make_kernel<Conv2d, false>(), make_kernel<Conv2d, true>(), make_kernel<DepthwiseConv2d, false>(),
      make_kernel<DepthwiseConv2d, true>(), make_kernel<Conv2dFused, true>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::convolution_depthwise
