// SPDX-License-Identifier: Apache-2.0
#include "passes/simulated_integers.h"

#include <algorithm>

#include "ops/quantize/dequantize_linear.h"

namespace coracle {

bool simulates_integers(const Graph& graph) {
  const std::vector<NodeId>& order = graph.order();
  return std::any_of(order.begin(), order.end(), [&](NodeId id) { return graph.node(id).op.row().quantizes; });
}

bool is_simulated(const Graph& graph, ValueId value) {
  NodeId id = graph.value(value).producer;
  while (id != kNoNode) {
    const Node& node = graph.node(id);
    const OpRow& row = node.op.row();
    const bool rounds = row.quantizes && is_float(graph.fact(node.input(0)).dtype);
    if (rounds || node.op.is<DequantizeLinear>()) return is_float(graph.fact(value).dtype);
    if (!row.reshapes && row.view_of_result == nullptr) return false;
    value = node.input(0);
    id = graph.value(value).producer;
  }
  return false;
}

}  // namespace coracle
