// SPDX-License-Identifier: Apache-2.0
#include "passes/narrow_weights.h"

#include <algorithm>
#include <cmath>

#include "base/dtypes.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/multiply.h"
#include "ops/index/embedding.h"
#include "ops/index/lookup_table.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/weight_only_linear.h"
#include "passes/epilogue_carrier.h"
#include "passes/four_bit_weights.h"
#include "passes/passes.h"

/// Weights that a file has in fewer bits stay so; products widen them while they compute:
///   linear(x, cast(w))               ->  linear(x, w)
///   linear(x, dequantize_linear(w))  ->  linear(x, w) times the scales, as the first step of its epilogue
///   linear(x, multiply(cast(w), s))  ->  the same
///   embedding(ids, cast(w))          ->  cast(embedding(ids, w))
///   linear(x, FourBitWeights)        ->  weight_only_linear(x, w, scales), with the bias that is added behind it
/// and the same of conv2d_fused, and of embedding with scales, which its result is multiplied by.
namespace coracle {
namespace {

bool is_table(const Node& node) { return node.op.is<Embedding>() || node.op.is<LookupTable>(); }

/// A value that is narrow weights in float32, of one kind or the other.
struct Narrow {
  ValueId value;
  std::optional<NarrowWeights> weights;
  std::optional<FourBitWeights> halves;
};

/// True if a node takes narrow weights as its operand i.
bool takes(const Graph& graph, const Node& node, size_t i, const Narrow& found) {
  if (i != 1) return false;
  const int axis = found.weights ? found.weights->axis : found.halves->transposed ? 0 : 1;
  if (is_table(node)) return found.weights && axis <= 1;
  const std::optional<int> channels = channels_of_weights(graph, node);
  return channels && (axis < 0 || axis == *channels);
}

std::optional<NarrowWeights> dequantized(const Graph& graph, const Node& node, const DequantizeLinear& op) {
  const Value& x = graph.value(node.input(0));
  const ValueId scale = node.input(1);
  const ValueId zero = node.input(2);
  if (op.only_observer || op.bit_length > 8 || x.fact.dtype != DType::kInt8 || scale == kNoValue) return std::nullopt;
  if (!graph.value(scale).is_constant() || graph.fact(scale).dtype != DType::kFloat32) return std::nullopt;
  if (zero != kNoValue) {
    if (!graph.value(zero).is_constant()) return std::nullopt;
    const Tensor& t = *graph.fact(zero).value;
    for (int64_t i = 0; i < t.count(); ++i) {
      if (t.number(i) != 0) return std::nullopt;
    }
  }
  const Tensor& scales = *graph.fact(scale).value;
  NarrowWeights weights{.constant = node.input(0)};
  const int axis = op.quant_axis;
  if (scales.count() > 1) weights.axis = axis;
  if (scales.count() > 1 && (axis < 0 || axis >= x.fact.shape.rank() || x.fact.shape[axis] != scales.count())) {
    return std::nullopt;
  }
  const double limit = static_cast<double>(quantization_limit(op.bit_length));
  for (int64_t i = 0; i < scales.count(); ++i) {
    const auto factor = static_cast<float>(static_cast<double>(scales.data<float>()[i]) / limit);
    if (!std::isfinite(factor * 128)) return std::nullopt;
    weights.scales.push_back(factor);
  }
  if (weights.scales.empty()) return std::nullopt;
  return weights;
}

/// The dimension of `w` along which steps of shape `s` differ, -1 for a single step; nothing where that is none.
std::optional<int> axis_of_steps(const Shape& s, const Shape& w) {
  if (s.rank() > w.rank() || s.count() == 0) return std::nullopt;  // the product's shape is not that of w
  if (s.count() == 1) return -1;
  for (int i = 0; i < s.rank(); ++i) {
    const int axis = w.rank() - s.rank() + i;
    if (s[i] == s.count() && axis >= 0 && w[axis] == s[i]) return axis;
  }
  return std::nullopt;
}

std::optional<NarrowWeights> stepped(const Graph& graph, const Node& node) {
  for (size_t i : {0, 1}) {
    const ValueId whole = node.inputs[i];
    const Value& v = graph.value(whole);
    const Value& steps = graph.value(node.inputs[1 - i]);
    if (v.producer == kNoNode || graph.use_counts()[index(whole)] != 1) continue;
    if (!steps.is_constant() || steps.fact.dtype != DType::kFloat32) continue;
    const Node& cast = graph.node(v.producer);
    if (!cast.op.is<Cast>() || v.fact.dtype != DType::kFloat32) continue;
    const Value& w = graph.value(cast.inputs[0]);
    if (!w.is_constant() || w.fact.dtype != DType::kInt8) continue;
    const std::optional<int> axis = axis_of_steps(steps.fact.shape, w.fact.shape);
    if (!axis) continue;
    const Tensor& t = *steps.fact.value;
    const std::span<const float> scales(t.data<float>(), static_cast<size_t>(t.count()));
    if (!std::all_of(scales.begin(), scales.end(), [](float f) { return std::isfinite(f * 128); })) continue;
    return NarrowWeights{
        .constant = cast.inputs[0], .whole = whole, .scales = {scales.begin(), scales.end()}, .axis = *axis};
  }
  return std::nullopt;
}

Tensor factors_of(const NarrowWeights& weights, int64_t channels) {
  Tensor t = Tensor::make(DType::kFloat32, Shape{channels});
  for (int64_t c = 0; c < channels; ++c) {
    t.data<float>()[c] = weights.scales[weights.axis < 0 ? 0 : static_cast<size_t>(c)];
  }
  return t;
}

/// What the rows of a table are multiplied by: a number, one for each column, or one for each row, in rows as the ids
/// pick them.
ValueId factors_of_rows(Patch& patch, const Node& node, const NarrowWeights& weights, const PortValues& operands) {
  const auto count = static_cast<int64_t>(weights.scales.size());
  const Tensor factors = factors_of(weights, count);
  if (weights.axis != 0) return patch.constant(factors);
  return patch.add(node.op, {operands[0], {patch.constant(factors.reshaped(Shape{count, 1}))}});
}

bool read_narrow(Graph& graph, NodeId id, const NarrowWeights& weights, RewriteBudget& budget) {
  const Node node = graph.node(id);
  Patch patch(graph, id);
  PortValues operands = operands_of(node);
  operands[1] = {weights.constant};
  const ValueId old = node.output(0);
  if (is_table(node)) {
    ValueId rows = patch.add(Cast{graph.fact(old).dtype}, {{patch.add(node.op, operands)}});
    if (!weights.scales.empty()) {
      rows = patch.add(Multiply{}, {{rows}, {factors_of_rows(patch, node, weights, operands)}});
    }
    patch.replace(old, rows);
  } else {
    const auto carrier = EpilogueCarrier::of_node(graph, id);
    if (!carrier) return false;
    std::vector<EpilogueStep> steps = carrier->epilogue->epilogue;
    if (!weights.scales.empty()) {
      if (steps.size() >= Epilogue::kMaxSteps) return false;
      steps.insert(steps.begin(), {EpilogueKind::kMultiplyChannel});
      operands.resize(3);
      operands[2].insert(operands[2].begin(), patch.constant(factors_of(weights, carrier->channels)));
    }
    patch.replace(old, patch.add(carrier->with(graph, steps), operands));
  }
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

/// The node of `order` behind place `at` that alone takes a product and adds a constant number for each of its columns;
/// kNoNode if there is none.
NodeId adds_bias(const Graph& graph, const std::vector<NodeId>& order, size_t at, ValueId product, int64_t columns) {
  if (graph.use_counts()[index(product)] != 1) return kNoNode;
  for (size_t i = at + 1; i < order.size(); ++i) {
    const Node& node = graph.node(order[i]);
    if (!node.alive || std::find(node.inputs.begin(), node.inputs.end(), product) == node.inputs.end()) continue;
    if (!node.op.is<Add>() || !node.regions.empty()) return kNoNode;
    const Fact& bias = graph.fact(node.inputs[node.inputs[0] == product ? 1 : 0]);
    const bool fits = bias.value != nullptr && bias.dtype == DType::kFloat32 && bias.shape.count() == columns &&
                      bias.shape.rank() <= graph.fact(product).shape.rank() && bias.shape.back() == columns;
    return fits ? order[i] : kNoNode;
  }
  return kNoNode;
}

bool read_four_bits(Graph& graph, const std::vector<NodeId>& order, size_t at, const FourBitWeights& weights,
                    RewriteBudget& budget) {
  const NodeId id = order[at];
  const Node node = graph.node(id);
  const auto* linear = node.op.as<Linear>();
  if (linear == nullptr || !linear->epilogue.empty()) return false;
  const NodeId add = adds_bias(graph, order, at, node.output(0), weights.columns);
  const NodeId last = add == kNoNode ? id : add;
  const ValueId old = graph.node(last).output(0);
  WeightOnlyLinear product;
  product.weight_dtype = "int4";
  product.arch = FourBitWeights::kArchitecture;
  product.group_size = static_cast<int>(weights.group);
  Patch patch(graph, last);
  PortValues operands{{node.input(0)}, {patch.constant(weights.packed(graph))}, {}, {}};
  if (add != kNoNode) {
    const Node& sum = graph.node(add);
    const Tensor& bias = *graph.fact(sum.inputs[sum.inputs[0] == node.output(0) ? 1 : 0]).value;
    operands[2] = {patch.constant(bias.reshaped(Shape{weights.columns}))};
    patch.remove(add);
  }
  operands[3] = {patch.constant(weights.scales(graph))};
  patch.replace(old, patch.add(product, operands));
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

/// The node at place `at` of `order`.
bool read_as_it_is(Graph& graph, const std::vector<NodeId>& order, size_t at, RewriteBudget& budget) {
  const ValueId w = graph.node(order[at]).inputs[1];
  if (const auto weights = NarrowWeights::of_value(graph, w)) return read_narrow(graph, order[at], *weights, budget);
  const auto halves = FourBitWeights::of_value(graph, graph.use_counts(), w);
  return halves && read_four_bits(graph, order, at, *halves, budget);
}

int keep_narrow(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<bool> kept = kept_narrow(graph);
  const std::vector<NodeId> order = graph.order();
  for (size_t at = 0; at < order.size(); ++at) {
    const Node& node = graph.node(order[at]);
    if (node.inputs.size() < 2 || index(node.inputs[1]) >= kept.size() || !kept[index(node.inputs[1])]) continue;
    if (read_as_it_is(graph, order, at, budget)) ++count;
  }
  if (count > 0) remove_dead(graph);
  return count;
}

}  // namespace

std::optional<int> channels_of_weights(const Graph& graph, const Node& node) {
  const Fact& x = graph.fact(node.inputs[0]);
  const Shape& w = graph.fact(node.inputs[1]).shape;
  if (x.dtype != DType::kFloat32 || !x.shape.rank_known()) return std::nullopt;
  if (const auto* linear = node.op.as<Linear>()) return linear->transpose_w ? 0 : 1;
  if (const auto* matmul = node.op.as<Matmul>()) {
    if (matmul->transpose_x || w.rank() != 2 || x.shape.rank() < 2) return std::nullopt;
    return matmul->transpose_y ? 0 : 1;
  }
  if (const auto* product = node.op.as<MatmulWithFlatten>()) {
    if (product->y_num_col_dims != 1 || w.rank() != 2) return std::nullopt;
    return 1;
  }
  const ConvolutionAttributes* conv = node.op.as<Conv2d>();
  if (conv == nullptr) conv = node.op.as<Conv2dFused>();
  if (conv == nullptr || conv->groups != 1 || conv->data_format == DataFormat::kNhwc) return std::nullopt;
  return 0;
}

std::optional<NarrowWeights> NarrowWeights::of(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.outputs.empty()) return std::nullopt;
  if (graph.fact(node.outputs[0]).dtype != DType::kFloat32) return std::nullopt;
  if (node.op.is<Multiply>()) return stepped(graph, node);
  if (!graph.value(node.inputs[0]).is_constant()) return std::nullopt;
  if (node.op.is<Cast>()) {
    if (!kHalfTypes.has(graph.fact(node.inputs[0]).dtype)) return std::nullopt;
    return NarrowWeights{.constant = node.inputs[0]};
  }
  const auto* dequantize = node.op.as<DequantizeLinear>();
  return dequantize == nullptr ? std::nullopt : dequantized(graph, node, *dequantize);
}

std::optional<NarrowWeights> NarrowWeights::of_value(const Graph& graph, ValueId value) {
  const Value& v = graph.value(value);
  if (v.producer == kNoNode || v.output != 0) return std::nullopt;
  return of(graph, graph.node(v.producer));
}

std::vector<bool> kept_narrow(const Graph& graph) {
  std::vector<bool> kept(graph.value_count(), false);
  std::vector<Narrow> found;
  std::vector<int> place(graph.value_count(), -1);
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.outputs.empty()) continue;
    Narrow f{node.outputs[0], NarrowWeights::of(graph, node), {}};
    if (!f.weights) f.halves = FourBitWeights::of_value(graph, graph.use_counts(), f.value);
    if (!f.weights && !f.halves) continue;
    kept[index(f.value)] = true;
    place[index(f.value)] = static_cast<int>(found.size());
    found.push_back(std::move(f));
  }
  if (found.empty()) return kept;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const size_t v = index(node.inputs[i]);
      if (kept[v] && !takes(graph, node, i, found[static_cast<size_t>(place[v])])) kept[v] = false;
    }
  }
  for (ValueId v : graph.outputs()) kept[index(v)] = false;
  for (const Narrow& f : found) {
    if (f.weights && f.weights->whole != kNoValue) kept[index(f.weights->whole)] = kept[index(f.value)];
    if (!f.halves) continue;
    for (ValueId v : f.halves->between) kept[index(v)] = kept[index(f.value)];
  }
  return kept;
}

bool is_constant_weight(const Graph& graph, ValueId value) {
  return graph.value(value).is_constant() || NarrowWeights::of_value(graph, value) ||
         FourBitWeights::of_value(graph, graph.use_counts(), value);
}

Pass narrow_weights() {
  return {.name = "narrow_weights", .function = keep_narrow, .makes = PassMakes::kStoredWeights};
}

}  // namespace coracle
