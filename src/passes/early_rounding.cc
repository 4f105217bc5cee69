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
#include "passes/images.h"
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
namespace coracle::internal {
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

/// A rounding of x, which nothing else reads, without a factor of its own.
OpSlot<ToInt8> sole_rounding(Pattern& p, PatternSlot x) {
  return p.where(p.op<ToInt8>({p.used_once(x)}), [](const Node& node) { return node.inputs.size() == 1; });
}

/// A product of integers rounds its result.
Rewrite into_product() {
  Pattern p;
  const auto product = p.one_of({&kOpSchema<IntegerLinear>, &kOpSchema<IntegerConv2d>}, {});
  const auto y = sole_rounding(p, product);
  return {p, y, [=](const Match& m, Patch& patch) {
            const PortValues operands = operands_of(m.node(product));
            patch.replace(m.output(y), patch.add(*rounding_product(m.node(product).op, m[y]), operands));
            return true;
          }};
}

/// A rounding takes the factors of channels along.
Rewrite with_channel_factor() {
  Pattern p;
  const auto x = p.where(p.any(), is_image);
  const auto factor = p.where(p.any(), is_per_channel);
  const auto product = p.either_order<Multiply>(x, factor);
  const auto y = sole_rounding(p, product);
  return {p, y, [=](const Match& m, Patch& patch) {
            const int64_t channels = m.fact(x).shape[1];
            if (channels < 0 || channels != m.fact(factor).shape[1]) return false;
            patch.replace(m.output(y), patch.add(ToInt8(m[y]), {{m[x]}, {m[factor]}}));
            return true;
          }};
}

/// It is integers that move.
Rewrite before_moving() {
  Pattern p;
  const auto moved = p.where(p.any_op({}), [](const Graph& graph, ValueId v) {
    return moves_elements(graph, graph.node(graph.value(v).producer));
  });
  const auto y = sole_rounding(p, moved);
  return {p, y, [=](const Match& m, Patch& patch) {
            const Op op = m.node(moved).op;
            const ToInt8 rounding = m[y];
            PortValues operands = operands_of(m.node(moved));
            if (!all_float32(m.graph(), operands.front())) return false;
            for (ValueId& x : operands.front()) x = patch.add(rounding, {{x}});
            patch.replace(m.output(y), patch.add(op, operands));
            return true;
          }};
}

/// It is integers that are compared.
Rewrite before_pooling() {
  Pattern p;
  const auto pool = p.op<Pool2d>({p.any()});
  const auto y = sole_rounding(p, pool);
  return {p, y, [=](const Match& m, Patch& patch) {
            const Op op = m.node(pool).op;
            PortValues operands = operands_of(m.node(pool));
            const ValueId pixels = rounded_pixels(patch, m.node(pool), m[y], m.node_id(y));
            if (pixels == kNoValue) return false;
            operands.front() = {pixels};
            patch.replace(m.output(y), patch.add(op, operands));
            return true;
          }};
}

}  // namespace

/// From the end, where it is known what reads a value.
Pass early_rounding() {
  return {.name = "early_rounding",
          .rewrites = {into_product(), with_channel_factor(), before_moving(), before_pooling()},
          .from = WalkFrom::kEnd};
}

}  // namespace coracle::internal
