// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/map.h"
#include "devices/opencl/step_numbers.h"
#include "ops/abs.h"
#include "ops/acos.h"
#include "ops/asin.h"
#include "ops/atan.h"
#include "ops/ceil.h"
#include "ops/celu.h"
#include "ops/clip.h"
#include "ops/cos.h"
#include "ops/cosh.h"
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
#include "ops/sinh.h"
#include "ops/softplus.h"
#include "ops/softshrink.h"
#include "ops/softsign.h"
#include "ops/sqrt.h"
#include "ops/square.h"
#include "ops/stanh.h"
#include "ops/swish.h"
#include "ops/tan.h"
#include "ops/tanh.h"
#include "ops/tanh_shrink.h"
#include "ops/thresholded_relu.h"
#include "ops/trunc.h"

/// Operators that work element by element on one operand: the formula of their name in formulas.cl.
namespace coracle::opencl::kernels {
namespace {

Misfit fits_any(const void*, const ArgFacts& args) {
  if (args.all_out().size() != 1) return "a second result is wanted";
  return too_large(args);
}

template <class Op>
Misfit fits(const void* op, const ArgFacts& args) {
  if constexpr (std::is_same_v<Op, Mish>) {
    if (static_cast<const Mish*>(op)->threshold < 20) return "a threshold below 20";
  }
  if constexpr (std::is_same_v<Op, Round>) {
    if (static_cast<const Round*>(op)->decimals != 0) return "rounds to decimals";
  }
  if constexpr (std::is_same_v<Op, Hardshrink>) {
    if (static_cast<const Hardshrink*>(op)->threshold < 0) return "a negative threshold";
  }
  if (!step_numbers(kOpRow<Op>, op, args)) return "a number is not constant";
  return fits_any(op, args);
}

/// `fits` of an operator: one for most.
template <class Op>
constexpr auto fits_of() {
  constexpr bool kOwn = std::is_same_v<Op, Mish> || std::is_same_v<Op, Round> || std::is_same_v<Op, Hardshrink>;
  if constexpr (kOwn || kOpRow<Op>.inputs.size() > 1) {
    return fits<Op>;
  } else {
    return fits_any;
  }
}

Prepared prepare_formula(const OpRow& row, const void* op, const ArgFacts& args, PrepareContext& context) {
  const char* type = storage_type(args.in(0).dtype);
  Map map = map_to(args.out(), type);
  map.operands.push_back(broadcast_operand(args, 0, args.out(), type));
  map.numbers = *step_numbers(row, op, args);
  map.expression = formula_call(row.name, "v0", "n");
  LaunchPlan plan;
  add(plan, *context.device, map);
  Prepared made = prepared(std::move(plan));
  made.in_place = 0;
  return made;
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_formula(kOpRow<Op>, op, args, context);
}

template <class... Ops>
constexpr std::array<Kernel, sizeof...(Ops)> rows_of() {
  return {Kernel{.name = row_name<Ops>(),
                 .op = &kOpRow<Ops>,
                 .layout = LayoutRule::kSame,
                 .types = kFloatRule,
                 .fits = fits_of<Ops>(),
                 .prepare = prepare<Ops>,
                 .run = run_plan}...};
}

constexpr auto kRows =
    rows_of<Abs, Acos, Asin, Atan, Ceil, Celu, Clip, Cos, Cosh, Elu, Erf, Exp, Expm1, Floor, Gelu, Hardshrink,
            Hardsigmoid, Hardswish, Hardtanh, LeakyRelu, Log, Log10, Log1p, Log2, Logsigmoid, Mish, Negative, Pow,
            Reciprocal, Relu, Relu6, ReluClipped, Round, Rsqrt, Scale, Selu, Sigmoid, Sign, Silu, Sin, Sinh, Softplus,
            Softshrink, Softsign, Sqrt, Square, Stanh, Swish, Tan, Tanh, TanhShrink, ThresholdedRelu, Trunc>();

}  // namespace

extern const KernelTable activation;
constinit const KernelTable activation = {kRows};

}  // namespace coracle::opencl::kernels
