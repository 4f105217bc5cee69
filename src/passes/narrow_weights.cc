// SPDX-License-Identifier: Apache-2.0
#include "passes/narrow_weights.h"

#include <algorithm>
#include <cmath>
#include <memory>

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
#include "passes/fake_quantization.h"
#include "passes/four_bit_weights.h"
#include "passes/passes.h"

/// Weights that a file has in fewer bits stay so; products widen them while they compute:
///   linear(x, cast(w))               ->  linear(x, w)
///   linear(x, dequantize_linear(w))  ->  linear(x, w) times the scales, as the first step of its epilogue
///   linear(x, multiply(cast(w), s))  ->  the same
///   embedding(ids, cast(w))          ->  cast(embedding(ids, w))
///   linear(x, FourBitWeights)        ->  weight_only_linear(x, w, scales), with the bias that is added behind it
/// and the same of conv2d_fused, and of embedding with scales, which its result is multiplied by.
namespace coracle::internal {
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
  if (op.only_observer || op.bit_length > 8 || x.fact.dtype != DType::kInt8 || scale == kNoValue) return std::nullopt;
  if (!is_symmetric(graph, node)) return std::nullopt;
  if (!graph.value(scale).is_constant() || graph.fact(scale).dtype != DType::kFloat32) return std::nullopt;
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

bool are_floats(const Fact& f) { return f.dtype == DType::kFloat32; }

/// multiply(cast(w), steps)
struct SteppedWeights {
  Pattern p;
  PatternSlot w = p.where(p.constant(), [](const Fact& f) { return f.dtype == DType::kInt8; });
  PatternSlot whole = p.used_once(p.where(p.op<Cast>({w}), are_floats));
  PatternSlot steps = p.where(p.constant(), are_floats);
  PatternSlot product = p.either_order<Multiply>(whole, steps);
};

std::optional<NarrowWeights> stepped(const Graph& graph, ValueId product) {
  static const SteppedWeights kStepped;
  Match m(graph, graph.use_counts());
  if (!m.match(kStepped.p, kStepped.product, product)) return std::nullopt;
  const std::optional<int> axis = axis_of_steps(m.fact(kStepped.steps).shape, m.fact(kStepped.w).shape);
  const Tensor& t = m.tensor(kStepped.steps);
  const std::span<const float> scales(t.data<float>(), static_cast<size_t>(t.count()));
  const bool finite = std::all_of(scales.begin(), scales.end(), [](float f) { return std::isfinite(f * 128); });
  if (!axis || !finite) return std::nullopt;
  return NarrowWeights{
      .constant = m[kStepped.w], .whole = m[kStepped.whole], .scales = {scales.begin(), scales.end()}, .axis = *axis};
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

/// The rows of a table are widened when they are picked.
ValueId read_table(Patch& patch, const Node& node, const NarrowWeights& weights, const PortValues& operands) {
  const ValueId picked = patch.add(node.op, operands);
  const ValueId rows = patch.add(Cast{patch.graph().fact(node.output(0)).dtype}, {{picked}});
  if (weights.scales.empty()) return rows;
  return patch.add(Multiply{}, {{rows}, {factors_of_rows(patch, node, weights, operands)}});
}

/// A product widens its weights itself; what they are multiplied by becomes the first step of its epilogue.
ValueId read_product(Patch& patch, const EpilogueCarrier& c, const NarrowWeights& weights) {
  std::vector<EpilogueStep> steps = c.steps;
  std::vector<ValueId> tensors = c.tensors;
  if (!weights.scales.empty()) {
    if (steps.size() >= Epilogue::kMaxSteps) return kNoValue;
    steps.insert(steps.begin(), {EpilogueKind::kMultiplyChannel});
    tensors.insert(tensors.begin(), patch.constant(factors_of(weights, c.channels)));
  }
  const Op op = patch.graph().node(c.id).op.with_epilogue(std::move(steps));
  return patch.add(op, {{c.x}, {weights.constant}, tensors});
}

/// By value, as kept_narrow has them.
using Kept = std::vector<bool>;

PatternSlot kept_weights(Pattern& p, const std::shared_ptr<const Kept>& kept) {
  return p.where(p.any(), [kept](const Graph&, ValueId v) { return index(v) < kept->size() && (*kept)[index(v)]; });
}

Rewrite read_narrow(const std::shared_ptr<const Kept>& kept) {
  Pattern p;
  const auto w = kept_weights(p, kept);
  const auto reader = p.any_op({p.any(), w});
  return {p, reader, [=](const Match& m, Patch& patch) {
            const auto weights = NarrowWeights::of_value(m.graph(), m[w]);
            if (!weights) return false;
            // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): what the patch adds moves nodes
            const Node node = m.node(reader);
            PortValues operands = operands_of(node);
            operands[1] = {weights->constant};
            const auto carrier = EpilogueCarrier::of_node(m.graph(), m.node_id(reader));
            const ValueId result = is_table(node) ? read_table(patch, node, *weights, operands)
                                   : carrier      ? read_product(patch, *carrier, *weights)
                                                  : kNoValue;
            if (result == kNoValue) return false;
            patch.replace(m[reader], result);
            return true;
          }};
}

/// A known number for each of so many columns, of at most that rank.
bool is_row(const Fact& f, int64_t columns, int rank) {
  return f.value != nullptr && f.dtype == DType::kFloat32 && f.shape.count() == columns && f.shape.rank() <= rank &&
         f.shape.back() == columns;
}

/// With the bias that is added to the product, if `biased`.
Rewrite read_four_bits(const std::shared_ptr<const Kept>& kept, bool biased) {
  Pattern p;
  const auto x = p.any();
  const auto w = kept_weights(p, kept);
  const auto linear = p.op<Linear>({x, w});
  const auto bias = p.any();
  const auto root = biased ? p.either_order<Add>(p.used_once(linear), bias) : PatternSlot(linear);
  return {p, root, [=](const Match& m, Patch& patch) {
            const auto weights = FourBitWeights::of_value(m.graph(), m.graph().use_counts(), m[w]);
            if (!weights || !m[linear].epilogue.empty()) return false;
            if (biased && !is_row(m.fact(bias), weights->columns, m.fact(linear).shape.rank())) return false;
            PortValues operands{{m[x]}, {patch.constant(weights->packed(m.graph()))}, {}, {}};
            if (biased) operands[2] = {patch.constant(m.tensor(bias).reshaped(Shape{weights->columns}))};
            operands[3] = {patch.constant(weights->scales(m.graph()))};
            WeightOnlyLinear product;
            product.weight_dtype = "int4";
            product.arch = FourBitWeights::kArchitecture;
            product.group_size = static_cast<int>(weights->group);
            patch.replace(m[root], patch.add(product, operands));
            return true;
          }};
}

/// From the end, so that a bias is met before the product that it is added to.
int keep_narrow(Graph& graph, RewriteBudget& budget) {
  const auto kept = std::make_shared<const Kept>(kept_narrow(graph));
  return run_rewrites({read_four_bits(kept, true), read_four_bits(kept, false), read_narrow(kept)}, WalkFrom::kEnd,
                      graph, budget);
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
  if (node.op.is<Multiply>()) return stepped(graph, node.outputs[0]);
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

}  // namespace coracle::internal
