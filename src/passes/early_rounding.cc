// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "ops/elementwise/multiply.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/movement/channel_shuffle.h"
#include "ops/movement/concat.h"
#include "ops/movement/transpose.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "passes/passes.h"

/// Numbers are rounded to int8 as early as that can be. Where nothing but a rounding reads the result of a product of
/// integers, the product rounds itself:
///   to_int8(integer_linear(...))  ->  integer_linear(...) with a result_scale
/// where nothing but a rounding reads what an operator puts into another order or repeats, it is integers that move:
///   to_int8(concat([a, b]))  ->  concat([to_int8(a), to_int8(b)])
/// and where nothing but a rounding reads a product with a factor for each channel, both are one step:
///   to_int8(multiply(x, f))  ->  to_int8(x, f)    for f [n, c, 1, 1]
namespace coracle {
namespace {

/// Each element of operand 0 (a list for concat), and nothing else, is an element of result 0.
bool reorders(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1) return false;
  const Op& op = node.op;
  if (op.row().reshapes || op.is<Transpose>() || op.is<Concat>() || op.is<ChannelShuffle>()) return true;
  if (!op.is<NearestInterp>() && !op.is<LegacyNearestInterp>()) return false;
  // Made smaller, it would be rounded for nothing.
  const Shape& x = graph.fact(node.input(0)).shape;
  const Shape& y = graph.fact(node.output(0)).shape;
  return !x.known() || !y.known() || x.count() <= y.count();
}

/// The operands of x * f or f * x, where f has a number for each channel of images.
std::optional<std::pair<ValueId, ValueId>> scaled_channels(const Graph& graph, const Node& node) {
  if (!node.op.is<Multiply>()) return std::nullopt;
  for (const int f : {1, 0}) {
    const Fact& x = graph.fact(node.input(1 - f));
    const Fact& factor = graph.fact(node.input(f));
    const bool images = x.shape.rank_known() && x.shape.rank() == 4 && factor.shape.rank_known() &&
                        factor.shape.rank() == 4 && x.dtype == DType::kFloat32 && factor.dtype == DType::kFloat32;
    if (images && factor.shape[2] == 1 && factor.shape[3] == 1 && x.shape[1] >= 0 && x.shape[1] == factor.shape[1]) {
      return std::pair{node.input(1 - f), node.input(f)};
    }
  }
  return std::nullopt;
}

/// The same operator with an int8 result; nothing where there is none.
std::optional<Op> rounding_product(const Op& op, const ToInt8& rounding) {
  const auto with_result = [&](auto changed) -> Op {
    changed.result_scale = rounding.scale;
    changed.round_type = rounding.round_type;
    return changed;
  };
  if (const auto* linear = op.as<IntegerLinear>()) return with_result(*linear);
  if (const auto* conv = op.as<IntegerConv2d>()) return with_result(*conv);
  return std::nullopt;
}

/// The producer of what a rounding reads, if nothing else reads that.
NodeId sole_producer(const Graph& graph, const Node& rounding) {
  const ValueId x = rounding.input(0);
  return graph.use_counts()[index(x)] == 1 ? graph.value(x).producer : kNoNode;
}

bool all_float32(const Graph& graph, const std::vector<ValueId>& values) {
  return std::all_of(values.begin(), values.end(), [&](ValueId v) { return graph.fact(v).dtype == DType::kFloat32; });
}

/// A rounding goes into the product whose result it reads, in front of what moves elements, or takes a factor.
bool round_earlier(Graph& graph, NodeId id, RewriteBudget& budget) {
  if (graph.node(id).inputs.size() > 1) return false;
  const ToInt8 rounding = *graph.node(id).op.as<ToInt8>();
  const NodeId before = sole_producer(graph, graph.node(id));
  if (before == kNoNode) return false;
  const Node& producer = graph.node(before);
  Op op = producer.op;
  PortValues operands = operands_of(producer);
  Patch patch(graph, id);
  if (auto product = rounding_product(op, rounding)) {
    op = *std::move(product);
  } else if (const auto scaled = scaled_channels(graph, producer)) {
    op = rounding;
    operands = {{scaled->first}, {scaled->second}};
  } else if (reorders(graph, producer) && all_float32(graph, operands.front())) {
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

int round_early(Graph& graph, RewriteBudget& budget) {
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

Pass early_rounding() { return {.name = "early_rounding", .function = round_early}; }

}  // namespace coracle
