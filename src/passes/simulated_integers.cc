// SPDX-License-Identifier: Apache-2.0
#include "passes/simulated_integers.h"

#include <algorithm>

namespace coracle {

bool simulates_integers(const Graph& graph) {
  const std::vector<NodeId>& order = graph.order();
  return std::any_of(order.begin(), order.end(), [&](NodeId id) { return graph.node(id).op.row().quantizes; });
}

}  // namespace coracle
