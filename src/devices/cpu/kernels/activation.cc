// SPDX-License-Identifier: Apache-2.0
#include <limits>

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

using Kind = UnaryKind;
using Step = std::optional<UnaryStep>;

Step step(Kind kind, double a = 0, double b = 0, double c = 0) {
  return UnaryStep{kind, static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)};
}

// The step of each operator; nothing where it depends on what is not known while planning.
Step step_of(const Abs&, const ArgFacts&) { return step(Kind::kAbs); }
Step step_of(const Atan&, const ArgFacts&) { return step(Kind::kAtan); }
Step step_of(const Ceil&, const ArgFacts&) { return step(Kind::kCeil); }
Step step_of(const Celu& op, const ArgFacts&) { return step(Kind::kCelu, op.alpha); }
Step step_of(const Cos&, const ArgFacts&) { return step(Kind::kCos); }
Step step_of(const Elu& op, const ArgFacts&) { return step(Kind::kElu, op.alpha); }
Step step_of(const Erf&, const ArgFacts&) { return step(Kind::kErf); }
Step step_of(const Exp&, const ArgFacts&) { return step(Kind::kExp); }
Step step_of(const Expm1&, const ArgFacts&) { return step(Kind::kExpm1); }
Step step_of(const Floor&, const ArgFacts&) { return step(Kind::kFloor); }
Step step_of(const Gelu& op, const ArgFacts&) { return step(op.approximate ? Kind::kGeluTanh : Kind::kGelu); }
Step step_of(const Hardshrink& op, const ArgFacts&) {
  if (op.threshold < 0) return std::nullopt;
  return step(Kind::kHardShrink, op.threshold);
}
Step step_of(const Hardsigmoid& op, const ArgFacts&) { return step(Kind::kHardSigmoid, op.slope, op.offset); }
Step step_of(const Hardswish& op, const ArgFacts&) { return step(Kind::kHardSwish, op.offset, op.threshold, op.scale); }
Step step_of(const Hardtanh& op, const ArgFacts&) { return step(Kind::kClip, op.t_min, op.t_max); }
Step step_of(const LeakyRelu& op, const ArgFacts&) { return step(Kind::kLeakyRelu, op.negative_slope); }
Step step_of(const Log&, const ArgFacts&) { return step(Kind::kLog); }
Step step_of(const Log10&, const ArgFacts&) { return step(Kind::kLog10); }
Step step_of(const Log1p&, const ArgFacts&) { return step(Kind::kLog1p); }
Step step_of(const Log2&, const ArgFacts&) { return step(Kind::kLog2); }
Step step_of(const Logsigmoid&, const ArgFacts&) { return step(Kind::kLogSigmoid); }
Step step_of(const Negative&, const ArgFacts&) { return step(Kind::kNegative); }
Step step_of(const Reciprocal&, const ArgFacts&) { return step(Kind::kReciprocal); }
Step step_of(const Relu&, const ArgFacts&) { return step(Kind::kRelu); }
Step step_of(const Relu6& op, const ArgFacts&) { return step(Kind::kClip, 0, op.threshold); }
Step step_of(const ReluClipped& op, const ArgFacts&) { return step(Kind::kClip, 0, op.limit); }
Step step_of(const Rsqrt&, const ArgFacts&) { return step(Kind::kRsqrt); }
Step step_of(const Selu& op, const ArgFacts&) { return step(Kind::kSelu, op.alpha, op.scale); }
Step step_of(const Sigmoid&, const ArgFacts&) { return step(Kind::kSigmoid); }
Step step_of(const Sign&, const ArgFacts&) { return step(Kind::kSign); }
Step step_of(const Silu&, const ArgFacts&) { return step(Kind::kSwish, 1); }
Step step_of(const Sin&, const ArgFacts&) { return step(Kind::kSin); }
Step step_of(const Softplus& op, const ArgFacts&) { return step(Kind::kSoftplus, op.beta, op.threshold); }
Step step_of(const Softshrink& op, const ArgFacts&) { return step(Kind::kSoftShrink, op.threshold); }
Step step_of(const Softsign&, const ArgFacts&) { return step(Kind::kSoftsign); }
Step step_of(const Sqrt&, const ArgFacts&) { return step(Kind::kSqrt); }
Step step_of(const Square&, const ArgFacts&) { return step(Kind::kSquare); }
Step step_of(const Stanh& op, const ArgFacts&) { return step(Kind::kScaledTanh, op.scale_a, op.scale_b); }
Step step_of(const Swish& op, const ArgFacts&) { return step(Kind::kSwish, op.beta); }
Step step_of(const Tanh&, const ArgFacts&) { return step(Kind::kTanh); }
Step step_of(const TanhShrink&, const ArgFacts&) { return step(Kind::kTanhShrink); }
Step step_of(const ThresholdedRelu& op, const ArgFacts&) {
  return step(Kind::kThresholdedRelu, op.threshold, op.value);
}
Step step_of(const Trunc&, const ArgFacts&) { return step(Kind::kTruncate); }

Step step_of(const Mish& op, const ArgFacts&) {
  // Above 20 softplus(x) is x to the last bit, so that the threshold does not show.
  if (op.threshold < 20) return std::nullopt;
  return step(Kind::kMish);
}
Step step_of(const Round& op, const ArgFacts&) {
  if (op.decimals != 0) return std::nullopt;
  return step(op.half_even ? Kind::kRoundHalfEven : Kind::kRoundHalfAway);
}
Step step_of(const Clip&, const ArgFacts& args) {
  const auto low = known_number(args, 1, -std::numeric_limits<double>::infinity());
  const auto high = known_number(args, 2, std::numeric_limits<double>::infinity());
  if (!low || !high) return std::nullopt;
  return step(Kind::kClip, *low, *high);
}
Step step_of(const Scale& op, const ArgFacts& args) {
  const auto scale = known_number(args, 1, 1.0);
  if (!scale) return std::nullopt;
  return step(op.bias_after_scale ? Kind::kScaleShift : Kind::kShiftScale, *scale, op.bias);
}
Step step_of(const Pow&, const ArgFacts& args) {
  const auto exponent = known_number(args, 1, 1.0);
  if (!exponent) return std::nullopt;
  if (*exponent == 2) return step(Kind::kSquare);
  if (*exponent == 1) return step(Kind::kScaleShift, 1, 0);
  return step(Kind::kPow, *exponent);
}
Step step_of(const Dropout& op, const ArgFacts& args) {
  const auto p = known_number(args, 2, 0.5);
  if (!p || args.all_out().size() != 1) return std::nullopt;
  return step(Kind::kScaleShift, op.mode == DropoutMode::kUpscaleInTrain ? 1.0 : 1.0 - *p);
}

struct State {
  const UnaryFunctions* functions = nullptr;
  UnaryStep step;
  int64_t count = 0;
};

template <class Op>
Misfit fits(const void* op, const ArgFacts& args) {
  return step_of(*static_cast<const Op*>(op), args) ? nullptr : "an argument is not constant or rare";
}

Prepared prepared_step(const UnaryStep& step, const ArgFacts& args) {
  return in_place(prepared(State{&unary_table(args.kernel().isa), step, args.shape(0).count()}));
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_step(*step_of(*static_cast<const Op*>(op), args), args);
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
                 .prepare = prepare<Ops>,
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
