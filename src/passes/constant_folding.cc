// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/elementwise/cast.h"
#include "passes/four_bit_weights.h"
#include "passes/narrow_weights.h"
#include "passes/passes.h"

namespace coracle::internal {
namespace {

/// Results above this size are kept as computation where their operands are smaller: folding `full` of a large shape
/// would trade nothing for memory.
constexpr size_t kMaxGrowth = size_t{1} << 20U;
/// The same of all that is folded at a time.
constexpr size_t kMaxTotalGrowth = size_t{64} << 20U;

/// True if the node is to be folded; adds to `grown` what its results take more than its operands.
bool foldable(const Graph& graph, const Node& node, std::span<const ValueId> inputs, size_t& grown) {
  if (!node.op.schema().pure || !node.regions.empty() || node.outputs.empty()) return false;
  size_t in = 0;
  size_t out = 0;
  for (ValueId v : inputs) {
    if (!graph.value(v).is_constant() || graph.fact(v).is_array) return false;
    in += graph.fact(v).bytes();
  }
  for (ValueId v : node.outputs) {
    if (!graph.fact(v).known() || graph.fact(v).is_array) return false;
    out += graph.fact(v).bytes();
  }
  // The weights of a model are brought to float32 once, whatever they take then.
  if (out <= in || NarrowWeights::of(graph, node) || node.op.is<Cast>() || reads_by_bytes(graph, node)) return true;
  if (out > kMaxGrowth || grown + out > kMaxTotalGrowth) return false;
  grown += out;
  return true;
}

/// A pure operator on constants becomes its result; but for those that `keeps` has for the results' values.
int fold(Graph& graph, RewriteBudget& budget, const std::vector<bool>& keeps) {
  int count = 0;
  size_t grown = 0;
  Replacements replacements(graph);
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!keeps.empty() && !node.outputs.empty() && keeps[index(node.outputs[0])]) continue;
    std::vector<ValueId> operands;
    for (ValueId v : node.inputs) operands.push_back(replacements.current(v));
    const bool known = !node.outputs.empty() && node.op.schema().pure &&
                       std::all_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId v) { return graph.fact(v).value != nullptr; });
    if (!known && !foldable(graph, node, operands, grown)) continue;
    if (budget.empty()) break;
    std::vector<Tensor> results;
    if (known) {
      for (ValueId v : node.outputs) results.push_back(*graph.fact(v).value);
    } else {
      std::vector<Tensor> inputs;
      std::vector<Fact> facts;
      for (ValueId v : operands) inputs.push_back(*graph.fact(v).value);
      for (ValueId v : node.outputs) facts.push_back(graph.fact(v));
      results = evaluate_node(graph.context(), node, inputs, facts);
    }
    std::vector<ValueId> constants;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string name = graph.value(node.outputs[i]).name;
      constants.push_back(graph.add_constant(std::move(results[i]), name));
    }
    if (!replacements.replace(id, constants)) continue;
    budget.take();
    ++count;
  }
  if (count > 0) replacements.commit();
  // What is constant now may tell shapes that were not known before.
  if (count > 0) graph.infer_all();
  return count;
}

}  // namespace

Pass constant_folding(bool keeps_narrow_weights) {
  return {.name = "constant_folding", .function = [keeps_narrow_weights](Graph& graph, RewriteBudget& budget) {
            return fold(graph, budget, keeps_narrow_weights ? kept_narrow(graph) : std::vector<bool>());
          }};
}

}  // namespace coracle::internal
