// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "passes/passes.h"

namespace coracle::internal {
namespace {

/// Operators of one kind and the same operands that are compared, at most: more of them differ in their attributes.
constexpr int kMostCandidates = 32;

/// True if they are equal but for their operands.
bool same(const Node& a, const Node& b) {
  return a.input_counts == b.input_counts && a.output_counts == b.output_counts && a.lod_from == b.lod_from &&
         a.op == b.op;
}

/// Two pure operators with equal attributes and operands: the second's results become the first's.
int merge(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  Replacements replacements(graph);
  std::unordered_multimap<size_t, NodeId> seen;
  const auto same_operands = [&](const Node& a, const Node& b) {
    return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                      [&](ValueId x, ValueId y) { return replacements.current(x) == replacements.current(y); });
  };
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!node.op.schema().pure || !node.regions.empty() || node.inputs.empty()) continue;
    size_t hash = reinterpret_cast<size_t>(&node.op.schema());
    for (ValueId v : node.inputs) hash = (hash ^ index(replacements.current(v))) * 0x9E3779B97F4A7C15U;
    const auto [begin, end] = seen.equal_range(hash);
    NodeId first = kNoNode;
    int candidates = 0;
    for (auto it = begin; it != end && first == kNoNode && candidates < kMostCandidates; ++it, ++candidates) {
      const Node& other = graph.node(it->second);
      if (same(other, node) && same_operands(other, node)) first = it->second;
    }
    if (first == kNoNode) {
      if (candidates < kMostCandidates) seen.emplace(hash, id);
      continue;
    }
    if (budget.empty()) break;
    if (!replacements.replace(id, graph.node(first).outputs)) continue;
    budget.take();
    ++count;
  }
  if (count > 0) replacements.commit();
  return count;
}

}  // namespace

Pass common_subexpressions() { return {.name = "common_subexpressions", .function = merge}; }

}  // namespace coracle::internal
