// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "passes/passes.h"

namespace coracle {
namespace {

bool same(const Node& a, const Node& b) {
  return a.inputs == b.inputs && a.input_counts == b.input_counts && a.output_counts == b.output_counts &&
         a.lod_from == b.lod_from && a.op == b.op;
}

/// Two pure operators with equal attributes and operands: the second's results become the first's.
int merge(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  std::unordered_multimap<size_t, NodeId> seen;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    if (!node.op.row().pure || !node.regions.empty() || node.inputs.empty()) continue;
    size_t hash = reinterpret_cast<size_t>(&node.op.row());
    for (ValueId v : node.inputs) hash = hash * 31 + index(v);
    const auto [begin, end] = seen.equal_range(hash);
    NodeId first = kNoNode;
    for (auto it = begin; it != end && first == kNoNode; ++it) {
      if (same(graph.node(it->second), node)) first = it->second;
    }
    if (first == kNoNode) {
      seen.emplace(hash, id);
      continue;
    }
    Patch patch(graph, id);
    for (size_t i = 0; i < node.outputs.size(); ++i) patch.replace(node.outputs[i], graph.node(first).outputs[i]);
    patch.remove(id);
    if (!patch.allowed()) continue;
    if (!budget.take()) return count;
    patch.commit();
    ++count;
  }
  return count;
}

}  // namespace

Pass common_subexpressions() { return {.name = "common_subexpressions", .function = merge}; }

}  // namespace coracle
