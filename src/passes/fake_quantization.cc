// SPDX-License-Identifier: Apache-2.0
#include "passes/fake_quantization.h"

#include <algorithm>

#include "ops/quantize/dequantize_linear.h"

namespace coracle::internal {

bool has_fake_quantization(const Graph& graph) {
  const std::vector<NodeId>& order = graph.order();
  return std::any_of(order.begin(), order.end(), [&](NodeId id) { return graph.node(id).op.schema().quantizes; });
}

bool is_fake_quantized(const Graph& graph, ValueId value) {
  NodeId id = graph.value(value).producer;
  while (id != kNoNode) {
    const Node& node = graph.node(id);
    const OpSchema& schema = node.op.schema();
    const bool rounds = schema.quantizes && is_float(graph.fact(node.input(0)).dtype);
    if (rounds || node.op.is<DequantizeLinear>()) return is_float(graph.fact(value).dtype);
    if (!schema.reshapes && schema.view_of_result == nullptr) return false;
    value = node.input(0);
    id = graph.value(value).producer;
  }
  return false;
}

bool is_symmetric(const Graph& graph, const Node& node) {
  const ValueId zero = node.input(2);
  if (zero == kNoValue) return true;
  if (!graph.value(zero).is_constant()) return false;
  const Tensor& t = *graph.fact(zero).value;
  for (int64_t i = 0; i < t.count(); ++i) {
    if (t.number(i) != 0) return false;
  }
  return true;
}

}  // namespace coracle::internal
