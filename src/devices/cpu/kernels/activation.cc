// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/kernels/rows.h"
#include "ops/abs.h"
#include "ops/atan.h"
#include "ops/ceil.h"
#include "ops/celu.h"
#include "ops/clip.h"
#include "ops/cos.h"
#include "ops/dropout.h"
#include "ops/elu.h"
#include "ops/erf.h"
#include "ops/exp.h"
#include "ops/expm1.h"
#include "ops/floor.h"
#include "ops/gelu.h"
#include "ops/hardshrink.h"
#include "ops/hardsigmoid.h"
#include "ops/hardswish.h"
#include "ops/hardtanh.h"
#include "ops/leaky_relu.h"
#include "ops/log.h"
#include "ops/log10.h"
#include "ops/log1p.h"
#include "ops/log2.h"
#include "ops/logsigmoid.h"
#include "ops/mish.h"
#include "ops/negative.h"
#include "ops/pow.h"
#include "ops/reciprocal.h"
#include "ops/relu.h"
#include "ops/relu6.h"
#include "ops/relu_clipped.h"
#include "ops/round.h"
#include "ops/rsqrt.h"
#include "ops/scale.h"
#include "ops/selu.h"
#include "ops/sigmoid.h"
#include "ops/sign.h"
#include "ops/silu.h"
#include "ops/sin.h"
#include "ops/softplus.h"
#include "ops/softshrink.h"
#include "ops/softsign.h"
#include "ops/sqrt.h"
#include "ops/square.h"
#include "ops/stanh.h"
#include "ops/swish.h"
#include "ops/tanh.h"
#include "ops/tanh_shrink.h"
#include "ops/thresholded_relu.h"
#include "ops/trunc.h"

/// Operators that work element by element on one operand.
namespace coracle::cpu::kernels {
namespace {

/// The step of a node; nothing where it depends on what is not known while planning.
template <class Op>
std::optional<UnaryStep> step_of(const void* op, const ArgFacts& args) {
  static_assert(kOpRow<Op>.unary_step != nullptr, "an operator of one operand, element by element");
  return kOpRow<Op>.unary_step(op, args);
}

struct State {
  const UnaryFunctions* functions = nullptr;
  UnaryStep step;
  int64_t count = 0;
};

template <class Op>
Misfit fits(const void* op, const ArgFacts& args) {
  return step_of<Op>(op, args) ? nullptr : "an argument is not constant or rare";
}

template <class Op, Isa kIsa>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return in_place(prepared(State{&unary_table(kIsa), *step_of<Op>(op, args), args.shape(0).count()}));
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
constexpr std::array<Kernel, sizeof...(Ops)> rows_of() {
  return {Kernel{.name = row_name<Ops, kIsa>(),
                 .op = &kOpRow<Ops>,
                 .isa = kIsa,
                 .layout = LayoutRule::kSame,
                 .fits = fits<Ops>,
                 .prepare = prepare<Ops, kIsa>,
                 .run = run}...};
}

template <Isa kIsa>
struct Rows {
  static constexpr auto kRows =
      rows_of<kIsa, Abs, Atan, Ceil, Celu, Clip, Cos, Dropout, Elu, Erf, Exp, Expm1, Floor, Gelu, Hardshrink,
              Hardsigmoid, Hardswish, Hardtanh, LeakyRelu, Log, Log10, Log1p, Log2, Logsigmoid, Mish, Negative, Pow,
              Reciprocal, Relu, Relu6, ReluClipped, Round, Rsqrt, Scale, Selu, Sigmoid, Sign, Silu, Sin, Softplus,
              Softshrink, Softsign, Sqrt, Square, Stanh, Swish, Tanh, TanhShrink, ThresholdedRelu, Trunc>();
};

constexpr auto kRows = rows_of_each_isa<Rows>();

}  // namespace

extern const KernelTable activation;
constinit const KernelTable activation = {kRows};

}  // namespace coracle::cpu::kernels
