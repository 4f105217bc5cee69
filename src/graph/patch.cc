// SPDX-License-Identifier: Apache-2.0
#include "graph/patch.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/counted.h"
#include "base/long_loop.h"

namespace coracle::internal {
namespace {

/// True if a node's values are counted for each port of its operator.
bool fits(const PortCounts& counts, std::span<const Port> ports, const std::vector<ValueId>& values) {
  return counts.size() == ports.size() &&
         std::accumulate(counts.begin(), counts.end(), 0) == static_cast<int>(values.size());
}

void check_use_counts(const Graph& graph) {
  std::vector<int> counts(graph.value_count(), 0);
  for (NodeId id : graph.order()) {
    for (ValueId v : graph.node(id).inputs) ++counts[index(v)];
  }
  for (ValueId v : graph.outputs()) ++counts[index(v)];
  const auto wrong = std::mismatch(counts.begin(), counts.end(), graph.use_counts().begin());
  require(wrong.first == counts.end(), "value ", wrong.first - counts.begin(), " is used ",
          wrong.first == counts.end() ? 0 : *wrong.first, " times, counted ",
          wrong.first == counts.end() ? 0 : *wrong.second);
}

/// True if both have the same shape and the same sequence offsets.
bool alike(const Graph& graph, ValueId a, ValueId b) {
  if (a == b) return true;
  if (a == kNoValue || b == kNoValue || graph.value(a).is_constant() || graph.value(b).is_constant()) return false;
  return graph.value(a).lod_origin == graph.value(b).lod_origin && graph.fact(a).shape == graph.fact(b).shape;
}

/// True if both stand for the same sequence offsets: the same value, or results of equal operators on the same
/// operands; where operators only move elements, on operands that are alike.
bool same_lod(const Graph& graph, ValueId a, ValueId b) {
  if (a == b) return true;
  if (a == kNoValue || b == kNoValue) return false;
  const Value& x = graph.value(a);
  const Value& y = graph.value(b);
  if (x.producer == kNoNode || y.producer == kNoNode || x.output != y.output) return false;
  const Node& m = graph.node(x.producer);
  const Node& n = graph.node(y.producer);
  if (m.op != n.op || m.input_counts != n.input_counts || !m.regions.empty() || !n.regions.empty()) return false;
  const OpSchema& schema = m.op.schema();
  if (schema.reshapes || schema.view_of_result != nullptr || schema.view_of_operand != nullptr) {
    return std::equal(m.inputs.begin(), m.inputs.end(), n.inputs.begin(),
                      [&](ValueId v, ValueId w) { return alike(graph, v, w); });
  }
  return m.inputs == n.inputs && schema.pure;
}

}  // namespace

Patch::~Patch() {
  for (auto it = added_.rbegin(); it != added_.rend(); ++it) {
    if (*it != kNoNode) graph_.remove_node(*it, false);
  }
}

ValueId Patch::add(Op op, const PortValues& inputs) {
  return graph_.node(add_node(std::move(op), inputs, {})).outputs.at(0);
}

NodeId Patch::add_node(Op op, const PortValues& inputs, PortCounts output_counts) {
  const std::string name = graph_.node(at_).name;
  added_.push_back(kNoNode);  // memory first: a node that stands in the order is one that the destructor knows
  const NodeId id = graph_.make_node(std::move(op), inputs, std::move(output_counts), name, {});
  graph_.order_.insert(id, at_);
  return added_.back() = id;
}

void Patch::replace(ValueId old, ValueId by) {
  require(replaceable(graph_.fact(old), graph_.fact(by)), "a value of type ", graph_.fact(old),
          " cannot be replaced by one of type ", graph_.fact(by));
  allowed_ = allowed_ && has_lod_of(by, old);
  replacements_.emplace_back(old, by);
}

/// True if `by` has the sequence offsets of `old`, or if nodes of this patch could be told so.
bool Patch::has_lod_of(ValueId by, ValueId old) {
  const ValueId wanted = graph_.value(old).lod_origin;
  if (same_lod(graph_, graph_.value(by).lod_origin, wanted)) return true;
  const Value& value = graph_.value(by);
  if (value.output != 0 || std::find(added_.begin(), added_.end(), value.producer) == added_.end()) return false;
  const NodeId id = value.producer;
  if (wanted == kNoValue) {
    graph_.set_lod_from(id, kNoLod);
    return true;
  }
  const std::vector<ValueId> operands = graph_.node(id).inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!has_lod_of(operands[i], old)) continue;
    graph_.set_lod_from(id, static_cast<int>(i));
    return true;
  }
  return false;
}

/// The nodes that nothing uses once the replacements are made, users before what they use. The operands of added nodes
/// count as used already.
std::vector<NodeId> Patch::going() const {
  const std::vector<int>& uses = graph_.use_counts();
  std::unordered_map<size_t, int> left;  // uses of values, where some go
  std::vector<NodeId> going;
  const auto take = [&](ValueId value, int uses_gone) {
    const auto [it, is_new] = left.try_emplace(index(value), uses[index(value)]);
    if (!is_new && it->second == 0) return;
    it->second -= uses_gone;
    const NodeId producer = graph_.value(value).producer;
    if (it->second != 0 || producer == kNoNode || !graph_.node(producer).op.schema().pure) return;
    const std::vector<ValueId>& results = graph_.node(producer).outputs;
    const bool all = std::all_of(results.begin(), results.end(), [&](ValueId v) {
      const auto found = left.find(index(v));
      return (found == left.end() ? uses[index(v)] : found->second) == 0;
    });
    if (all) going.push_back(producer);
  };
  for (const auto& [old, by] : replacements_) {
    if (old != by && uses[index(old)] > 0) take(old, uses[index(old)]);
  }
  for (size_t i = 0; i < going.size(); ++i) {
    const std::vector<ValueId>& operands = graph_.node(going[i]).inputs;
    for (ValueId v : operands) take(v, 1);
  }
  return going;
}

std::string Patch::scope_of_added() const {
  const std::vector<NodeId> nodes = going();
  if (nodes.empty()) return graph_.node(at_).scope;
  const auto multiplies = [&](NodeId id) { return graph_.node(id).op.schema().flops != nullptr; };
  const auto first = std::find_if(nodes.rbegin(), nodes.rend(), multiplies);
  return graph_.node(first != nodes.rend() ? *first : nodes.back()).scope;
}

void Patch::commit() {
  require(allowed_, "a rewrite that changes sequence offsets is not allowed");
  for (NodeId id : added_) graph_.count_operands(id);
  if (graph_.has_scopes_ && !added_.empty()) {
    const std::string scope = scope_of_added();
    for (NodeId id : added_) graph_.nodes_[index(id)].scope = scope;
  }
  for (const auto& [old, by] : replacements_) {
    graph_.replace_uses(old, by);
    const Value& value = graph_.value(by);
    if (value.name.empty() && value.producer != kNoNode) graph_.set_name(by, graph_.value(old).name);
  }
  added_.clear();
}

void Patch::replace_all(Graph& graph, const std::vector<ValueId>& by, const std::vector<bool>& removed) {
  for (size_t i = 0; i < removed.size(); ++i) {
    if (removed[i]) graph.remove_node(NodeId{static_cast<int32_t>(i)});
  }
  const auto replace = [&](std::vector<ValueId>& values) {
    for (ValueId& v : values) {
      if (index(v) < by.size()) v = by[index(v)];
    }
  };
  for (NodeId id : graph.order()) replace(graph.nodes_[index(id)].inputs);
  replace(graph.outputs_);
  graph.count_all_uses();
}

Replacements::Replacements(Graph& graph) : graph_(graph), removed_(graph.node_count(), false) {
  by_.reserve(graph.value_count());
  for (size_t i = 0; i < graph.value_count(); ++i) by_.push_back(ValueId{static_cast<int32_t>(i)});
}

/// Halves the way of whatever it passes, so that chains of replacements take no longer than single ones.
ValueId Replacements::current(ValueId value) {
  while (value != kNoValue && index(value) < by_.size() && by_[index(value)] != value) {
    ValueId& next = by_[index(value)];
    if (index(next) < by_.size()) next = by_[index(next)];
    value = next;
  }
  return value;
}

bool Replacements::replace(NodeId node, std::span<const ValueId> by) {
  const std::vector<ValueId>& outputs = graph_.node(node).outputs;
  for (size_t i = 0; i < by.size(); ++i) {
    const Fact& old = graph_.fact(outputs[i]);
    require(replaceable(old, graph_.fact(by[i])), "a value of type ", old, " cannot be replaced by one of type ",
            graph_.fact(by[i]));
    if (!same_lod(graph_, graph_.value(by[i]).lod_origin, graph_.value(outputs[i]).lod_origin)) return false;
  }
  for (size_t i = 0; i < by.size(); ++i) {
    const ValueId to = current(by[i]);
    by_[index(outputs[i])] = to;
    const Value& value = graph_.value(to);
    if (value.name.empty() && value.producer != kNoNode) graph_.set_name(to, graph_.value(outputs[i]).name);
  }
  removed_[index(node)] = true;
  return true;
}

void Replacements::commit() {
  for (size_t i = 0; i < by_.size(); ++i) by_[i] = current(ValueId{static_cast<int32_t>(i)});
  Patch::replace_all(graph_, by_, removed_);
}

PortValues operands_of(const Node& node) {
  PortValues ports;
  auto at = node.inputs.begin();
  for (const int count : node.input_counts) {
    ports.emplace_back(at, at + count);
    at += count;
  }
  return ports;
}

int remove_dead(Graph& graph) {
  const std::vector<int>& uses = graph.use_counts();
  const std::vector<NodeId> order = graph.order();
  int count = 0;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = graph.node(*it);
    const bool used =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return uses[index(v)] > 0; });
    if (used || !node.op.schema().pure) continue;
    graph.remove_node(*it);
    ++count;
  }
  return count;
}

int drop_unread_results(Graph& graph) {
  const std::vector<int>& uses = graph.use_counts();
  int count = 0;
  for (NodeId id : graph.order()) {
    Node& node = graph.nodes_[index(id)];
    const std::span<const Port> ports = node.op.schema().outputs;
    for (size_t p = node.output_counts.size(); p-- > 0;) {
      if (node.output_counts[p] == 0) continue;
      const ValueId last = node.outputs.back();
      if (ports[p].kind != Port::Kind::kOptional || uses[index(last)] != 0) break;
      node.outputs.pop_back();
      node.output_counts[p] = 0;
      ++count;
    }
  }
  return count;
}

void release_unused_constants(Graph& graph) {
  const std::vector<int>& uses = graph.use_counts();
  for (size_t i = 0; i < uses.size(); ++i) {
    Value& value = graph.values_[i];
    if (uses[i] == 0 && value.is_constant()) value.fact.value = nullptr;
  }
  for (NodeId id : graph.order()) {
    for (const std::shared_ptr<Graph>& region : graph.node(id).regions) release_unused_constants(*region);
  }
}

namespace {

void verify_in(const RunContext& context, const Graph& graph, bool infer) {
  std::vector<bool> defined(graph.value_count(), false);
  for (size_t i = 0; i < defined.size(); ++i) {
    defined[i] = graph.value(ValueId{static_cast<int32_t>(i)}).producer == kNoNode;
  }
  constexpr int64_t kStepsOfNode = 256;
  LoopCheck check(context);
  for (NodeId id : graph.order()) {
    check.step(kStepsOfNode);
    const Node& node = graph.node(id);
    require(node.alive, "node ", node.name, " was removed but is still in the program");
    const OpSchema& schema = node.op.schema();
    require(fits(node.input_counts, schema.inputs, node.inputs), "node ", node.name, " has wrong operand ports");
    require(fits(node.output_counts, schema.outputs, node.outputs), "node ", node.name, " has wrong result ports");
    require(static_cast<int>(node.regions.size()) == schema.regions, "node ", node.name, " has ",
            counted(node.regions.size(), "region"), ", expected ", schema.regions);
    for (ValueId v : node.inputs) {
      require(index(v) < defined.size() && defined[index(v)], "node ", node.name, " uses a value before it is defined");
    }
    for (ValueId v : node.outputs) {
      require(graph.value(v).producer == id, "a result of node ", node.name, " belongs to another node");
      defined[index(v)] = true;
    }
    for (const std::shared_ptr<Graph>& region : node.regions) verify_in(context, *region, false);
  }
  for (ValueId v : graph.outputs()) require(defined[index(v)], "an output of the program is not defined");
  check_use_counts(graph);
  if (!infer) return;
  std::vector<Fact> inputs;
  for (ValueId v : graph.inputs()) inputs.push_back(graph.fact(v));
  const std::vector<Fact> facts = infer_graph(context, graph, inputs);
  for (NodeId id : graph.order()) {
    check.step(kStepsOfNode);
    for (ValueId v : graph.node(id).outputs) {
      require(replaceable(graph.fact(v), facts[index(v)]), "a result of node ", graph.node(id).name, " is recorded as ",
              graph.fact(v), " but is ", facts[index(v)]);
    }
  }
}

}  // namespace

void verify(const Graph& graph, bool infer) { verify_in(graph.context(), graph, infer); }

}  // namespace coracle::internal
