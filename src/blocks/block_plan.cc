// SPDX-License-Identifier: Apache-2.0
#include "blocks/block_plan.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace coracle::internal {

BlockPlan::BlockPlan(const Graph& graph, const EngineChoice& choice, int32_t number, const RunContext& context)
    : context_(context), graph_(graph), choice_(choice), number_(number), states_(graph.node_count()) {}

void BlockPlan::add_block(Block block) {
  for (NodeId id : block.nodes) state(id).block = static_cast<int>(blocks_.size());
  blocks_.push_back(std::move(block));
}

void BlockPlan::add_cause(NodeState& state, std::string_view engine, std::string_view cause) {
  state.cause.append(state.cause.empty() ? "" : "; ").append(engine).append(": ").append(cause);
}

void BlockPlan::drop(size_t block, std::string_view cause) {
  Block& b = blocks_[block];
  b.dropped = true;
  for (NodeId id : b.nodes) {
    state(id).block = kNone;
    add_cause(state(id), name_of(b.engine), cause);
  }
}

std::span<const BlockStage> block_stages() {
  static constexpr BlockStage kStages[] = {
      {"engine_saved", take_saved, /*saved=*/true},
      {"engine_marks", mark_nodes},
      {"engine_detect", detect_nodes},
      {"engine_grow", grow_blocks},
      {"engine_small", drop_small},
      {"engine_cost", drop_costly},
  };
  return kStages;
}

namespace {

/// What must keep its place among its like: it prints, checks, draws numbers, or runs regions that may.
bool has_effects(const Node& node) { return !node.op.schema().pure || !node.regions.empty(); }

/// Groups in the order of their first nodes, and the edges between them by these numbers.
Groups unordered_groups(const BlockPlan& plan) {
  const Graph& graph = plan.graph();
  Groups groups;
  groups.of_node.assign(graph.node_count(), Groups::kNone);
  std::vector<uint32_t> of_block(plan.blocks().size(), Groups::kNone);
  const auto new_group = [&](int block) {
    groups.nodes.emplace_back();
    groups.block.push_back(block);
    return static_cast<uint32_t>(groups.nodes.size() - 1);
  };
  uint32_t last_effect = Groups::kNone;
  for (NodeId id : graph.order()) {
    const int block = plan.state(id).block;
    uint32_t group = 0;
    if (block == BlockPlan::kNone) {
      group = new_group(block);
    } else {
      uint32_t& known = of_block[static_cast<size_t>(block)];
      if (known == Groups::kNone) known = new_group(block);
      group = known;
    }
    groups.of_node[index(id)] = group;
    groups.nodes[group].push_back(id);
    for (ValueId v : graph.node(id).inputs) {
      const NodeId producer = graph.value(v).producer;
      if (producer == kNoNode) continue;
      const uint32_t from = groups.of_node[index(producer)];
      if (from != group) groups.edges.emplace_back(from, group);
    }
    if (!has_effects(graph.node(id))) continue;
    if (last_effect != Groups::kNone) groups.edges.emplace_back(last_effect, group);
    last_effect = group;
  }
  std::sort(groups.edges.begin(), groups.edges.end());
  groups.edges.erase(std::unique(groups.edges.begin(), groups.edges.end()), groups.edges.end());
  return groups;
}

}  // namespace

Groups groups_of(const BlockPlan& plan, GroupOrder order) {
  Groups groups = unordered_groups(plan);
  const size_t count = groups.nodes.size();
  std::vector<uint32_t> waits(count, 0);
  std::vector<size_t> first_edge(count + 1, 0);
  for (const auto& [from, to] : groups.edges) {
    ++waits[to];
    ++first_edge[from + size_t{1}];
  }
  for (size_t g = 0; g < count; ++g) first_edge[g + 1] += first_edge[g];
  std::vector<uint32_t> level(count, 0);  // blocks that a group waits for, one after the other
  const auto rank = [&](uint32_t g) {
    if (order == GroupOrder::kProgram) return std::tuple(0U, false, g);
    return std::tuple(level[g], groups.block[g] == BlockPlan::kNone, g);
  };
  using Rank = std::tuple<uint32_t, bool, uint32_t>;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ready;
  for (uint32_t g = 0; g < count; ++g) {
    if (waits[g] == 0) ready.push(rank(g));
  }
  std::vector<uint32_t> number(count, Groups::kNone);
  Groups ordered;
  while (!ready.empty()) {
    const uint32_t g = std::get<2>(ready.top());
    ready.pop();
    const uint32_t next_level = level[g] + (groups.block[g] == BlockPlan::kNone ? 0 : 1);
    number[g] = static_cast<uint32_t>(ordered.nodes.size());
    ordered.nodes.push_back(std::move(groups.nodes[g]));
    ordered.block.push_back(groups.block[g]);
    for (size_t e = first_edge[g]; e < first_edge[g + 1]; ++e) {
      const uint32_t to = groups.edges[e].second;
      level[to] = std::max(level[to], next_level);
      if (--waits[to] == 0) ready.push(rank(to));
    }
  }
  require(ordered.nodes.size() == count, ErrorCode::kUnsupported, "engine blocks depend on each other in a cycle");
  ordered.of_node = std::move(groups.of_node);
  for (uint32_t& g : ordered.of_node) {
    if (g != Groups::kNone) g = number[g];
  }
  ordered.edges = std::move(groups.edges);
  for (auto& [from, to] : ordered.edges) {
    from = number[from];
    to = number[to];
  }
  return ordered;
}

}  // namespace coracle::internal
