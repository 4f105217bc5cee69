// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/quantized_weights.h"
#include "passes/epilogue_carrier.h"
#include "passes/integer_stages.h"

///   linear(fake_quantize_dequantize(x), w)  ->  integer_linear(to_int8(x), w / step)
/// and the same of conv2d_fused and conv2d_transpose_fused. The epilogue begins with what an integer stands for, into
/// which the channels' factors and shifts that follow are folded; a rounded value that is added there, as a residual,
/// is added as integers. Weights may be int8 already (narrow_weights).
namespace coracle::internal {
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
  for (const ValueId t : c.tensors) {
    if (graph.fact(t).dtype != DType::kFloat32) return {.reason = "its epilogue is not float32"};
  }
  return rounded_operand(graph, node.input(0));
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

/// The steps of an epilogue behind its linear beginning, and their tensors. What is added and was rounded is added as
/// integers.
struct LastSteps {
  std::vector<EpilogueStep> steps;
  std::vector<ValueId> tensors;
};

LastSteps last_steps(const Graph& graph, const EpilogueCarrier& c, const ChannelLines& beginning, Int8Operands& int8) {
  LastSteps last;
  size_t next = beginning.tensors;
  for (size_t i = beginning.steps; i < c.steps.size(); ++i) {
    EpilogueStep step = c.steps[i];
    if (takes_tensor(step.kind)) {
      ValueId tensor = c.tensors[next++];
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

}  // namespace

Rewrite integer_layer(const std::shared_ptr<Int8Values>& made) {
  Pattern p;
  const auto layer = EpilogueCarrier::slot(p);
  return {p, layer, [=](const Match& m, Patch& patch) {
            const Graph& graph = m.graph();
            const auto c = EpilogueCarrier::of_node(graph, m.node_id(layer));
            if (!c) return false;
            const RoundedOperand found = operand_of(graph, *c);
            if (found.reason != nullptr) return false;
            auto integers = integer_weights(graph.context(), *c, *graph.fact(c->weights).value);
            if (!integers) return false;
            for (double& step : integers->steps) step *= found.x.step;
            const ChannelLines lines = linear_beginning(graph, *c, std::move(integers->steps));

            Int8Operands int8(patch, made);
            const LastSteps last = last_steps(graph, *c, lines, int8);
            const ValueId x = int8.value_of(found.x);

            std::vector<EpilogueStep> steps = {{EpilogueKind::kMultiplyChannel}};
            const bool shifts = std::any_of(lines.shift.begin(), lines.shift.end(), [](double v) { return v != 0; });
            if (shifts) steps.push_back({EpilogueKind::kAddChannel});
            steps.insert(steps.end(), last.steps.begin(), last.steps.end());
            steps = merged_runs(steps);
            if (steps.size() > Epilogue::kMaxSteps) return false;
            std::vector<ValueId> tensors = {patch.constant(channel_numbers(lines.factor))};
            if (shifts) tensors.push_back(patch.constant(channel_numbers(lines.shift)));
            tensors.insert(tensors.end(), last.tensors.begin(), last.tensors.end());
            ValueId w = c->weights;
            if (integers->integers) {
              const std::string name = graph.value(w).name;
              w = patch.constant(std::move(*integers->integers), name);
            }
            const Op op = integer_op(m.node(layer).op, std::move(steps));
            return int8.replace(m[layer], patch.add(op, {{x}, {w}, tensors}));
          }};
}

const char* why_no_integer_layer(const Graph& graph, NodeId id) {
  const auto c = EpilogueCarrier::of_node(graph, id);
  if (!c) return "no operator on integers";
  if (const char* reason = operand_of(graph, *c).reason) return reason;
  const Tensor* w = graph.fact(c->weights).value.get();
  if (w != nullptr && integer_weights(graph.context(), *c, *w)) return nullptr;
  return "its weights are not integers of one step for each channel";
}

}  // namespace coracle::internal
