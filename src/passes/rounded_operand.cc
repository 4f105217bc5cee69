// SPDX-License-Identifier: Apache-2.0
#include "passes/rounded_operand.h"

#include <cmath>
#include <optional>
#include <utility>

#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/fake_quantize_dequantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_range_abs_max.h"
#include "ops/quantize/integer_product.h"
#include "ops/quantize/quantize_linear.h"
#include "passes/fake_quantization.h"

namespace coracle::internal {
namespace {

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
  return !node.op.as<T>()->only_observer && is_symmetric(graph, node);
}

constexpr const char* kNotRounded = "its operand is not rounded to steps";
constexpr const char* kNoScale = "its operand is not rounded with one constant scale and 8 bits";

/// x as steps of a constant scale, by an operator that has both as attributes and operand 1.
template <class T>
RoundedOperand rounded_by(const Graph& graph, const Node& node, const T& op) {
  const auto scale = only_scale(graph, node, op.bit_length);
  if (!scale) return {.reason = kNoScale};
  return {.x = {.x = node.input(0),
                .scale = *scale,
                .rounding = op.round_type,
                .step = static_cast<double>(*scale) / kInt8Limit}};
}

/// dequantize_linear(quantize_linear(x))
RoundedOperand rounded_linearly(const Graph& graph, const Node& node, const DequantizeLinear& dequantize) {
  const NodeId before = graph.value(node.input(0)).producer;
  const auto* quantize = before == kNoNode ? nullptr : graph.node(before).op.as<QuantizeLinear>();
  if (quantize == nullptr) return {.reason = kNotRounded};
  const Node& rounding = graph.node(before);
  if (!is_plain<DequantizeLinear>(graph, node) || !is_plain<QuantizeLinear>(graph, rounding)) {
    return {.reason = "its operand has a zero point"};
  }
  const auto from = only_scale(graph, node, dequantize.bit_length);
  RoundedOperand found = rounded_by(graph, rounding, *quantize);
  if (found.reason != nullptr) return found;
  if (!from) return {.reason = kNoScale};
  found.x.step = static_cast<double>(*from) / kInt8Limit;
  return found;
}

/// True if the one result of a node is made of elements of its operand 0.
bool only_moves(const Node& node) {
  const OpSchema& schema = node.op.schema();
  return (schema.reshapes || schema.view_of_result != nullptr) && node.outputs.size() == 1;
}

}  // namespace

RoundedOperand rounded_operand(const Graph& graph, ValueId value) {
  NodeId id = graph.value(value).producer;
  std::vector<NodeId> moves;
  for (; id != kNoNode && only_moves(graph.node(id)); id = graph.value(graph.node(id).input(0)).producer) {
    moves.push_back(id);
  }
  if (id == kNoNode) return {.reason = kNotRounded};
  const Node& node = graph.node(id);
  RoundedOperand found{.reason = kNotRounded};
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

}  // namespace coracle::internal
