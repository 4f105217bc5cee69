// SPDX-License-Identifier: Apache-2.0
#include "graph/node_facts.h"
#include "ops/activation/dropout.h"
#include "ops/elementwise/scale.h"
#include "passes/passes.h"

namespace coracle::internal {
namespace {

/// True if a node's result 0 is its operand 0, element by element.
bool is_identity(const Graph& graph, const Node& node) {
  const OpSchema& schema = node.op.schema();
  return schema.identity != nullptr && schema.identity(node.op.attributes(), FactsOfNode(graph, node).facts());
}

/// dropout(x) that keeps a share  ->  scale(x) by that share
Rewrite from_dropout() {
  Pattern p;
  const auto x = p.any();
  const auto dropout = p.op<Dropout>({x});
  return {p, dropout, [=](const Match& m, Patch& patch) {
            const auto share = kept_share(m[dropout], FactsOfNode(m.graph(), m.node(dropout)).facts());
            if (!share || m.reads_others(dropout)) return false;
            const float factor = static_cast<float>(*share);
            const ValueId by = patch.constant(Tensor::of<float>(Shape{1}, {&factor, 1}));
            patch.replace(m.output(dropout), patch.add(Scale{}, {{m[x]}, {by}}));
            return true;
          }};
}

/// assign(x), cast(x) to its own type, concat(x), scale(x) by 1 plus 0, dropout(x) that keeps everything  ->  x
int remove_identities(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<int>& uses = graph.use_counts();
  Replacements replacements(graph);
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    bool others_used = false;
    for (size_t i = 1; i < node.outputs.size(); ++i) others_used |= uses[index(node.outputs[i])] > 0;
    if (others_used || !is_identity(graph, node)) continue;
    const ValueId from = replacements.current(node.input(0));
    if (!replaceable(graph.fact(node.output(0)), graph.fact(from)) || budget.empty()) continue;
    if (!replacements.replace(id, {&from, 1})) continue;
    budget.take();
    ++count;
  }
  if (count > 0) replacements.commit();
  return count;
}

}  // namespace

Pass identity() { return {.name = "identity", .rewrites = {from_dropout()}, .function = remove_identities}; }

}  // namespace coracle::internal
