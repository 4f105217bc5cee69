// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/map.h"
#include "ops/elementwise/cast.h"
#include "ops/index/where.h"
#include "ops/movement/relayout.h"

/// Elements of other types, in another order, or from one of two operands.
namespace coracle::internal::gpu::kernels::conversion {
namespace {

RejectionReason fits(const void*, const ArgFacts& args) { return too_large(args); }

Prepared prepared_map(const Map& map, PrepareContext& context) {
  LaunchPlan plan;
  add(plan, *context.device, map);
  return prepared(std::move(plan));
}

constexpr DTypes kCastTypes = kFloats | kIntegerTypes | DType::kBool;
constexpr TypeRule kCastRule = {.operands = kCastTypes, .results = kCastTypes};

Prepared prepare_cast(const void*, const ArgFacts& args, PrepareContext& context) {
  const DType from = args.in(0).dtype;
  const DType to = args.out().dtype;
  Map map = map_to(args.out(), storage_type(to));
  map.operands.push_back(broadcast_operand(args, 0, args.out(), storage_type(from)));
  map.expression = "v0";
  if (to == DType::kBool) {
    map.expression = "v0 != 0";
  } else if (is_float(to)) {
    map.expression = "(float)v0";
  } else if (is_float(from)) {
    map.expression = to == DType::kInt64 ? "whole_i64(v0)" : "whole_i32(v0)";
  }
  return prepared_map(map, context);
}

Prepared prepare_relayout(const void*, const ArgFacts& args, PrepareContext& context) {
  const char* type = moved_type(args.in(0).dtype);
  Map map = map_to(args.out(), type);
  map.operands.push_back(broadcast_operand(args, 0, args.out(), type));
  map.expression = "v0";
  return prepared_map(map, context);
}

constexpr TypeRule kWhereRule = {
    .operands = kMoved, .results = kMoved, .in = {PortTypes{0, DType::kBool}, PortTypes{}}, .alike = true};

Prepared prepare_where(const void*, const ArgFacts& args, PrepareContext& context) {
  const char* type = moved_type(args.out().dtype);
  Map map = map_to(args.out(), type);
  for (int i = 0; i < 3; ++i) {
    map.operands.push_back(broadcast_operand(args, i, args.out(), i == 0 ? "u8" : type));
  }
  map.expression = "v0 ? v1 : v2";
  return prepared_map(map, context);
}

constexpr KernelDef kKernels[] = {
    {.name = Cast::kName,
     .op = &kOpSchema<Cast>,
     .layout = LayoutRule::kSame,
     .types = kCastRule,
     .fits = fits,
     .prepare = prepare_cast,
     .run = run_plan},
    {.name = Relayout::kName,
     .op = &kOpSchema<Relayout>,
     .layout = LayoutRule::kRelayout,
     .types = kMovedRule,
     .fits = fits,
     .prepare = prepare_relayout,
     .run = run_plan},
    {.name = Where::kName,
     .op = &kOpSchema<Where>,
     .types = kWhereRule,
     .fits = fits,
     .prepare = prepare_where,
     .run = run_plan},
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::conversion
