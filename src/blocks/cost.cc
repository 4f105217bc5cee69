// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "blocks/block_plan.h"
#include "graph/node_facts.h"
#include "plan/device.h"

namespace coracle::internal {
namespace {

/// To begin and end a run of an engine, which reads its operands, orders them anew, and writes its results.
constexpr TransferSpeed kEngineBorder{.bytes_per_second = 8e9, .start = 5e-6};

int64_t microseconds(double seconds) { return std::llround(seconds * 1e6); }

/// Bytes of what a block takes and gives; nothing where a size is not known.
std::optional<size_t> border_bytes(const BlockPlan& plan, const Block& block, const std::vector<int>& outside_uses) {
  const Graph& graph = plan.graph();
  const int number = plan.state(block.nodes[0]).block;
  std::vector<ValueId> border;
  for (NodeId id : block.nodes) {
    for (ValueId v : graph.node(id).inputs) {
      const NodeId producer = graph.value(v).producer;
      const bool inside = producer != kNoNode && plan.state(producer).block == number;
      if (!inside && graph.fact(v).value == nullptr) border.push_back(v);
    }
    for (ValueId v : graph.node(id).outputs) {
      if (outside_uses[index(v)] != 0) border.push_back(v);
    }
  }
  std::sort(border.begin(), border.end());
  border.erase(std::unique(border.begin(), border.end()), border.end());
  size_t bytes = 0;
  for (ValueId v : border) {
    if (!graph.fact(v).known()) return std::nullopt;
    bytes += graph.fact(v).bytes();
  }
  return bytes;
}

/// What the nodes take natively; nothing where a size is not known.
std::optional<double> native_seconds(const Graph& graph, const Block& block) {
  double seconds = 0;
  for (NodeId id : block.nodes) {
    const Node& node = graph.node(id);
    const auto known = [&](ValueId v) { return graph.fact(v).known(); };
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), known) ||
        !std::all_of(node.outputs.begin(), node.outputs.end(), known)) {
      return std::nullopt;
    }
    const Cost cost = cost_of(node.op, FactsOfNode(graph, node).facts());
    seconds += host_device().speed.seconds(cost);
  }
  return seconds;
}

}  // namespace

void drop_costly(BlockPlan& plan, size_t engine) {
  const Graph& graph = plan.graph();
  // By value: how often it is used by others than the block that makes it.
  std::vector<int> outside_uses = graph.use_counts();
  for (NodeId id : graph.order()) {
    const int block = plan.state(id).block;
    if (block == BlockPlan::kNone) continue;
    for (ValueId v : graph.node(id).inputs) {
      const NodeId producer = graph.value(v).producer;
      if (producer != kNoNode && plan.state(producer).block == block) --outside_uses[index(v)];
    }
  }
  for (size_t b = 0; b < plan.blocks().size(); ++b) {
    const Block& block = plan.blocks()[b];
    if (block.engine != engine || block.dropped || block.marked) continue;
    const std::optional<size_t> border = border_bytes(plan, block, outside_uses);
    const std::optional<double> native = native_seconds(graph, block);
    if (!border || !native) continue;  // as large as its inputs will be
    const double cost = kEngineBorder.seconds(*border);
    if (cost < *native) continue;
    plan.drop(
        b, text("small: its ", counted(block.nodes.size(), "node"), " take about ", microseconds(*native),
                " us natively, its operands and results of ", counted(*border, "byte"), " alone ", microseconds(cost)));
  }
}

}  // namespace coracle::internal
