// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/activation/abs.h"
#include "ops/activation/atan.h"
#include "ops/activation/ceil.h"
#include "ops/activation/celu.h"
#include "ops/activation/cos.h"
#include "ops/activation/dropout.h"
#include "ops/activation/elu.h"
#include "ops/activation/erf.h"
#include "ops/activation/exp.h"
#include "ops/activation/expm1.h"
#include "ops/activation/floor.h"
#include "ops/activation/gelu.h"
#include "ops/activation/hardshrink.h"
#include "ops/activation/hardsigmoid.h"
#include "ops/activation/hardswish.h"
#include "ops/activation/hardtanh.h"
#include "ops/activation/leaky_relu.h"
#include "ops/activation/log.h"
#include "ops/activation/log10.h"
#include "ops/activation/log1p.h"
#include "ops/activation/log2.h"
#include "ops/activation/logsigmoid.h"
#include "ops/activation/mish.h"
#include "ops/activation/negative.h"
#include "ops/activation/reciprocal.h"
#include "ops/activation/relu.h"
#include "ops/activation/relu6.h"
#include "ops/activation/round.h"
#include "ops/activation/rsqrt.h"
#include "ops/activation/selu.h"
#include "ops/activation/sigmoid.h"
#include "ops/activation/sign.h"
#include "ops/activation/silu.h"
#include "ops/activation/sin.h"
#include "ops/activation/softplus.h"
#include "ops/activation/softshrink.h"
#include "ops/activation/softsign.h"
#include "ops/activation/sqrt.h"
#include "ops/activation/square.h"
#include "ops/activation/stanh.h"
#include "ops/activation/swish.h"
#include "ops/activation/tanh.h"
#include "ops/activation/tanh_shrink.h"
#include "ops/activation/thresholded_relu.h"
#include "ops/activation/trunc.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/pow.h"
#include "ops/elementwise/relu_clipped.h"
#include "ops/elementwise/scale.h"

/// Operators that work element by element on one operand.
namespace coracle::internal::cpu::kernels::activation {
namespace {

/// The step of a node; nothing where it depends on what is not known while planning.
template <class Op>
std::optional<UnaryStep> step_of(const void* op, const ArgFacts& args) {
  constexpr auto kStep = make_op_schema<Op>().unary_step;
  static_assert(kStep != nullptr, "an operator of one operand, element by element");
  return kStep(op, args);
}

struct State {
  const UnaryFunctions* functions = nullptr;
  UnaryStep step;
  int64_t count = 0;
};

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return step_of<Op>(op, args) ? nullptr : "an argument is not constant or rare";
}

Prepared prepared_step(const UnaryStep& step, const ArgFacts& args) {
  return in_place(prepared(State{&unary_table(kernel_isa(args.kernel())), step, args.shape(0).count()}));
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_step(*step_of<Op>(op, args), args);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const float* x = call.in[0].as<const float>();
  float* y = call.out[0].as<float>();
  call.pool->parallel_for(s.count, kGrain / 2, [&](int64_t begin, int64_t end) {
    s.functions->apply(s.step, x + begin, y + begin, static_cast<size_t>(end - begin));
  });
}

template <Isa kIsa, class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = kernel_name<Ops, kIsa>(),
                    .op = &kOpSchema<Ops>,
                    .capability = kIsa,
                    .layout = LayoutRule::kSame,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run}...};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels =
      kernels_of<kIsa, Abs, Atan, Ceil, Celu, Clip, Cos, Dropout, Elu, Erf, Exp, Expm1, Floor, Gelu, Hardshrink,
                 Hardsigmoid, Hardswish, Hardtanh, LeakyRelu, Log, Log10, Log1p, Log2, Logsigmoid, Mish, Negative, Pow,
                 Reciprocal, Relu, Relu6, ReluClipped, Round, Rsqrt, Scale, Selu, Sigmoid, Sign, Silu, Sin, Softplus,
                 Softshrink, Softsign, Sqrt, Square, Stanh, Swish, Tanh, TanhShrink, ThresholdedRelu, Trunc>();
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::activation
