// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/movement/concat.h"
#include "ops/movement/transpose.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "passes/passes.h"

/// Numbers are rounded to int8 as early as that can be. Where nothing but a rounding reads the result of a product of
/// integers, the product rounds itself:
///   to_int8(integer_linear(...))  ->  integer_linear(...) with a result_scale
/// and where nothing but a rounding reads what an operator puts into another order, it is integers that move:
///   to_int8(concat([a, b]))  ->  concat([to_int8(a), to_int8(b)])
namespace coracle {
namespace {

/// Each element of operand 0 (a list for concat), and nothing else, is an element of result 0.
bool reorders(const Node& node) {
  return (node.op.row().reshapes || node.op.is<Transpose>() || node.op.is<Concat>()) && node.outputs.size() == 1;
}

/// The same operator with an int8 result.
template <class T>
Op with_result(const T& op, const ToInt8& rounding) {
  T changed = op;
  changed.result_scale = rounding.scale;
  changed.round_type = rounding.round_type;
  return changed;
}

/// The producer of what a rounding reads, if nothing else reads that.
NodeId sole_producer(const Graph& graph, const Node& rounding) {
  const ValueId x = rounding.input(0);
  return graph.use_counts()[index(x)] == 1 ? graph.value(x).producer : kNoNode;
}

bool all_float32(const Graph& graph, const std::vector<ValueId>& values) {
  return std::all_of(values.begin(), values.end(), [&](ValueId v) { return graph.fact(v).dtype == DType::kFloat32; });
}

bool round_earlier(Graph& graph, NodeId id, RewriteBudget& budget) {
  const ToInt8 rounding = *graph.node(id).op.as<ToInt8>();
  const NodeId before = sole_producer(graph, graph.node(id));
  if (before == kNoNode) return false;
  const Node& producer = graph.node(before);
  Op op = producer.op;
  PortValues operands = operands_of(producer);
  Patch patch(graph, id);
  if (const auto* linear = op.as<IntegerLinear>()) {
    op = with_result(*linear, rounding);
  } else if (const auto* conv = op.as<IntegerConv2d>()) {
    op = with_result(*conv, rounding);
  } else if (reorders(producer) && all_float32(graph, operands.front())) {
    for (ValueId& x : operands.front()) x = patch.add(rounding, {{x}});
  } else {
    return false;
  }
  patch.replace(graph.node(id).output(0), patch.add(std::move(op), operands));
  patch.remove(id);
  patch.remove(before);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

int rewrite(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<NodeId> nodes = graph.order();
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
      const Node& node = graph.node(*id);
      if (!node.alive || !node.op.is<ToInt8>() || !round_earlier(graph, *id, budget)) continue;
      changed = true;
      ++count;
    }
  }
  return count;
}

}  // namespace

Pass early_rounding() { return {.name = "early_rounding", .function = rewrite}; }

}  // namespace coracle
