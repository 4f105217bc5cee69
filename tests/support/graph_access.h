// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace coracle::internal {

/// The insides of a graph, to damage them: rewrites go through Patch.
struct GraphTestAccess {
  static Node& node(Graph& graph, NodeId id) { return graph.nodes_[index(id)]; }
  static Value& value(Graph& graph, ValueId id) { return graph.values_[index(id)]; }
  static void remove_node(Graph& graph, NodeId id) { graph.remove_node(id); }
};

}  // namespace coracle::internal
