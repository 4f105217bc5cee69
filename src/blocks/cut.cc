// SPDX-License-Identifier: Apache-2.0
#include "blocks/cut.h"

#include <algorithm>
#include <unordered_map>

#include "base/deadline.h"
#include "blocks/block_plan.h"
#include "blocks/half_blocks.h"
#include "graph/packed_constants.h"
#include "ops/control/engine_block.h"
#include "ops/elementwise/cast.h"
#include "plan/upcast.h"

namespace coracle::internal {
namespace {

/// A copy of a part of a graph: values are made when they are first asked for. `widens`: half ones in float32.
class PartCopy {
 public:
  PartCopy(const Graph& from, Graph& to, bool widens = false)
      : from_(from), to_(to), widens_(widens), copies_(from.value_count(), kNoValue) {}

  void set(ValueId value, ValueId copy) { copies_[index(value)] = copy; }
  bool has(ValueId value) const { return copies_[index(value)] != kNoValue; }

  /// What stands for a value: a constant too if its elements are known, which then needs no producer.
  ValueId of(ValueId value) {
    ValueId& copy = copies_[index(value)];
    if (copy == kNoValue) {
      const Value& v = from_.value(value);
      require(v.fact.value != nullptr, ErrorCode::kUnsupported, "a block uses the value '", v.name,
              "' before it is made");
      copy = to_.add_constant(widens_ ? in_float32(*v.fact.value) : *v.fact.value, v.name);
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
  bool widens_;
  std::vector<ValueId> copies_;
};

/// A graph with blocks while it is made, and what stands in it for half values of the one that is cut: as they were
/// declared, in `copy`, and as blocks have them.
class Cut {
 public:
  Cut(const Graph& from, const Groups& groups, Graph& made)
      : copy(from, made), made_(made), wide_(from.value_count(), kNoValue), read_(from.value_count(), false) {
    for (NodeId id : from.order()) {
      if (groups.block[groups.of_node[index(id)]] != BlockPlan::kNone) continue;
      for (ValueId v : from.node(id).inputs) read_[index(v)] = true;
    }
    for (ValueId v : from.outputs()) read_[index(v)] = true;
  }

  /// A half value in float32, for a block.
  ValueId wide(ValueId v, std::string_view block) {
    ValueId& wide = wide_[index(v)];
    if (wide == kNoValue) wide = add_cast(copy.of(v), DType::kFloat32, text(block, "_operand_", index(v)));
    return wide;
  }
  /// A block has made it in float32. It is cast for who reads it beside blocks.
  void set_wide(ValueId v, ValueId made, DType declared, std::string_view block) {
    wide_[index(v)] = made;
    if (read_[index(v)]) copy.set(v, add_cast(made, declared, text(block, "_result_", index(v))));
  }

  PartCopy copy;

 private:
  ValueId add_cast(ValueId value, DType to, std::string name) {
    return made_.node(made_.add_node(Cast{.dtype = to}, {{value}}, {1}, std::move(name))).outputs[0];
  }

  Graph& made_;
  std::vector<ValueId> wide_;
  std::vector<bool> read_;  // by nodes beside blocks, or as a result
};

class Cutter {
 public:
  Cutter(const Graph& graph, const EngineChoice& choice, std::span<const std::string> disabled, CutReport& report)
      : context_(graph.context()), choice_(choice), disabled_(disabled), report_(report) {
    for (const Graph* g : numbered_graphs(graph)) numbers_.emplace(g, static_cast<int32_t>(numbers_.size()));
  }

  /// Null where a graph has no blocks, nor its regions.
  std::shared_ptr<Graph> cut(const Graph& graph, const std::string& key) {
    context_.check();
    BlockPlan plan(graph, choice_, numbers_.at(&graph), context_);
    for (size_t engine = 0; engine < choice_.engines.size(); ++engine) {
      if (choice_.engines[engine].engine == nullptr) continue;
      for (const BlockStage& stage : block_stages()) {
        if (stage.saved == choice_.saved.empty()) continue;
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
      told.cause = state.cause.empty() && !choice_.saved.empty() ? "the model was saved so" : state.cause;
    } else {
      const auto b = static_cast<size_t>(state.block);
      told.engine = plan.name_of(plan.blocks()[b].engine);
      told.block = names[b];
    }
    report_.nodes.push_back(std::move(told));
  }

  std::shared_ptr<Graph> rebuild(const BlockPlan& plan, const Groups& groups, const std::vector<std::string>& names,
                                 std::vector<std::vector<std::shared_ptr<Graph>>> regions) {
    const Graph& graph = plan.graph();
    auto made = std::make_shared<Graph>();
    const WorkOnGraph work(*made, context_);
    Cut cut(graph, groups, *made);
    PartCopy& copy = cut.copy;
    for (ValueId v : graph.inputs()) {
      copy.set(v, made->add_input(graph.value(v).name, graph.fact(v)));
    }
    for (size_t g = 0; g < groups.nodes.size(); ++g) {
      context_.check();
      if (groups.block[g] == BlockPlan::kNone) {
        for (NodeId id : groups.nodes[g]) copy.add(graph.node(id), std::move(regions[index(id)]));
      } else {
        add_block(plan, groups, g, names[static_cast<size_t>(groups.block[g])], cut, *made);
      }
    }
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      made->add_output(copy.of(graph.outputs()[i]), graph.output_names()[i]);
    }
    return made;
  }

  void add_block(const BlockPlan& plan, const Groups& groups, size_t group, const std::string& name, Cut& cut,
                 Graph& made) {
    const Graph& graph = plan.graph();
    const std::vector<NodeId>& nodes = groups.nodes[group];
    auto region = std::make_shared<Graph>();
    const WorkOnGraph work(*region, context_);
    PartCopy inner(graph, *region, /*widens=*/true);
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
          Fact fact = graph.fact(v);
          const bool half = is_half(fact.dtype);
          if (half) fact.dtype = DType::kFloat32;
          inner.set(v, region->add_input(graph.value(v).name, fact));
          operands.push_back(half ? cut.wide(v, name) : cut.copy.of(v));
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
    const Block& from = plan.blocks()[static_cast<size_t>(groups.block[group])];
    const EngineBlock op{.engine = std::string(plan.name_of(from.engine))};
    report_.cut.push_back({.name = name,
                           .engine = op.engine,
                           .graph = plan.number(),
                           .nodes = places_of(graph, nodes),
                           .region = region.get(),
                           .saved = from.saved});
    const NodeId block = made.add_node(op, {operands}, {static_cast<int>(results.size())}, name, {region});
    const std::vector<ValueId> outputs = made.node(block).outputs;
    for (size_t i = 0; i < results.size(); ++i) {
      const DType dtype = graph.fact(results[i]).dtype;
      if (is_half(dtype)) {
        cut.set_wide(results[i], outputs[i], dtype, name);
      } else {
        cut.copy.set(results[i], outputs[i]);
      }
      const std::string& result_name = graph.value(results[i]).name;
      if (!result_name.empty() && cut.copy.has(results[i])) made.set_name(cut.copy.of(results[i]), result_name);
    }
  }

  /// In the order of the graph; rising, as the nodes of a group are.
  static std::vector<int32_t> places_of(const Graph& graph, const std::vector<NodeId>& nodes) {
    const std::vector<NodeId>& order = graph.order();
    std::vector<int32_t> places;
    for (size_t i = 0; i < order.size() && places.size() < nodes.size(); ++i) {
      if (order[i] == nodes[places.size()]) places.push_back(static_cast<int32_t>(i));
    }
    return places;
  }

  const RunContext& context_;
  const EngineChoice& choice_;
  std::span<const std::string> disabled_;
  CutReport& report_;
  std::unordered_map<const Graph*, int32_t> numbers_;
};

}  // namespace

CutReport cut_blocks(Graph& graph, const EngineChoice& choice, std::span<const std::string> disabled) {
  CutReport report;
  if (choice.engines.empty()) return report;
  const Deadline::Clock::time_point start = Deadline::Clock::now();
  std::shared_ptr<Graph> cut = Cutter(graph, choice, disabled, report).cut(graph, "main");
  if (cut != nullptr) graph = std::move(*cut);
  report.taken = std::chrono::duration_cast<std::chrono::microseconds>(Deadline::Clock::now() - start);
  return report;
}

}  // namespace coracle::internal
