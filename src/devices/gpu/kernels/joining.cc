// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/map.h"
#include "ops/movement/concat.h"
#include "ops/movement/split.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/stack.h"
#include "ops/movement/unbind.h"
#include "ops/movement/unstack.h"

/// Operators that join tensors along an axis or take them apart: one map for each part.
namespace coracle::internal::gpu::kernels::joining {
namespace {

/// The axis of an operator, whose parts lie behind each other along it; nothing where it is not known while planning.
std::optional<int64_t> axis_at(const ArgFacts& args, int port) {
  if (!args.has(port)) return 0;
  const Tensor* value = known_value(args, port);
  if (value == nullptr || value->count() == 0) return std::nullopt;
  return value->integer(0);
}
std::optional<int64_t> axis_of(const Concat&, const ArgFacts& args) { return axis_at(args, 1); }
std::optional<int64_t> axis_of(const Split&, const ArgFacts& args) { return axis_at(args, 2); }
std::optional<int64_t> axis_of(const SplitWithNum&, const ArgFacts& args) { return axis_at(args, 1); }
std::optional<int64_t> axis_of(const Stack& op, const ArgFacts&) { return op.axis; }
std::optional<int64_t> axis_of(const Unstack& op, const ArgFacts&) { return op.axis; }
std::optional<int64_t> axis_of(const Unbind& op, const ArgFacts&) { return op.axis; }

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (!axis_of(*static_cast<const Op*>(op), args)) return "the axis is not constant";
  if (args.in(0).is_array) return "a tensor array";
  return too_large(args);
}

/// `joins`: the operands are parts of the result, else the results are parts of the operand.
Prepared prepare_parts(int64_t axis_value, bool joins, const ArgFacts& args, PrepareContext& context) {
  const Shape& whole = joins ? args.out().shape : args.shape(0);
  const int axis = normalize_axis(axis_value, whole.rank());
  const int64_t outer = whole.count(0, axis);
  const int64_t inner = whole.count(axis + 1, whole.rank());
  const char* type = moved_type(args.in(0).dtype);
  const int parts = joins ? args.count(0) : args.out_count(0);
  LaunchPlan plan;
  int64_t begin = 0;
  for (int i = 0; i < parts; ++i) {
    const int64_t count = (joins ? args.shape(0, i) : args.out(0, i).shape).count();
    if (count == 0) continue;
    const int64_t row = count / outer;
    MapTensor part{joins ? Parameter::operand(i) : Parameter::result(i), type, 0, {row, 1}};
    MapTensor in_whole{joins ? Parameter::result() : Parameter::operand(0), type, begin, {whole[axis] * inner, 1}};
    Map map;
    map.size = {outer, row};
    map.expression = "v0";
    map.result = joins ? in_whole : part;
    map.operands = {joins ? part : in_whole};
    add(plan, *context.device, map);
    begin += row;
  }
  return prepared(std::move(plan));
}

template <class Op, bool kJoins>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepare_parts(*axis_of(*static_cast<const Op*>(op), args), kJoins, args, context);
}

template <class Op, bool kJoins>
constexpr KernelDef make_kernel() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = kMovedRule,
          .fits = fits<Op>,
          .prepare = prepare<Op, kJoins>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<Concat, true>(),   make_kernel<Stack, true>(),
                                  make_kernel<Split, false>(),   make_kernel<SplitWithNum, false>(),
                                  make_kernel<Unstack, false>(), make_kernel<Unbind, false>()};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::joining
