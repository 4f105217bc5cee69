// SPDX-License-Identifier: Apache-2.0
#include "ops/index/topk.h"

#include "devices/gpu/sorted_lines.h"
#include "ops/index/argsort.h"
#include "ops/index/topk_v1.h"

/// The first elements of sorted lines: those with the greatest or smallest number, or all of them.
namespace coracle::internal::gpu::kernels::topk {
namespace {

constexpr DTypes kSorted = kFloats | kIndexTypes;
constexpr int64_t kLanesOfLine = 64;
/// Lines that argsort.cl sorts in one launch; its work grows with their square.
constexpr int64_t kLongestAtOnce = 1024;
/// Numbers of four bytes in which selection.cl keeps what it has to do later: three for each halving, of which there
/// are 2 * 31 at most.
constexpr int64_t kMostLater = 192;

/// As selection.cl has them.
enum class Selects : int64_t { kInOrder, kByPartialSort, kByNthElement, kUnsorted };

struct Order {
  int64_t axis = -1;
  bool descending = true;
  bool stable = false;  ///< equal elements keep their order
  bool sorted = true;
  bool by_partial_sort = false;
};
Order order_of(const Topk& op) { return {.axis = op.axis, .descending = op.largest, .sorted = op.sorted}; }
Order order_of(const TopkV1&) { return {.by_partial_sort = true}; }
Order order_of(const Argsort& op) { return {.axis = op.axis, .descending = op.descending, .stable = true}; }

/// See `select` in selection.h.
Selects selects_of(const Order& order, int64_t k, int64_t length) {
  if (order.stable) return Selects::kInOrder;
  if (order.by_partial_sort || k * 64 < length) return Selects::kByPartialSort;
  return order.sorted ? Selects::kByNthElement : Selects::kUnsorted;
}

Around line_of(const Order& order, const Shape& x) {
  return Around(x.is_scalar() ? Shape{1} : x, sorting_axis(order.axis, x));
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (const RejectionReason reason = too_large(args)) return reason;
  const Around line = line_of(order_of(*static_cast<const Op*>(op)), args.shape(0));
  return sorting_rejection(line.outer * line.inner, line.dim);
}

Prepared prepare_order(const Order& order, const Around& line, const ArgFacts& args, PrepareContext& context) {
  const int64_t lines = line.outer * line.inner;
  const int64_t k = args.out().shape.count() / lines;
  const bool has_indices = args.out_count(1) > 0;
  const Selects selects = selects_of(order, k, line.dim);
  // Equal values are the same whichever of them they are, but for zeros and what is not a number.
  LaunchPlan plan;
  WorkspaceRoom room;
  SortedLines s;
  s.keys = Parameter::operand(0);
  s.type = args.in(0).dtype;
  s.descending = order.descending;
  s.lines = lines;
  s.length = line.dim;
  s.inner = line.inner;
  // With the one behind them, which may be equal to the last.
  s.limit = std::min(k + 1, line.dim);
  const Parameter sorted = add(plan, *context.device, room, s);
  Definitions d = ordering_of(s.type, order.descending);
  d.set("LANES", kLanesOfLine).set("HAS_INDICES", has_indices ? 1 : 0);
  d.set("SELECTS", static_cast<int64_t>(selects)).set("MOST_LATER", kMostLater);
  PlannedLaunch l;
  l.grid = grid_of_lines(lines, kLanesOfLine);
  l.parameters = {Parameter::result(0)};
  if (has_indices) l.parameters.push_back(Parameter::result(1));
  l.parameters.insert(l.parameters.end(), {Parameter::operand(0), sorted});
  if (selects != Selects::kInOrder) {
    l.parameters.push_back(Parameter::workspace(room.take(lines * (line.dim + kMostLater))));
  }
  for (const int64_t n : {line.dim, line.inner, k}) l.parameters.push_back(Parameter::of(n));
  l.function = compile(*context.device, "selection", d);
  plan.push_back(std::move(l));
  return prepared(std::move(plan), room.floats());
}

Prepared prepare_at_once(const Order& order, const Around& line, const ArgFacts& args, PrepareContext& context) {
  const int64_t count = args.out().shape.count();
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(0), Parameter::result(1),    Parameter::operand(0),
                  Parameter::of(count), Parameter::of(line.dim), Parameter::of(line.inner)};
  l.function = compile(*context.device, "argsort", ordering_of(args.in(0).dtype, order.descending));
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  const Order order = order_of(*static_cast<const Op*>(op));
  if (args.out().shape.count() == 0) return prepared({});
  const Around line = line_of(order, args.shape(0));
  if (order.stable && line.dim <= kLongestAtOnce && args.out_count(1) > 0) {
    return prepare_at_once(order, line, args, context);
  }
  return prepare_order(order, line, args, context);
}

template <class Op>
constexpr KernelDef make_kernel() {
  return {.name = Op::kName,
          .op = &kOpSchema<Op>,
          .types = {.operands = kSorted, .results = kSorted, .out = {PortTypes{1, DType::kInt64}}},
          .fits = fits<Op>,
          .prepare = prepare<Op>,
          .run = run_plan};
}

constexpr KernelDef kKernels[] = {make_kernel<Topk>(), make_kernel<TopkV1>(), make_kernel<Argsort>()};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::topk
