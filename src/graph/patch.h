// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace coracle {

/// The only way a rewrite changes a graph: it adds nodes in front of one node and replaces values. Nothing happens
/// before commit(); without it the added nodes vanish.
class Patch {
 public:
  /// New nodes go in front of `at`.
  Patch(Graph& graph, NodeId at) : graph_(graph), at_(at) {}
  ~Patch();
  Patch(const Patch&) = delete;
  Patch& operator=(const Patch&) = delete;

  const Graph& graph() const { return graph_; }
  ValueId constant(Tensor tensor, std::string name = {}) {
    return graph_.add_constant(std::move(tensor), std::move(name));
  }
  /// Adds a node; returns its result 0. Named after the node in front of which it stands.
  ValueId add(Op op, const PortValues& inputs);
  /// Adds a node with several results.
  NodeId add_node(Op op, const PortValues& inputs, PortCounts output_counts);
  /// Every use of `old` becomes a use of `by`. Throws Error if the type differs.
  void replace(ValueId old, ValueId by);

  /// Applies the replacements. Nodes left without a use go with `remove_dead`.
  void commit();

 private:
  Graph& graph_;
  NodeId at_;
  std::vector<NodeId> added_;
  std::vector<std::pair<ValueId, ValueId>> replacements_;
};

/// Removes pure nodes none of whose results is used; returns how many.
int remove_dead(Graph& graph);

/// Checks that a graph is well formed: every operand is defined before its use, ports are as the operators say, results
/// know their producer. With `infer`, also that inferring all facts again gives the same types.
/// Throws Error that names the node.
void verify(const Graph& graph, bool infer);

}  // namespace coracle
