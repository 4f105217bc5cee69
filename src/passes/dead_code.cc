// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace coracle {
namespace {

/// Optional results that nobody reads (a batch_norm's running statistics, XShape) need not be computed: they are taken
/// off the node where none behind them at the same node is read.
int drop_unread_results(Graph& graph) {
  const std::vector<int> uses = graph.use_counts();
  int count = 0;
  for (NodeId id : graph.order()) {
    Node& node = graph.node(id);
    const std::span<const Port> ports = node.op.row().outputs;
    for (size_t p = node.output_counts.size(); p-- > 0;) {
      if (node.output_counts[p] == 0) continue;
      const ValueId last = node.outputs.back();
      if (ports[p].kind != Port::Kind::kOptional || uses[index(last)] != 0) break;
      node.outputs.pop_back();
      node.output_counts[p] = 0;
      ++count;
    }
  }
  return count;
}

/// A pure operator none of whose results is used is left out. All of a graph at once is one rewrite.
int remove(Graph& graph, RewriteBudget& budget) {
  if (budget.empty()) return 0;
  const int count = remove_dead(graph) + drop_unread_results(graph);
  if (count > 0) budget.take();
  return count;
}

}  // namespace

Pass dead_code() { return {.name = "dead_code", .function = remove}; }

}  // namespace coracle
