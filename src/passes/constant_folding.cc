// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "passes/passes.h"

namespace coracle {
namespace {

/// Results above this size are kept as computation where their operands are smaller: folding `full` of a large shape
/// would trade nothing for memory.
constexpr size_t kMaxGrowth = size_t{1} << 20U;

bool foldable(const Graph& graph, const Node& node) {
  if (!node.op.row().pure || !node.regions.empty() || node.outputs.empty()) return false;
  size_t in = 0;
  size_t out = 0;
  for (ValueId v : node.inputs) {
    if (!graph.value(v).is_constant() || graph.fact(v).is_array) return false;
    in += graph.fact(v).bytes();
  }
  for (ValueId v : node.outputs) {
    if (!graph.fact(v).known() || graph.fact(v).is_array) return false;
    out += graph.fact(v).bytes();
  }
  return out <= std::max(in, kMaxGrowth);
}

/// A pure operator on constants becomes its result.
int fold(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    const bool known = !node.outputs.empty() && node.op.row().pure &&
                       std::all_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId v) { return graph.fact(v).value != nullptr; });
    if (!known && !foldable(graph, node)) continue;
    if (budget.empty()) return count;
    std::vector<Tensor> results;
    if (known) {
      for (ValueId v : node.outputs) results.push_back(*graph.fact(v).value);
    } else {
      std::vector<Tensor> inputs;
      std::vector<Fact> facts;
      for (ValueId v : node.inputs) inputs.push_back(*graph.fact(v).value);
      for (ValueId v : node.outputs) facts.push_back(graph.fact(v));
      results = evaluate_node(node, inputs, facts);
    }
    const std::vector<ValueId> outputs = node.outputs;
    Patch patch(graph, id);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string name = graph.value(outputs[i]).name;
      patch.replace(outputs[i], patch.constant(std::move(results[i]), name));
    }
    patch.remove(id);
    if (!patch.allowed()) continue;
    budget.take();
    patch.commit();
    ++count;
  }
  // What is constant now may tell shapes that were not known before.
  if (count > 0) graph.infer_all();
  return count;
}

}  // namespace

Pass constant_folding() { return {.name = "constant_folding", .function = fold}; }

}  // namespace coracle
