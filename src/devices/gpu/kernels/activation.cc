// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "devices/gpu/formula.h"
#include "devices/gpu/map.h"
#include "ops/activation/abs.h"
#include "ops/activation/acos.h"
#include "ops/activation/asin.h"
#include "ops/activation/atan.h"
#include "ops/activation/ceil.h"
#include "ops/activation/celu.h"
#include "ops/activation/cos.h"
#include "ops/activation/cosh.h"
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
#include "ops/activation/sinh.h"
#include "ops/activation/softplus.h"
#include "ops/activation/softshrink.h"
#include "ops/activation/softsign.h"
#include "ops/activation/sqrt.h"
#include "ops/activation/square.h"
#include "ops/activation/stanh.h"
#include "ops/activation/swish.h"
#include "ops/activation/tan.h"
#include "ops/activation/tanh.h"
#include "ops/activation/tanh_shrink.h"
#include "ops/activation/thresholded_relu.h"
#include "ops/activation/trunc.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/pow.h"
#include "ops/elementwise/relu_clipped.h"
#include "ops/elementwise/scale.h"

/// Operators that work element by element on one operand: a formula of formulas.cl each. `scale` takes integers too.
namespace coracle::internal::gpu::kernels::activation {
namespace {

/// Scale and bias of integers, as float32 has them: kernels get numbers so.
std::optional<std::array<float, 2>> whole_numbers(const Scale& op, const ArgFacts& args) {
  constexpr double kBound = 1 << 24;
  const std::optional<double> scale = args.number(1, 1.0);
  if (!scale) return std::nullopt;
  const double numbers[] = {std::trunc(*scale), std::trunc(op.bias)};
  for (const double n : numbers) {
    if (!(std::fabs(n) <= kBound)) return std::nullopt;
  }
  return std::array{static_cast<float>(numbers[0]), static_cast<float>(numbers[1])};
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (args.all_out().size() != 1) return "a second result is wanted";
  if (!formula_of(kOpSchema<Op>, op, args)) return "an argument is not constant or rare";
  if constexpr (std::is_same_v<Op, Scale>) {
    const bool whole = !is_float(args.in(0).dtype);
    if (whole && !whole_numbers(*static_cast<const Scale*>(op), args)) return "a number is beyond 2^24";
  }
  return too_large(args);
}

/// As the reference has it: int64 wraps around, what is no int32 becomes the smallest one.
void set_whole(Map& map, const Scale& op, DType dtype, const std::array<float, 2>& numbers) {
  map.numbers.assign(numbers.begin(), numbers.end());
  map.definitions.set(
      "SCALED(x)", op.bias_after_scale ? "(u64)(x)*(u64)(i64)n0+(u64)(i64)n1" : "((u64)(x)+(u64)(i64)n1)*(u64)(i64)n0");
  map.expression = dtype == DType::kInt64 ? "SCALED(v0)" : "whole_or_smallest((i64)(SCALED((i64)v0)))";
}

Prepared prepare_formula(const OpSchema& schema, const void* op, const ArgFacts& args, PrepareContext& context) {
  const DType dtype = args.in(0).dtype;
  const char* type = storage_type(dtype);
  Map map = map_to(args.out(), type);
  map.operands.push_back(broadcast_operand(args, 0, args.out(), type));
  if (!is_float(dtype)) {
    const auto& scale = *static_cast<const Scale*>(op);  // of those here, the only one
    set_whole(map, scale, dtype, *whole_numbers(scale, args));
  } else {
    const Formula formula = *formula_of(schema, op, args);
    map.numbers.assign(formula.numbers.begin(), formula.numbers.end());
    map.expression = formula.call("v0", 0);
  }
  LaunchPlan plan;
  add(plan, *context.device, map);
  Prepared made = prepared(std::move(plan));
  made.in_place = 0;
  return made;
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_formula(kOpSchema<Op>, op, args, context);
}

template <class Op>
constexpr DTypes kTypes = kFloats;
template <>
constexpr DTypes kTypes<Scale> = kFloats | kIndexTypes;

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .layout = LayoutRule::kSame,
                    .types = {.operands = kTypes<Ops>, .results = kTypes<Ops>, .alike = true},
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels =
    kernels_of<Abs, Acos, Asin, Atan, Ceil, Celu, Clip, Cos, Cosh, Dropout, Elu, Erf, Exp, Expm1, Floor, Gelu,
               Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyRelu, Log, Log10, Log1p, Log2, Logsigmoid, Mish,
               Negative, Pow, Reciprocal, Relu, Relu6, ReluClipped, Round, Rsqrt, Scale, Selu, Sigmoid, Sign, Silu, Sin,
               Sinh, Softplus, Softshrink, Softsign, Sqrt, Square, Stanh, Swish, Tan, Tanh, TanhShrink, ThresholdedRelu,
               Trunc>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::activation
