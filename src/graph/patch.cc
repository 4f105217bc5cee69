// SPDX-License-Identifier: Apache-2.0
#include "graph/patch.h"

#include <algorithm>
#include <numeric>

namespace coracle {
namespace {

/// True if a node's values are counted for each port of its operator.
bool fits(const PortCounts& counts, std::span<const Port> ports, const std::vector<ValueId>& values) {
  return counts.size() == ports.size() &&
         std::accumulate(counts.begin(), counts.end(), 0) == static_cast<int>(values.size());
}

}  // namespace

Patch::~Patch() {
  for (auto it = added_.rbegin(); it != added_.rend(); ++it) graph_.remove_node(*it);
}

ValueId Patch::add(Op op, const PortValues& inputs) {
  return graph_.node(add_node(std::move(op), inputs, {})).outputs.at(0);
}

NodeId Patch::add_node(Op op, const PortValues& inputs, PortCounts output_counts) {
  const std::string name = graph_.node(at_).name;
  added_.push_back(graph_.insert_node(at_, std::move(op), inputs, std::move(output_counts), name));
  return added_.back();
}

void Patch::replace(ValueId old, ValueId by) {
  require(replaceable(graph_.fact(old), graph_.fact(by)), "a value of type ", graph_.fact(old),
          " cannot be replaced by one of type ", graph_.fact(by));
  replacements_.emplace_back(old, by);
}

void Patch::commit() {
  for (const auto& [old, by] : replacements_) {
    graph_.replace_uses(old, by);
    Value& value = graph_.value(by);
    if (value.name.empty() && value.producer != kNoNode) value.name = graph_.value(old).name;
  }
  added_.clear();
}

int remove_dead(Graph& graph) {
  std::vector<int> uses = graph.use_counts();
  std::vector<NodeId> dead;
  for (auto it = graph.order().rbegin(); it != graph.order().rend(); ++it) {
    const Node& node = graph.node(*it);
    const bool used =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return uses[index(v)] > 0; });
    if (used || !node.op.row().pure) continue;
    for (ValueId v : node.inputs) --uses[index(v)];
    dead.push_back(*it);
  }
  for (NodeId id : dead) graph.remove_node(id);
  return static_cast<int>(dead.size());
}

void verify(const Graph& graph, bool infer) {
  std::vector<bool> defined(graph.value_count(), false);
  for (size_t i = 0; i < defined.size(); ++i) {
    defined[i] = graph.value(ValueId{static_cast<int32_t>(i)}).producer == kNoNode;
  }
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    require(node.alive, "node ", node.name, " was removed but is still in the program");
    const OpRow& row = node.op.row();
    require(fits(node.input_counts, row.inputs, node.inputs), "node ", node.name, " has wrong operand ports");
    require(fits(node.output_counts, row.outputs, node.outputs), "node ", node.name, " has wrong result ports");
    require(static_cast<int>(node.regions.size()) == row.regions, "node ", node.name, " has ", node.regions.size(),
            " regions, expected ", row.regions);
    for (ValueId v : node.inputs) {
      require(index(v) < defined.size() && defined[index(v)], "node ", node.name, " uses a value before it is defined");
    }
    for (ValueId v : node.outputs) {
      require(graph.value(v).producer == id, "a result of node ", node.name, " belongs to another node");
      defined[index(v)] = true;
    }
    for (const std::shared_ptr<Graph>& region : node.regions) verify(*region, false);
  }
  for (ValueId v : graph.outputs()) require(defined[index(v)], "an output of the program is not defined");
  if (!infer) return;
  std::vector<Fact> inputs;
  for (ValueId v : graph.inputs()) inputs.push_back(graph.fact(v));
  const std::vector<Fact> facts = infer_graph(graph, inputs);
  for (NodeId id : graph.order()) {
    for (ValueId v : graph.node(id).outputs) {
      require(replaceable(graph.fact(v), facts[index(v)]), "a result of node ", graph.node(id).name, " is recorded as ",
              graph.fact(v), " but is ", facts[index(v)]);
    }
  }
}

}  // namespace coracle
