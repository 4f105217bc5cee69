// SPDX-License-Identifier: Apache-2.0
#include "passes/integer_regions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/elementwise/scale.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/transpose.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/quantized_weights.h"
#include "ops/quantize/to_int8.h"
#include "passes/epilogue_carrier.h"
#include "passes/fake_quantization.h"
#include "passes/passes.h"
#include "passes/rounded_operand.h"

/// A product or convolution of simulated integers becomes one of integers:
///   linear(fake_quantize_dequantize(x), w)  ->  integer_linear(to_int8(x), w / step)
/// and the same of conv2d_fused, of dequantize_linear(quantize_linear(x)), and of operators that leave integers in
/// float32, which are brought back behind the product (fake_quantize_range_abs_max and its like), and so does a product
/// of two such operands:
///   matmul(fake_quantize_dequantize(x), fake_quantize_dequantize(y))  ->  integer_linear(to_int8(x), to_int8(y))
/// which takes a scale behind it along. Its epilogue begins with what an integer stands for, into which the channels'
/// factors and shifts that follow are folded; a rounded value that is added there, as a residual, is added as integers.
/// What only moves elements between the rounding and the product moves integers. Weights may be int8 already
/// (narrow_weights). The simulation has a pass over the memory for each rounding, so even a single product pays.
namespace coracle {
namespace {

struct IntegerWeights {
  std::optional<Tensor> integers;  ///< nothing: the weights are such
  std::vector<double> steps;       ///< by channel
};

/// Weights as integers from -127 on, each channel with a step of its own; nothing if they are not such.
std::optional<IntegerWeights> integer_weights(const RunContext& context, const EpilogueCarrier& c, const Tensor& w) {
  if (w.dtype() == DType::kInt8) {
    const std::span<const int8_t> all(w.data<int8_t>(), static_cast<size_t>(w.count()));
    if (std::find(all.begin(), all.end(), int8_t{-128}) != all.end()) return std::nullopt;
    return IntegerWeights{.integers = {},
                          .steps = std::vector<double>(static_cast<size_t>(w.shape()[c.filter_axis]), 1.0)};
  }
  std::optional<QuantizedWeights> found = quantized_weights(context, w, c.filter_axis);
  if (!found) return std::nullopt;
  return IntegerWeights{.integers = std::move(found->integers), .steps = std::move(found->scales)};
}

/// True if each pixel makes a block of pixels of its own, whatever the size of the image.
bool makes_blocks(const Conv2dTransposeFused& op, const Shape& filter) {
  if (op.padding_algorithm == PaddingAlgorithm::kSame) return false;
  const ConvolutionGeometry g = transposed_geometry(op, op.output_padding, {}, Shape{1, filter[0], 1, 1}, filter, 2);
  const auto plain = [](const WindowAxis& a) {
    return a.kernel == a.stride && a.dilation == 1 && a.pad_before == 0 && a.out == a.stride;
  };
  return plain(g.height()) && plain(g.width());
}

/// Why there is no operator on integers for a node with constant weights, whatever its other operand.
const char* rejection(const Graph& graph, const EpilogueCarrier& c) {
  const Node& node = graph.node(c.id);
  constexpr const char* kNhwc = "no operator on integers for NHWC";
  if (const auto* conv = node.op.as<Conv2dFused>()) return conv->data_format == DataFormat::kNhwc ? kNhwc : nullptr;
  const auto* transposed = node.op.as<Conv2dTransposeFused>();
  if (transposed == nullptr) return nullptr;
  if (transposed->data_format == DataFormat::kNhwc) return kNhwc;
  if (transposed->groups != 1) return "no operator on integers for groups of a transposed convolution";
  if (makes_blocks(*transposed, graph.fact(node.input(1)).shape)) return nullptr;
  return "no operator on integers for transposed filters that overlap or are cut";
}

/// Products of one sum.
int64_t products_of(const Graph& graph, const EpilogueCarrier& c) {
  const Node& node = graph.node(c.id);
  const Shape& w = graph.fact(node.input(1)).shape;
  return node.op.is<Conv2dFused>() ? w.count(1, w.rank()) : w[1 - c.filter_axis];
}

/// What the linear steps at the begin of an epilogue make of a sum in steps of x and of the weights.
struct Affine {
  std::vector<double> factor;
  std::vector<double> shift;
  size_t steps = 0;    ///< of the epilogue
  size_t tensors = 0;  ///< of those
};

Affine affine_of(const Graph& graph, const EpilogueCarrier& c, std::vector<double> factor) {
  Affine a{.factor = std::move(factor), .shift = {}};
  a.shift.resize(a.factor.size());
  const std::vector<ValueId> tensors = c.tensors(graph);
  for (const EpilogueStep& step : c.epilogue->epilogue) {
    const bool adds = step.kind == EpilogueKind::kAddChannel;
    if (!adds && step.kind != EpilogueKind::kMultiplyChannel && step.kind != EpilogueKind::kScaleShift) break;
    const float* t = nullptr;
    if (takes_tensor(step.kind)) {
      const ValueId tensor = tensors[a.tensors];
      if (!graph.value(tensor).is_constant()) break;
      t = graph.fact(tensor).value->data<float>();
      ++a.tensors;
    }
    for (size_t i = 0; i < a.factor.size(); ++i) {
      const double by = adds ? 1.0 : static_cast<double>(t != nullptr ? t[i] : step.a);
      const double plus = adds ? static_cast<double>(t[i]) : (t != nullptr ? 0.0 : static_cast<double>(step.b));
      a.factor[i] *= by;
      a.shift[i] = a.shift[i] * by + plus;
    }
    ++a.steps;
  }
  return a;
}

Tensor floats_of(const std::vector<double>& values) {
  Tensor t = Tensor::make(DType::kFloat32, Shape{static_cast<int64_t>(values.size())});
  std::transform(values.begin(), values.end(), t.data<float>(), [](double v) { return static_cast<float>(v); });
  return t;
}

Op integer_op(const Op& op, std::vector<EpilogueStep> epilogue) {
  if (const auto* linear = op.as<Linear>()) {
    IntegerLinear integer;
    integer.transpose_w = linear->transpose_w;
    integer.epilogue = std::move(epilogue);
    return integer;
  }
  IntegerConv2d integer;
  const auto* transposed = op.as<Conv2dTransposeFused>();
  integer.transposed = transposed != nullptr;
  auto& window = static_cast<ConvolutionAttributes&>(integer);
  window = integer.transposed ? static_cast<const ConvolutionAttributes&>(*transposed) : *op.as<Conv2dFused>();
  integer.epilogue = std::move(epilogue);
  return integer;
}

/// How the operand of a product is rounded, or why the product stays in float32 whatever its weights are.
RoundedOperand operand_of(const Graph& graph, const EpilogueCarrier& c) {
  const Node& node = graph.node(c.id);
  const Value& w = graph.value(node.input(1));
  if (!w.is_constant()) return {.reason = "its weights are not constant"};
  if (const char* reason = rejection(graph, c)) return {.reason = reason};
  const int64_t products = products_of(graph, c);
  if (products <= 0) return {.reason = "its sums are empty"};
  if (products > IntegerProduct::kMostProducts) return {.reason = "its sums have more than 32 bits"};
  if (w.fact.dtype != DType::kFloat32 && w.fact.dtype != DType::kInt8) {
    return {.reason = "its weights are neither float32 nor int8"};
  }
  for (const ValueId t : c.tensors(graph)) {
    if (graph.fact(t).dtype != DType::kFloat32) return {.reason = "its epilogue is not float32"};
  }
  return rounded_operand(graph, node.input(0));
}

/// int8 tensors made so far, by what they are made of.
using Int8Values = std::map<std::tuple<ValueId, float, QuantizationRounding>, ValueId>;

/// Rounded values that a patch reads, as int8.
class Int8Operands {
 public:
  Int8Operands(const Graph& graph, Patch& patch, Int8Values& made) : graph_(graph), patch_(patch), made_(made) {}

  ValueId value_of(const Rounded& x) {
    ValueId value = rounded(x);
    for (auto move = x.moves.rbegin(); move != x.moves.rend(); ++move) {
      PortValues moved = operands_of(graph_.node(*move));
      moved.front().front() = value;
      value = patch_.add(graph_.node(*move).op, moved);
    }
    return value;
  }
  /// Others may use what the patch has made: it is applied.
  void keep() { made_.merge(own_); }

 private:
  ValueId rounded(const Rounded& x) {
    const std::tuple key(x.x, x.scale, x.rounding);
    const auto before = made_.find(key);
    if (before != made_.end()) return before->second;
    const auto [own, first] = own_.try_emplace(key, kNoValue);
    if (first) own->second = patch_.add(ToInt8{.scale = x.scale, .round_type = x.rounding}, {{x.x}});
    return own->second;
  }

  const Graph& graph_;
  Patch& patch_;
  Int8Values& made_;
  Int8Values own_;
};

/// The steps of an epilogue behind those that `folded` has, and their tensors. What is added and was rounded is added
/// as integers.
struct LastSteps {
  std::vector<EpilogueStep> steps;
  std::vector<ValueId> tensors;
};

LastSteps last_steps(const Graph& graph, const EpilogueCarrier& c, const Affine& folded, Int8Operands& int8) {
  LastSteps last;
  const std::vector<EpilogueStep> steps = c.epilogue->epilogue;  // a patch may move the node
  const std::vector<ValueId> tensors = c.tensors(graph);
  size_t next = folded.tensors;
  for (size_t i = folded.steps; i < steps.size(); ++i) {
    EpilogueStep step = steps[i];
    if (takes_tensor(step.kind)) {
      ValueId tensor = tensors[next++];
      const RoundedOperand added = rounded_operand(graph, tensor);
      if (step.kind == EpilogueKind::kAddTensor && added.reason == nullptr) {
        step = {EpilogueKind::kAddIntegers, static_cast<float>(added.x.step)};
        tensor = int8.value_of(added.x);
      }
      last.tensors.push_back(tensor);
    }
    last.steps.push_back(step);
  }
  return last;
}

bool to_integers(Graph& graph, NodeId id, Int8Values& made, RewriteBudget& budget) {
  const auto c = EpilogueCarrier::of_node(graph, id);
  if (!c) return false;
  const RoundedOperand found = operand_of(graph, *c);
  if (found.reason != nullptr) return false;
  const Node& node = graph.node(id);
  const Value& weights = graph.value(node.input(1));
  auto integers = integer_weights(graph.context(), *c, *weights.fact.value);
  if (!integers) return false;
  for (double& step : integers->steps) step *= found.x.step;
  const Affine affine = affine_of(graph, *c, std::move(integers->steps));

  const std::string name = weights.name;
  Patch patch(graph, id);
  Int8Operands int8(graph, patch, made);
  const LastSteps last = last_steps(graph, *c, affine, int8);
  const ValueId x = int8.value_of(found.x);

  std::vector<EpilogueStep> steps = {{EpilogueKind::kMultiplyChannel}};
  const bool shifts = std::any_of(affine.shift.begin(), affine.shift.end(), [](double v) { return v != 0; });
  if (shifts) steps.push_back({EpilogueKind::kAddChannel});
  steps.insert(steps.end(), last.steps.begin(), last.steps.end());
  steps = merged_runs(steps);
  if (steps.size() > Epilogue::kMaxSteps) return false;
  std::vector<ValueId> tensors = {patch.constant(floats_of(affine.factor))};
  if (shifts) tensors.push_back(patch.constant(floats_of(affine.shift)));
  tensors.insert(tensors.end(), last.tensors.begin(), last.tensors.end());
  const ValueId w = integers->integers ? patch.constant(std::move(*integers->integers), name) : graph.node(id).input(1);
  const ValueId result = graph.node(id).output(0);
  patch.replace(result, patch.add(integer_op(graph.node(id).op, std::move(steps)), {{x}, {w}, tensors}));
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  int8.keep();
  return true;
}

/// The operands of a product of two rounded values, or why it stays in float32.
struct RoundedPair {
  const char* reason = nullptr;
  Rounded x = {};
  Rounded y = {};
};

RoundedPair operands_of_matmul(const Graph& graph, const Node& node) {
  RoundedPair pair;
  Rounded* const operands[] = {&pair.x, &pair.y};
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = graph.fact(node.input(static_cast<int>(i))).shape;
    if (!shape.rank_known() || shape.rank() < 2) return {.reason = "no operator on integers for vectors"};
    RoundedOperand found = rounded_operand(graph, node.input(static_cast<int>(i)));
    if (found.reason != nullptr) return {.reason = found.reason};
    *operands[i] = std::move(found.x);
  }
  return pair;
}

/// The permutation that swaps the last two dimensions.
Transpose swapped_matrices(int rank) {
  Transpose op;
  for (int i = 0; i < rank; ++i) op.perm.push_back(i);
  std::swap(op.perm[static_cast<size_t>(rank) - 1], op.perm[static_cast<size_t>(rank) - 2]);
  return op;
}

bool matmul_to_integers(Graph& graph, NodeId id, Int8Values& made, RewriteBudget& budget) {
  if (!graph.node(id).op.is<Matmul>()) return false;
  const Matmul matmul = *graph.node(id).op.as<Matmul>();
  const RoundedPair pair = operands_of_matmul(graph, graph.node(id));
  if (pair.reason != nullptr) return false;
  Patch patch(graph, id);
  Int8Operands int8(graph, patch, made);
  const ValueId x = int8.value_of(pair.x);
  const ValueId y = int8.value_of(pair.y);
  const int rank = graph.fact(graph.node(id).input(0)).shape.rank();
  const ValueId rows = matmul.transpose_x ? patch.add(swapped_matrices(rank), {{x}}) : x;
  IntegerLinear integer;
  integer.transpose_w = matmul.transpose_y;
  integer.epilogue = {{EpilogueKind::kScaleShift, static_cast<float>(pair.x.step * pair.y.step), 0}};
  const ValueId result = graph.node(id).output(0);
  patch.replace(result, patch.add(integer, {{rows}, {y}, {}}));
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  int8.keep();
  return true;
}

/// scale(integer_linear(x, y), f) of computed x and y  ->  integer_linear that multiplies by f as well
bool take_scale(Graph& graph, NodeId id, RewriteBudget& budget) {
  const Node& node = graph.node(id);
  const auto* scale = node.op.as<Scale>();
  if (scale == nullptr || scale->bias != 0 || graph.use_counts()[index(node.input(0))] != 1) return false;
  const NodeId before = graph.value(node.input(0)).producer;
  const auto* linear = before == kNoNode ? nullptr : graph.node(before).op.as<IntegerLinear>();
  if (linear == nullptr || linear->epilogue.size() != 1 || linear->epilogue[0].kind != EpilogueKind::kScaleShift ||
      linear->epilogue[0].b != 0) {
    return false;
  }
  const ValueId factor = node.input(1);
  if (factor == kNoValue || !graph.value(factor).is_constant() || graph.fact(factor).value->count() != 1) return false;
  const double by = graph.fact(factor).value->number(0);
  IntegerLinear scaled = *linear;
  scaled.epilogue[0].a = static_cast<float>(by * static_cast<double>(scaled.epilogue[0].a));
  if (!std::isfinite(scaled.epilogue[0].a)) return false;
  Patch patch(graph, id);
  const ValueId result = node.output(0);
  const PortValues operands = operands_of(graph.node(before));
  patch.replace(result, patch.add(scaled, operands));
  patch.remove(id);
  patch.remove(before);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

int make_integer(Graph& graph, RewriteBudget& budget) {
  if (!has_fake_quantization(graph)) return 0;
  int count = 0;
  Int8Values made;
  const std::vector<NodeId> products = graph.order();
  for (NodeId id : products) {
    const bool done = to_integers(graph, id, made, budget) || matmul_to_integers(graph, id, made, budget) ||
                      take_scale(graph, id, budget);
    count += done ? 1 : 0;
  }
  if (count > 0) remove_dead(graph);
  return count;
}

}  // namespace

std::string why_in_float32(const Graph& graph, NodeId id) {
  const Op& op = graph.node(id).op;
  if (op.schema().flops == nullptr || op.is<IntegerLinear>() || op.is<IntegerConv2d>()) return {};
  constexpr const char* kLeftOut = "the rewrite integer_regions was left out";
  if (op.is<Matmul>()) {
    const char* reason = operands_of_matmul(graph, graph.node(id)).reason;
    return reason != nullptr ? reason : kLeftOut;
  }
  const auto c = EpilogueCarrier::of_node(graph, id);
  if (!c) return "no operator on integers";
  const RoundedOperand found = operand_of(graph, *c);
  if (found.reason != nullptr) return found.reason;
  const Tensor* w = graph.fact(graph.node(id).input(1)).value.get();
  if (w != nullptr && integer_weights(graph.context(), *c, *w)) return kLeftOut;
  return "its weights are not integers of one step for each channel";
}

Pass integer_regions() { return {.name = "integer_regions", .function = make_integer, .makes = PassMakes::kIntegers}; }

}  // namespace coracle
