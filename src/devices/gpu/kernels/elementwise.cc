// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/gpu/map.h"
#include "ops/activation/isfinite.h"
#include "ops/activation/isinf.h"
#include "ops/activation/isnan.h"
#include "ops/activation/prelu.h"
#include "ops/common/data_format.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/elementwise_pow.h"
#include "ops/elementwise/floor_divide.h"
#include "ops/elementwise/fmax.h"
#include "ops/elementwise/fmin.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/minimum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/remainder.h"
#include "ops/elementwise/subtract.h"
#include "ops/index/where.h"
#include "ops/logic/bitwise_and.h"
#include "ops/logic/bitwise_or.h"
#include "ops/logic/bitwise_xor.h"
#include "ops/logic/equal.h"
#include "ops/logic/greater_equal.h"
#include "ops/logic/greater_than.h"
#include "ops/logic/less_equal.h"
#include "ops/logic/less_than.h"
#include "ops/logic/logical_and.h"
#include "ops/logic/logical_not.h"
#include "ops/logic/logical_or.h"
#include "ops/logic/logical_xor.h"
#include "ops/logic/not_equal.h"

/// Operators on elements of several operands, with broadcasting: one expression each, of the elements v0, v1, v2.
/// Integers wrap around and divided by zero give zero, as in ops/elementwise/arithmetic.h.
namespace coracle::internal::gpu::kernels::elementwise {
namespace {

constexpr DTypes kNumbers = kFloats | kIndexTypes;
constexpr TypeRule kNumberRule = {.operands = kNumbers, .results = kNumbers, .alike = true};
constexpr TypeRule kIntegerRule = {
    .operands = kIndexTypes | DType::kBool, .results = kIndexTypes | DType::kBool, .alike = true};
constexpr TypeRule kTestRule = {.operands = kNumbers | DType::kBool, .results = DType::kBool, .alike = true};

/// An operator: an expression for real and one for integers ("" : none). T and U are the type of integers
/// and that without a sign.
struct Formula {
  const OpSchema* op;
  const char* real;
  const char* whole;
  TypeRule types = kNumberRule;
};

template <class Op>
constexpr Formula formula(const char* real, const char* whole, const TypeRule& types = kNumberRule) {
  return {&kOpSchema<Op>, real, whole, types};
}

/// The same for both.
template <class Op>
constexpr Formula test(const char* expression) {
  return {&kOpSchema<Op>, expression, expression, kTestRule};
}

constexpr Formula kFormulas[] = {
    formula<Add>("v0 + v1", "(T)((U)v0 + (U)v1)"),
    formula<Subtract>("v0 - v1", "(T)((U)v0 - (U)v1)"),
    formula<Multiply>("v0 * v1", "(T)((U)v0 * (U)v1)"),
    formula<Divide>("v0 / v1", "v1 == 0 ? 0 : v1 == -1 ? (T)(0 - (U)v0) : v0 / v1"),
    formula<Maximum>("v0 != v0 ? v0 : v1 != v1 ? v1 : v0 < v1 ? v1 : v0", "v0 < v1 ? v1 : v0"),
    formula<Minimum>("v0 != v0 ? v0 : v1 != v1 ? v1 : v1 < v0 ? v1 : v0", "v1 < v0 ? v1 : v0"),
    formula<Fmax>("v0 != v0 ? v1 : v1 != v1 ? v0 : v0 < v1 ? v1 : v0", "v0 < v1 ? v1 : v0"),
    formula<Fmin>("v0 != v0 ? v1 : v1 != v1 ? v0 : v1 < v0 ? v1 : v0", "v1 < v0 ? v1 : v0"),
    formula<ElementwisePow>("MATH(pow)(v0, v1)", "", kFloatRule),
    formula<Prelu>("v0 > 0 ? v0 : v1 * v0", "", kFloatRule),
    formula<FloorDivide>("", "floor_quotient(v0, v1)", kIntegerRule),
    formula<Remainder>("", "floor_remainder(v0, v1)", kIntegerRule),
    formula<BitwiseAnd>("", "v0 & v1", kIntegerRule),
    formula<BitwiseOr>("", "v0 | v1", kIntegerRule),
    formula<BitwiseXor>("", "v0 ^ v1", kIntegerRule),
    test<Equal>("v0 == v1"),
    test<NotEqual>("v0 != v1"),
    test<LessThan>("v0 < v1"),
    test<LessEqual>("v0 <= v1"),
    test<GreaterThan>("v0 > v1"),
    test<GreaterEqual>("v0 >= v1"),
    test<LogicalAnd>("v0 != 0 && v1 != 0"),
    test<LogicalOr>("v0 != 0 || v1 != 0"),
    test<LogicalXor>("(v0 != 0) != (v1 != 0)"),
    test<LogicalNot>("v0 == 0"),
    test<Isnan>("v0 != v0"),
    test<Isinf>("v0 == v0 && v0 - v0 != v0 - v0"),
    test<Isfinite>("v0 - v0 == v0 - v0"),
};

const Formula& formula_of(const OpSchema& op) {
  return *std::find_if(std::begin(kFormulas), std::end(kFormulas), [&](const Formula& f) { return f.op == &op; });
}

/// Steps of prelu's parameter, which lies in row-major order.
std::vector<int64_t> parameter_steps(const Prelu& op, const Shape& x) {
  std::vector<int64_t> steps(static_cast<size_t>(x.rank()), 0);
  if (op.mode == PreluMode::kChannel) steps[static_cast<size_t>(channel_axis(op.data_format, x.rank()))] = 1;
  if (op.mode == PreluMode::kElement) {
    int64_t step = 1;
    for (int d = x.rank(); d-- > 1; step *= x[d]) steps[static_cast<size_t>(d)] = step;
  }
  return steps;
}

RejectionReason fits(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepare_formula(const OpSchema& schema, const void* op, const ArgFacts& args, PrepareContext& context) {
  const Formula& f = formula_of(schema);
  const DType dtype = args.in(0).dtype;
  const bool real = is_float(dtype);
  Map map = map_to(args.out(), storage_type(args.out().dtype));
  for (int i = 0; i < static_cast<int>(args.all_in().size()); ++i) {
    map.operands.push_back(broadcast_operand(args, i, args.out(), storage_type(dtype)));
  }
  if (f.op == &kOpSchema<Prelu>) {
    map.operands[1].step = parameter_steps(*static_cast<const Prelu*>(op), args.shape(0));
  }
  map.expression = real ? f.real : f.whole;
  if (!real) map.definitions.set("T", dtype == DType::kInt64 ? "i64" : "i32");
  if (!real) map.definitions.set("U", dtype == DType::kInt64 ? "u64" : "u32");
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

template <const OpSchema* kOp>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_formula(*kOp, op, args, context);
}

template <size_t... kIndex>
constexpr auto kernels_of(std::index_sequence<kIndex...>) {
  return std::array<KernelDef, sizeof...(kIndex)>{KernelDef{.name = kFormulas[kIndex].op->name,
                                                            .op = kFormulas[kIndex].op,
                                                            .layout = LayoutRule::kRowMajor,
                                                            .types = kFormulas[kIndex].types,
                                                            .fits = fits,
                                                            .prepare = prepare<kFormulas[kIndex].op>,
                                                            .run = run_plan}...};
}

constexpr auto kKernels = kernels_of(std::make_index_sequence<std::size(kFormulas)>());

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::elementwise
