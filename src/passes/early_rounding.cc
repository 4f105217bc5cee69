// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ops/conv_pool/pool2d.h"
#include "ops/elementwise/multiply.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "passes/largest_magnitude.h"
#include "passes/passes.h"
#include "passes/reorders.h"

/// Numbers are rounded to int8 as early as that can be. Where nothing but a rounding reads the result of a product of
/// integers, the product rounds itself:
///   to_int8(integer_linear(...))  ->  integer_linear(...) with a result_scale
/// where nothing but a rounding reads what an operator puts into another order or repeats, it is integers that move:
///   to_int8(concat([a, b]))  ->  concat([to_int8(a), to_int8(b)])
/// or chooses the largest of,
///   to_int8(pool2d(x) {pooling_type = max})  ->  pool2d(to_int8(x)) {pooling_type = max}
/// and where nothing but a rounding reads a product with a factor for each channel, both are one step:
///   to_int8(multiply(x, f))  ->  to_int8(x, f)    for f [n, c, 1, 1]
namespace coracle {
namespace {

/// Each element of operand 0 (a list for concat), and nothing else, is an element of result 0.
bool moves_elements(const Graph& graph, const Node& node) {
  if (reorders(node)) return true;
  if (!node.op.is<NearestInterp>() && !node.op.is<LegacyNearestInterp>()) return false;
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

/// The size of a pooling's windows; nothing where that, and all the operator says, was not checked.
std::optional<Ints> kernel_of(const Graph& graph, const Node& node) {
  const ValueId size = node.input(1);
  const Tensor* known = size == kNoValue ? nullptr : graph.fact(size).value.get();
  if (known == nullptr || !graph.fact(node.input(0)).shape.rank_known()) return std::nullopt;
  return known->integers();
}

/// A maximum pooling of numbers. Rounding never makes the larger of two the smaller, so the largest of what was rounded
/// is the rounded largest. A window outside of the image is -128 instead of the lowest float32, which only half to even
/// rounds to the same.
bool pools_maxima(const Graph& graph, const Node& node, QuantizationRounding rounding) {
  const auto* pool = node.op.as<Pool2d>();
  if (pool == nullptr || pool->pooling_type != PoolingType::kMax) return false;
  if (rounding == QuantizationRounding::kHalfToEven) return true;
  const std::optional<Ints> kernel = kernel_of(graph, node);
  return kernel && windows_meet_image(*pool, *kernel, 2);
}

/// Whether a pooling has as many windows as there are pixels, however many that are.
bool pools_each_pixel(const Graph& graph, const Node& node) {
  constexpr int64_t kSize = int64_t{1} << 31;  // larger than any window
  const std::optional<Ints> kernel = kernel_of(graph, node);
  if (!kernel) return false;
  const PoolingGeometry g = pooling_geometry(*node.op.as<Pool2d>(), *kernel, Shape::filled(4, kSize), 2);
  return g.axes[1].out >= kSize && g.axes[2].out >= kSize;
}

/// Whether the products that make a value can round it, with nothing else in between than what may read int8.
bool products_round(const Graph& graph, ValueId value, const ToInt8& rounding) {
  std::vector<ValueId> values = {value};
  while (!values.empty()) {
    const ValueId v = values.back();
    values.pop_back();
    const NodeId id = graph.value(v).producer;
    if (id == kNoNode || graph.use_counts()[index(v)] != 1) return false;
    const Node& node = graph.node(id);
    if (rounding_product(node.op, rounding)) continue;
    if (!reorders(node) && !pools_maxima(graph, node, rounding.round_type)) return false;
    const std::vector<ValueId> operands = operands_of(node).front();
    values.insert(values.end(), operands.begin(), operands.end());
  }
  return true;
}

/// What another node in front of `id` has made of x by the same rounding.
ValueId rounded_before(const Graph& graph, ValueId x, const ToInt8& rounding, NodeId id) {
  for (const NodeId other : graph.order()) {
    if (other == id) break;
    const Node& node = graph.node(other);
    const auto* same = node.op.as<ToInt8>();
    if (same != nullptr && *same == rounding && node.inputs.size() == 1 && node.input(0) == x) return node.output(0);
  }
  return kNoValue;
}

/// The operand of a maximum pooling as integers that a rounding in front of `id` may become: what there is already, or
/// what is made with `patch` where that is no more work than to round the result. Nothing where the result would not be
/// the same.
ValueId rounded_pixels(Patch& patch, const Node& pooling, const ToInt8& rounding, NodeId id) {
  const Graph& graph = patch.graph();
  const ValueId x = pooling.input(0);
  // What is not a number is left out of a maximum or not, depending on its place, and would be 0.
  if (!pools_maxima(graph, pooling, rounding.round_type) || !largest_magnitude(graph, x)) return kNoValue;
  const ValueId before = rounded_before(graph, x, rounding, id);
  if (before != kNoValue) return before;
  const bool no_more_work = pools_each_pixel(graph, pooling) || products_round(graph, x, rounding);
  return no_more_work ? patch.add(rounding, {{x}}) : kNoValue;
}

bool all_float32(const Graph& graph, const std::vector<ValueId>& values) {
  return std::all_of(values.begin(), values.end(), [&](ValueId v) { return graph.fact(v).dtype == DType::kFloat32; });
}

/// A rounding goes into the product whose result it reads, in front of what moves or compares elements, or takes a
/// factor.
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
  } else if (moves_elements(graph, producer) && all_float32(graph, operands.front())) {
    for (ValueId& x : operands.front()) x = patch.add(rounding, {{x}});
  } else if (const ValueId pixels = rounded_pixels(patch, producer, rounding, id); pixels != kNoValue) {
    operands.front() = {pixels};
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
