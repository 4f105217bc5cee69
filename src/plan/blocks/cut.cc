// SPDX-License-Identifier: Apache-2.0
#include "plan/blocks/cut.h"

#include <algorithm>

#include "base/deadline.h"
#include "ops/control/engine_block.h"
#include "plan/blocks/block_plan.h"

namespace coracle {
namespace {

/// A copy of a part of a graph: values are made when they are first asked for.
class PartCopy {
 public:
  PartCopy(const Graph& from, Graph& to) : from_(from), to_(to), copies_(from.value_count(), kNoValue) {}

  void set(ValueId value, ValueId copy) { copies_[index(value)] = copy; }
  bool has(ValueId value) const { return copies_[index(value)] != kNoValue; }

  /// What stands for a value: a constant too if its elements are known, which then needs no producer.
  ValueId of(ValueId value) {
    ValueId& copy = copies_[index(value)];
    if (copy == kNoValue) {
      const Value& v = from_.value(value);
      require(v.fact.value != nullptr, ErrorCode::kUnsupported, "a block uses the value '", v.name,
              "' before it is made");
      copy = to_.add_constant(*v.fact.value, v.name);
    }
    return copy;
  }

  void add(const Node& node, std::vector<std::shared_ptr<Graph>> regions) {
    PortValues inputs;
    size_t flat = 0;
    for (int count : node.input_counts) {
      inputs.emplace_back();
      for (int i = 0; i < count; ++i, ++flat) inputs.back().push_back(of(node.inputs[flat]));
    }
    const NodeId added = to_.add_node(node.op, inputs, node.output_counts, node.name, std::move(regions));
    if (node.lod_from != kLodByOperator) to_.set_lod_from(added, node.lod_from);
    if (!node.scope.empty()) to_.set_scope(added, node.scope);
    const std::vector<ValueId> outputs = to_.node(added).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      set(node.outputs[i], outputs[i]);
      const std::string& name = from_.value(node.outputs[i]).name;
      if (!name.empty()) to_.set_name(outputs[i], name);
    }
  }

 private:
  const Graph& from_;
  Graph& to_;
  std::vector<ValueId> copies_;
};

class Cutter {
 public:
  Cutter(const EngineChoice& choice, std::span<const std::string> disabled, CutReport& report)
      : choice_(choice), disabled_(disabled), report_(report) {}

  /// Null where a graph has no blocks, nor its regions.
  std::shared_ptr<Graph> cut(const Graph& graph, const std::string& key) {
    Deadline::check_current();
    BlockPlan plan(graph, choice_);
    for (size_t engine = 0; engine < choice_.engines.size(); ++engine) {
      if (choice_.engines[engine].engine == nullptr) continue;
      for (const BlockStage& stage : block_stages()) {
        if (std::find(disabled_.begin(), disabled_.end(), stage.name) == disabled_.end()) stage.run(plan, engine);
      }
    }
    const Groups groups = groups_of(plan, GroupOrder::kOverlap);
    const std::vector<std::string> names = block_names(plan, groups);
    std::vector<std::vector<std::shared_ptr<Graph>>> regions(graph.node_count());
    bool changed = false;
    for (NodeId id : graph.order()) {
      tell(plan, id, key, names);
      const Node& node = graph.node(id);
      for (size_t r = 0; r < node.regions.size(); ++r) {
        const std::shared_ptr<Graph> region = cut(*node.regions[r], text(key, "/", node.name, "/", r));
        changed = changed || region != nullptr;
        regions[index(id)].push_back(region != nullptr ? region : node.regions[r]);
      }
    }
    for (int block : groups.block) changed = changed || block != BlockPlan::kNone;
    return changed ? rebuild(plan, groups, names, std::move(regions)) : nullptr;
  }

 private:
  static std::string plain(std::string_view engine) {
    std::string name(engine);
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
  }

  /// By block: "openvino_0"
  std::vector<std::string> block_names(const BlockPlan& plan, const Groups& groups) {
    std::vector<std::string> names(plan.blocks().size());
    for (int block : groups.block) {
      if (block == BlockPlan::kNone) continue;
      const auto b = static_cast<size_t>(block);
      names[b] = text(plain(plan.name_of(plan.blocks()[b].engine)), "_", report_.blocks++);
    }
    return names;
  }

  void tell(const BlockPlan& plan, NodeId id, const std::string& key, const std::vector<std::string>& names) {
    const Node& node = plan.graph().node(id);
    const BlockPlan::NodeState& state = plan.state(id);
    CutNode told{
        .graph = key, .node = node.name, .op = node.op.name(), .makes = {}, .engine = {}, .block = {}, .cause = {}};
    for (auto v = node.outputs.begin(); v != node.outputs.end() && told.makes.empty(); ++v) {
      told.makes = plan.graph().value(*v).name;
    }
    if (state.block == BlockPlan::kNone) {
      told.cause = state.cause;
    } else {
      const auto b = static_cast<size_t>(state.block);
      told.engine = plan.name_of(plan.blocks()[b].engine);
      told.block = names[b];
    }
    report_.nodes.push_back(std::move(told));
  }

  static std::shared_ptr<Graph> rebuild(const BlockPlan& plan, const Groups& groups,
                                        const std::vector<std::string>& names,
                                        std::vector<std::vector<std::shared_ptr<Graph>>> regions) {
    const Graph& graph = plan.graph();
    auto made = std::make_shared<Graph>();
    PartCopy copy(graph, *made);
    for (ValueId v : graph.inputs()) {
      copy.set(v, made->add_input(graph.value(v).name, graph.fact(v)));
    }
    for (size_t g = 0; g < groups.nodes.size(); ++g) {
      Deadline::check_current();
      if (groups.block[g] == BlockPlan::kNone) {
        for (NodeId id : groups.nodes[g]) copy.add(graph.node(id), std::move(regions[index(id)]));
      } else {
        add_block(plan, groups, g, names[static_cast<size_t>(groups.block[g])], copy, *made);
      }
    }
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      made->add_output(copy.of(graph.outputs()[i]), graph.output_names()[i]);
    }
    return made;
  }

  static void add_block(const BlockPlan& plan, const Groups& groups, size_t group, const std::string& name,
                        PartCopy& outer, Graph& made) {
    const Graph& graph = plan.graph();
    const std::vector<NodeId>& nodes = groups.nodes[group];
    auto region = std::make_shared<Graph>();
    PartCopy inner(graph, *region);
    std::vector<ValueId> operands;
    std::vector<ValueId> results;
    // Uses within the block.
    std::vector<std::pair<ValueId, int>> own;
    for (NodeId id : nodes) {
      for (ValueId v : graph.node(id).inputs) {
        const NodeId producer = graph.value(v).producer;
        if (producer != kNoNode && groups.of_node[index(producer)] == group) {
          own.emplace_back(v, 1);
        } else if (graph.fact(v).value == nullptr && !inner.has(v)) {
          inner.set(v, region->add_input(graph.value(v).name, graph.fact(v)));
          operands.push_back(outer.of(v));
        }
      }
    }
    std::sort(own.begin(), own.end());
    for (NodeId id : nodes) inner.add(graph.node(id), {});
    for (NodeId id : nodes) {
      for (ValueId v : graph.node(id).outputs) {
        const auto range = std::equal_range(own.begin(), own.end(), std::pair(v, 1));
        if (graph.use_counts()[index(v)] == range.second - range.first) continue;
        results.push_back(v);
        region->add_output(inner.of(v), graph.value(v).name);
      }
    }
    if (results.empty()) return;  // nobody reads what it computes
    const EngineBlock op{.engine =
                             std::string(plan.name_of(plan.blocks()[static_cast<size_t>(groups.block[group])].engine))};
    const NodeId block = made.add_node(op, {operands}, {static_cast<int>(results.size())}, name, {region});
    const std::vector<ValueId> outputs = made.node(block).outputs;
    for (size_t i = 0; i < results.size(); ++i) {
      outer.set(results[i], outputs[i]);
      const std::string& result_name = graph.value(results[i]).name;
      if (!result_name.empty()) made.set_name(outputs[i], result_name);
    }
  }

  const EngineChoice& choice_;
  std::span<const std::string> disabled_;
  CutReport& report_;
};

}  // namespace

CutReport cut_blocks(Graph& graph, const EngineChoice& choice, std::span<const std::string> disabled) {
  CutReport report;
  if (choice.engines.empty()) return report;
  std::shared_ptr<Graph> cut = Cutter(choice, disabled, report).cut(graph, "main");
  if (cut != nullptr) graph = std::move(*cut);
  return report;
}

}  // namespace coracle
