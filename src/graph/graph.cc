// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <algorithm>

#include "base/counted.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

std::string scope_of(std::string_view given) {
  if (given.empty() || given == "/" || given.size() > kMostScope) return {};
  std::string scope = printable(given);
  if (scope.size() > kMostScope) scope.clear();
  return scope;
}

}  // namespace

ValueId Graph::add_value(Value value) {
  values_.push_back(std::move(value));
  uses_.add_value();
  return ValueId{static_cast<int32_t>(values_.size()) - 1};
}

ValueId Graph::add_input(std::string_view name, Fact fact) {
  const ValueId id = add_value({.fact = std::move(fact), .name = printable(name)});
  values_[index(id)].lod_origin = id;
  inputs_.push_back(id);
  return id;
}

ValueId Graph::add_constant(Tensor tensor, std::string_view name) {
  const bool has_lod = !tensor.lod().empty();
  const ValueId id = add_value({.fact = Fact::constant(std::move(tensor)), .name = printable(name)});
  if (has_lod) values_[index(id)].lod_origin = id;
  return id;
}

NodeId Graph::add_node(Op op, const PortValues& inputs, PortCounts output_counts, std::string name,
                       std::vector<std::shared_ptr<Graph>> regions) {
  const NodeId id = make_node(std::move(op), inputs, std::move(output_counts), std::move(name), std::move(regions));
  order_.append(id);
  count_operands(id);
  return id;
}

NodeId Graph::make_node(Op op, const PortValues& inputs, PortCounts output_counts, std::string name,
                        std::vector<std::shared_ptr<Graph>> regions) {
  const OpSchema& schema = op.schema();
  const NodeId id{static_cast<int32_t>(nodes_.size())};
  Node node;
  node.op = std::move(op);
  node.name = name.empty() ? text(schema.name, "_", nodes_.size()) : std::move(name);
  node.regions = std::move(regions);
  node.scope = new_scope_;
  require(inputs.size() <= schema.inputs.size(), "operator ", schema.name, " (", node.name, ") takes ",
          counted(schema.inputs.size(), "operand"), ", given ", inputs.size());
  for (size_t p = 0; p < schema.inputs.size(); ++p) {
    int count = 0;
    if (p < inputs.size()) {
      for (ValueId v : inputs[p]) {
        if (v == kNoValue) continue;
        node.inputs.push_back(v);
        ++count;
      }
    }
    const Port& port = schema.inputs[p];
    require(port.kind != Port::Kind::kOne || count == 1, "operator ", schema.name, " (", node.name, "): operand '",
            port.name, "' needs one value, given ", count);
    require(port.kind != Port::Kind::kOptional || count <= 1, "operator ", schema.name, " (", node.name, "): operand '",
            port.name, "' takes at most one value, given ", count);
    node.input_counts.push_back(count);
  }
  if (output_counts.empty()) {
    for (const Port& port : schema.outputs) output_counts.push_back(port.kind == Port::Kind::kOne ? 1 : 0);
  }
  output_counts.resize(schema.outputs.size(), 0);
  node.output_counts = std::move(output_counts);

  std::vector<const Fact*> facts;
  facts.reserve(node.inputs.size());
  for (ValueId v : node.inputs) facts.push_back(&fact(v));
  std::vector<Fact> results = infer_node(context(), node, facts);
  for (size_t i = 0; i < results.size(); ++i) {
    node.outputs.push_back(
        add_value({.fact = std::move(results[i]), .name = {}, .producer = id, .output = static_cast<int>(i)}));
  }
  nodes_.push_back(std::move(node));
  const std::vector<ValueId>& outputs = nodes_.back().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) values_[index(outputs[i])].lod_origin = origin_of(id, i);
  return id;
}

ValueId Graph::origin_of(NodeId id, size_t output) const {
  const Node& n = node(id);
  const auto origin = [&](ValueId v) { return value(v).lod_origin; };
  const auto any_operand = [&] {
    return std::any_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) { return origin(v) != kNoValue; });
  };
  if (output == 0 && n.lod_from != kLodByOperator) {
    return n.lod_from == kNoLod ? kNoValue : origin(n.inputs.at(static_cast<size_t>(n.lod_from)));
  }
  const ValueId own = n.outputs[output];
  switch (n.op.lod()) {
    case LodRule::kNone: return kNoValue;
    case LodRule::kFirst:
      return output == 0 && !n.inputs.empty() ? origin(n.inputs[0]) : any_operand() ? own : kNoValue;
    case LodRule::kDerived: return any_operand() ? own : kNoValue;
    case LodRule::kOwn: return own;
  }
  return own;
}

void Graph::set_lod_from(NodeId id, int lod_from) {
  Node& n = nodes_[index(id)];
  require(lod_from >= kNoLod && lod_from < static_cast<int>(n.inputs.size()) && !n.outputs.empty(), "node ", n.name,
          " cannot have the sequence offsets of operand ", lod_from);
  n.lod_from = lod_from;
  Value& result = values_[index(n.outputs[0])];
  result.lod_origin = origin_of(id, 0);
  result.fact.lod = lod_from == kNoLod ? nullptr : fact(n.inputs[static_cast<size_t>(lod_from)]).lod;
}

void Graph::set_scope(NodeId id, std::string_view scope) {
  std::string& of_node = nodes_[index(id)].scope;
  of_node = scope_of(scope);
  has_scopes_ = has_scopes_ || !of_node.empty();
}

ScopeOfNewNodes::ScopeOfNewNodes(Graph& graph, std::string_view scope) : graph_(graph), outer_(scope_of(scope)) {
  graph_.has_scopes_ = graph_.has_scopes_ || !outer_.empty();
  graph_.new_scope_.swap(outer_);
}

ValueId Graph::add(Op op, const PortValues& inputs, std::string name) {
  return node(add_node(std::move(op), inputs, {}, std::move(name))).outputs.at(0);
}

void Graph::add_output(ValueId value, std::string_view name) {
  outputs_.push_back(value);
  uses_.add_output(value);
  output_names_.push_back(printable(name));
}

void Graph::set_name(ValueId value, std::string_view name) { values_[index(value)].name = printable(name); }

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  for (NodeId id : uses_.take_users(from)) {
    Node& user = nodes_[index(id)];
    if (!user.alive) continue;
    for (ValueId& v : user.inputs) {
      if (v != from) continue;
      v = to;
      uses_.remove_operands({&from, 1});
      uses_.add_operands(id, {&to, 1});
    }
  }
  for (ValueId& v : outputs_) {
    if (v != from) continue;
    v = to;
    uses_.remove_output(from);
    uses_.add_output(to);
  }
}

void Graph::remove_node(NodeId id, bool counted) {
  Node& n = nodes_[index(id)];
  n.alive = false;
  n.regions.clear();
  std::string().swap(n.scope);
  if (counted) uses_.remove_operands(n.inputs);
  order_.remove(id);
}

void Graph::count_all_uses() {
  uses_.clear(values_.size());
  for (NodeId id : order()) count_operands(id);
  for (ValueId v : outputs_) uses_.add_output(v);
}

void Graph::infer_all() {
  std::vector<Fact> inputs;
  inputs.reserve(inputs_.size());
  for (ValueId v : inputs_) inputs.push_back(fact(v));
  std::vector<Fact> facts = infer_graph(*this, inputs);
  for (size_t i = 0; i < facts.size(); ++i) {
    if (values_[i].producer != kNoNode) values_[i].fact = std::move(facts[i]);
  }
}

}  // namespace coracle::internal
