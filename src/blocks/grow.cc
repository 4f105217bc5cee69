// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "base/contractible_dag.h"
#include "blocks/block_plan.h"

namespace coracle::internal {
namespace {

/// Each candidate joins those that give its operands, as far as no way between them leads through others. What a first
/// round has joined may let a second one join more.
void join_neighbours(const BlockPlan& plan, const Groups& groups, ContractibleDag& dag) {
  const Graph& graph = plan.graph();
  constexpr int kRounds = 3;
  bool joined = true;
  for (int round = 0; joined && round < kRounds; ++round) {
    joined = false;
    for (const std::vector<NodeId>& nodes : groups.nodes) {
      if (nodes.size() != 1 || !plan.state(nodes[0]).candidate) continue;
      plan.context().check();
      const uint32_t to = groups.of_node[index(nodes[0])];
      for (ValueId v : graph.node(nodes[0]).inputs) {
        const NodeId producer = graph.value(v).producer;
        if (producer == kNoNode || !plan.state(producer).candidate) continue;
        const uint32_t from = groups.of_node[index(producer)];
        if (dag.group(from) != dag.group(to) && dag.join(from, to)) joined = true;
      }
    }
  }
}

}  // namespace

void grow_blocks(BlockPlan& plan, size_t engine) {
  const Groups groups = groups_of(plan, GroupOrder::kProgram);
  ContractibleDag dag(groups.nodes.size());
  for (const auto& [from, to] : groups.edges) dag.add_edge(from, to);
  join_neighbours(plan, groups, dag);

  std::unordered_map<uint32_t, size_t> block_of;  // by group of the joined graph
  std::vector<Block> blocks;
  for (NodeId id : plan.graph().order()) {
    const BlockPlan::NodeState& state = plan.state(id);
    if (!state.candidate) continue;
    const uint32_t group = dag.group(groups.of_node[index(id)]);
    const auto [at, is_new] = block_of.emplace(group, blocks.size());
    if (is_new) blocks.push_back({.engine = engine, .nodes = {}});
    Block& block = blocks[at->second];
    block.nodes.push_back(id);
    block.marked = block.marked || state.marked == static_cast<int>(engine);
  }
  for (Block& block : blocks) plan.add_block(std::move(block));
}

void drop_small(BlockPlan& plan, size_t engine) {
  for (size_t b = 0; b < plan.blocks().size(); ++b) {
    const Block& block = plan.blocks()[b];
    const auto count = static_cast<int64_t>(block.nodes.size());
    if (block.engine != engine || block.dropped || block.marked || count >= plan.choice().min_ops) continue;
    plan.drop(b, text("a block of ", count, count == 1 ? " node" : " nodes", ", fewer than min_ops, ",
                      plan.choice().min_ops));
  }
}

}  // namespace coracle::internal
