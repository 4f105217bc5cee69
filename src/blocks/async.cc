// SPDX-License-Identifier: Apache-2.0
#include "blocks/async.h"

#include <algorithm>

#include "ops/control/engine_block.h"

namespace coracle::internal {
namespace {

/// Native nodes beside a block are worth threads of their own if they are at least 1 / kWorthwhile as many as its own.
constexpr size_t kWorthwhile = 4;

/// What is looked at is blocks times nodes. A graph with more runs its blocks in their turn.
constexpr size_t kMostPairs = size_t{1} << 26U;

bool is_block(const Node& node) { return node.op.is<EngineBlock>(); }

/// By node: whether the block at a position of the order waits for it, or it for the block.
std::vector<bool> dependent_on(const Graph& graph, size_t position) {
  const std::vector<NodeId>& order = graph.order();
  std::vector<bool> before(graph.node_count(), false);
  std::vector<bool> after(graph.node_count(), false);
  before[index(order[position])] = after[index(order[position])] = true;
  const auto producer_of = [&](ValueId v) { return graph.value(v).producer; };
  for (size_t p = position + 1; p-- > 0;) {
    if (!before[index(order[p])]) continue;
    for (ValueId v : graph.node(order[p]).inputs) {
      if (producer_of(v) != kNoNode) before[index(producer_of(v))] = true;
    }
  }
  for (size_t p = position + 1; p < order.size(); ++p) {
    for (ValueId v : graph.node(order[p]).inputs) {
      if (producer_of(v) != kNoNode && after[index(producer_of(v))]) after[index(order[p])] = true;
    }
  }
  for (size_t n = 0; n < before.size(); ++n) before[n] = before[n] || after[n];
  return before;
}

}  // namespace

std::vector<bool> async_nodes(const Graph& graph, bool all) {
  std::vector<bool> async(graph.node_count(), all);
  const std::vector<NodeId>& order = graph.order();
  const auto blocks = static_cast<size_t>(
      std::count_if(order.begin(), order.end(), [&](NodeId id) { return is_block(graph.node(id)); }));
  if (blocks > kMostPairs / std::max<size_t>(order.size(), 1)) return async;
  for (size_t p = 0; p < order.size() && !all; ++p) {
    const Node& block = graph.node(order[p]);
    if (!is_block(block)) continue;
    const std::vector<bool> dependent = dependent_on(graph, p);
    size_t natives = 0;
    bool other_block = false;
    for (NodeId id : order) {
      if (dependent[index(id)]) continue;
      other_block = other_block || is_block(graph.node(id));
      ++natives;
    }
    if (!other_block && (natives == 0 || natives * kWorthwhile < block.regions[0]->order().size())) continue;
    async[index(order[p])] = true;
    for (NodeId id : order) {
      if (!dependent[index(id)]) async[index(id)] = true;
    }
  }
  return async;
}

}  // namespace coracle::internal
