// SPDX-License-Identifier: Apache-2.0
#include "passes/integer_regions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"
#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/fake_quantize_dequantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_range_abs_max.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/quantize_linear.h"
#include "ops/quantize/to_int8.h"
#include "passes/epilogue_carrier.h"
#include "passes/passes.h"
#include "passes/simulated_integers.h"

/// A product or convolution of simulated integers becomes one of integers:
///   linear(fake_quantize_dequantize(x), w)  ->  integer_linear(to_int8(x), w / step)
/// and the same of conv2d_fused, of dequantize_linear(quantize_linear(x)), and of operators that leave integers in
/// float32, which are brought back behind the product (fake_quantize_range_abs_max and its like). Its epilogue begins
/// with what an integer stands for, into which the channels' factors and shifts that follow are folded. What only moves
/// elements between the rounding and the product moves integers. Weights may be int8 already (narrow_weights). The
/// simulation has a pass over the memory for each rounding, so even a single product pays.
namespace coracle {
namespace {

/// Simulated weights are integers of steps up to the rounding of float32, 127 * 2^-23.
constexpr double kMostFraction = 1e-4;

/// How a value was rounded, and what an integer of it stands for.
struct Rounded {
  ValueId x = kNoValue;
  float scale = 0;
  QuantizationRounding rounding = QuantizationRounding::kHalfToEven;
  double step = 0;
  std::vector<NodeId> moves = {};  ///< what moves its elements afterwards, the last first
};

struct Found {
  const char* reason = nullptr;  ///< why there are no integers
  Rounded x = {};
};

/// The one scale of a node whose scales are operand 1; nothing where that is not what it has.
std::optional<float> only_scale(const Graph& graph, const Node& node, int bits) {
  const ValueId scale = node.input(1);
  if (bits != 8 || scale == kNoValue || !graph.value(scale).is_constant()) return std::nullopt;
  const Fact& f = graph.fact(scale);
  if (!is_float(f.dtype) || f.value->count() != 1) return std::nullopt;
  const auto number = static_cast<float>(f.value->number(0));
  if (!std::isfinite(number) || number <= 1e-30F) return std::nullopt;  // smaller ones are computed with otherwise
  return number;
}

/// Neither shifted by a zero point nor an observer.
template <class T>
bool is_plain(const Graph& graph, const Node& node) {
  if (node.op.as<T>()->only_observer) return false;
  const ValueId zero = node.input(2);
  if (zero == kNoValue) return true;
  if (!graph.value(zero).is_constant()) return false;
  const Tensor& t = *graph.fact(zero).value;
  for (int64_t i = 0; i < t.count(); ++i) {
    if (t.number(i) != 0) return false;
  }
  return true;
}

constexpr const char* kNotRounded = "its operand is not rounded to steps";
constexpr const char* kNoScale = "its operand is not rounded with one constant scale and 8 bits";

/// x as steps of a constant scale, by an operator that has both as attributes and operand 1.
template <class T>
Found rounded_by(const Graph& graph, const Node& node, const T& op) {
  const auto scale = only_scale(graph, node, op.bit_length);
  if (!scale) return {.reason = kNoScale};
  return {.x = {.x = node.input(0),
                .scale = *scale,
                .rounding = op.round_type,
                .step = static_cast<double>(*scale) / kInt8Limit}};
}

/// dequantize_linear(quantize_linear(x))
Found rounded_linearly(const Graph& graph, const Node& node, const DequantizeLinear& dequantize) {
  const NodeId before = graph.value(node.input(0)).producer;
  const auto* quantize = before == kNoNode ? nullptr : graph.node(before).op.as<QuantizeLinear>();
  if (quantize == nullptr) return {.reason = kNotRounded};
  const Node& rounding = graph.node(before);
  if (!is_plain<DequantizeLinear>(graph, node) || !is_plain<QuantizeLinear>(graph, rounding)) {
    return {.reason = "its operand has a zero point"};
  }
  const auto from = only_scale(graph, node, dequantize.bit_length);
  Found found = rounded_by(graph, rounding, *quantize);
  if (found.reason != nullptr) return found;
  if (!from) return {.reason = kNoScale};
  found.x.step = static_cast<double>(*from) / kInt8Limit;
  return found;
}

/// True if the one result of a node is made of elements of its operand 0.
bool only_moves(const Node& node) {
  const OpRow& row = node.op.row();
  return (row.reshapes || row.view_of_result != nullptr) && node.outputs.size() == 1;
}

Found rounded_operand(const Graph& graph, ValueId value) {
  NodeId id = graph.value(value).producer;
  std::vector<NodeId> moves;
  for (; id != kNoNode && only_moves(graph.node(id)); id = graph.value(graph.node(id).input(0)).producer) {
    moves.push_back(id);
  }
  if (id == kNoNode) return {.reason = kNotRounded};
  const Node& node = graph.node(id);
  Found found{.reason = kNotRounded};
  if (const auto* fake = node.op.as<FakeQuantizeDequantizeMovingAverageAbsMax>()) {
    found = rounded_by(graph, node, *fake);
  } else if (const auto* dequantize = node.op.as<DequantizeLinear>()) {
    found = rounded_linearly(graph, node, *dequantize);
  } else if (const auto* moving = node.op.as<FakeQuantizeMovingAverageAbsMax>()) {
    found = rounded_by(graph, node, *moving);
    found.x.step = 1;
  } else if (const auto* range = node.op.as<FakeQuantizeRangeAbsMax>()) {
    found = rounded_by(graph, node, *range);
    found.x.step = 1;
  }
  if (found.reason == nullptr && graph.fact(found.x.x).dtype != DType::kFloat32) {
    return {.reason = "its operand is not float32"};
  }
  found.x.moves = std::move(moves);
  return found;
}

/// The step of which all these are integers up to 127; 0 where there is none.
template <class At>
double step_of(int64_t count, const At& at) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(at(i)));
  if (largest == 0) return 1;
  for (int most = 127; most > 0 && std::isfinite(largest); --most) {
    const double step = largest / most;
    int64_t i = 0;
    while (i < count && std::fabs(at(i) / step - std::nearbyint(at(i) / step)) <= kMostFraction) ++i;
    if (i == count) return step;
  }
  return 0;
}

struct IntegerWeights {
  std::optional<Tensor> integers;  ///< nothing: the weights are such
  std::vector<double> steps;       ///< by channel
};

/// Weights as integers from -127 on, each channel with a step of its own; nothing if they are not such.
std::optional<IntegerWeights> integer_weights(const EpilogueCarrier& c, const Tensor& w) {
  if (w.dtype() == DType::kInt8) {
    const std::span<const int8_t> all(w.data<int8_t>(), static_cast<size_t>(w.count()));
    if (std::find(all.begin(), all.end(), int8_t{-128}) != all.end()) return std::nullopt;
    return IntegerWeights{.integers = {},
                          .steps = std::vector<double>(static_cast<size_t>(w.shape()[c.filter_axis]), 1.0)};
  }
  IntegerWeights out{.integers = Tensor::make(DType::kInt8, w.shape()), .steps = {}};
  const int64_t inner = w.shape().count(c.filter_axis + 1, w.shape().rank());
  const int64_t along = w.shape()[c.filter_axis];
  const int64_t count = w.count() / std::max<int64_t>(along, 1);
  const float* from = w.data<float>();
  auto* to = out.integers->data<int8_t>();
  for (int64_t channel = 0; channel < along; ++channel) {
    const auto place = [&](int64_t i) { return (i / inner * along + channel) * inner + i % inner; };
    const double step = step_of(count, [&](int64_t i) { return static_cast<double>(from[place(i)]); });
    if (step == 0) return std::nullopt;
    for (int64_t i = 0; i < count; ++i) {
      to[place(i)] = static_cast<int8_t>(std::nearbyint(static_cast<double>(from[place(i)]) / step));
    }
    out.steps.push_back(step);
  }
  return out;
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
const char* misfit(const Graph& graph, const EpilogueCarrier& c) {
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
Found operand_of(const Graph& graph, const EpilogueCarrier& c) {
  const Node& node = graph.node(c.id);
  const Value& w = graph.value(node.input(1));
  if (!w.is_constant()) return {.reason = "its weights are not constant"};
  if (const char* reason = misfit(graph, c)) return {.reason = reason};
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

bool to_integers(Graph& graph, NodeId id, Int8Values& made, RewriteBudget& budget) {
  const auto c = EpilogueCarrier::of_node(graph, id);
  if (!c) return false;
  const Found found = operand_of(graph, *c);
  if (found.reason != nullptr) return false;
  const Node& node = graph.node(id);
  const Value& weights = graph.value(node.input(1));
  auto integers = integer_weights(*c, *weights.fact.value);
  if (!integers) return false;
  for (double& step : integers->steps) step *= found.x.step;
  const Affine affine = affine_of(graph, *c, std::move(integers->steps));

  std::vector<EpilogueStep> steps = {{EpilogueKind::kMultiplyChannel}};
  const bool shifts = std::any_of(affine.shift.begin(), affine.shift.end(), [](double v) { return v != 0; });
  if (shifts) steps.push_back({EpilogueKind::kAddChannel});
  const std::vector<EpilogueStep>& old = c->epilogue->epilogue;
  steps.insert(steps.end(), old.begin() + static_cast<std::ptrdiff_t>(affine.steps), old.end());
  steps = merged_runs(steps);
  if (steps.size() > Epilogue::kMaxSteps) return false;

  const std::string name = weights.name;
  Patch patch(graph, id);
  const auto key = std::make_tuple(found.x.x, found.x.scale, found.x.rounding);
  const auto before = made.find(key);
  const ValueId x = before != made.end()
                        ? before->second
                        : patch.add(ToInt8{.scale = found.x.scale, .round_type = found.x.rounding}, {{found.x.x}});
  std::vector<ValueId> tensors = {patch.constant(floats_of(affine.factor))};
  if (shifts) tensors.push_back(patch.constant(floats_of(affine.shift)));
  ValueId operand = x;
  for (auto move = found.x.moves.rbegin(); move != found.x.moves.rend(); ++move) {
    PortValues moved = operands_of(graph.node(*move));
    moved.front().front() = operand;
    operand = patch.add(graph.node(*move).op, moved);
  }
  const std::vector<ValueId> left = c->tensors(graph);
  tensors.insert(tensors.end(), left.begin() + static_cast<std::ptrdiff_t>(affine.tensors), left.end());
  const ValueId w = integers->integers ? patch.constant(std::move(*integers->integers), name) : graph.node(id).input(1);
  const ValueId result = graph.node(id).output(0);
  patch.replace(result, patch.add(integer_op(graph.node(id).op, std::move(steps)), {{operand}, {w}, tensors}));
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  made.emplace(key, x);
  return true;
}

int rewrite(Graph& graph, RewriteBudget& budget) {
  if (!simulates_integers(graph)) return 0;
  int count = 0;
  Int8Values made;
  const std::vector<NodeId> products = graph.order();
  for (NodeId id : products) count += to_integers(graph, id, made, budget) ? 1 : 0;
  if (count > 0) remove_dead(graph);
  return count;
}

}  // namespace

std::string why_in_float32(const Graph& graph, NodeId id) {
  const Op& op = graph.node(id).op;
  if (op.row().flops == nullptr || op.is<IntegerLinear>() || op.is<IntegerConv2d>()) return {};
  const auto c = EpilogueCarrier::of_node(graph, id);
  if (!c) return "no operator on integers";
  const Found found = operand_of(graph, *c);
  if (found.reason != nullptr) return found.reason;
  const Tensor* w = graph.fact(graph.node(id).input(1)).value.get();
  if (w != nullptr && integer_weights(*c, *w)) return "the rewrite integer_regions was left out";
  return "its weights are not integers of one step for each channel";
}

Pass integer_regions() { return {.name = "integer_regions", .function = rewrite}; }

}  // namespace coracle
