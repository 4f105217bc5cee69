// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// What is known of the operands and results of a node in a graph, for the functions of its operator's schema.
class FactsOfNode {
 public:
  FactsOfNode(const Graph& graph, const Node& node) : node_(node) {
    for (ValueId v : node.inputs) in_.push_back(&graph.fact(v));
    for (ValueId v : node.outputs) out_.push_back(&graph.fact(v));
  }
  NodeFacts facts() const { return {in_, node_.input_counts, out_, node_.output_counts}; }

 private:
  const Node& node_;
  std::vector<const Fact*> in_;
  std::vector<const Fact*> out_;
};

}  // namespace coracle::internal
