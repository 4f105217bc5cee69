// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "plan/blocks/block_plan.h"
#include "plan/blocks/scope_mark.h"

namespace coracle {
namespace {

/// Whether a text is what a pattern says: '*' any text, '?' any character. In time in proportion to both lengths'
/// product.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // the last '*', which takes the text up to `taken`
  size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// Whether a part of a name scope, from one "/" to another, is the given one.
bool is_within(std::string_view scope, std::string_view part) {
  while (part.starts_with('/')) part.remove_prefix(1);
  while (part.ends_with('/')) part.remove_suffix(1);
  return !part.empty() && text("/", scope, "/").find(text("/", part, "/")) != std::string::npos;
}

/// By node: whether it lies on a way from the variable `from` to the variable `to`.
std::vector<bool> between(const Graph& graph, std::string_view from, std::string_view to) {
  std::vector<bool> behind(graph.value_count(), false);  // by value: `from`, and what is computed of it
  std::vector<bool> before(graph.value_count(), false);  // by value: `to`, and what it is computed of
  for (size_t v = 0; v < graph.value_count(); ++v) {
    const std::string& name = graph.value(ValueId{static_cast<int32_t>(v)}).name;
    behind[v] = name == from;
    before[v] = name == to;
  }
  const std::vector<NodeId>& order = graph.order();
  std::vector<bool> follows(graph.node_count(), false);
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    follows[index(id)] =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return behind[index(v)]; });
    if (!follows[index(id)]) continue;
    for (ValueId v : node.outputs) behind[index(v)] = true;
  }
  std::vector<bool> on_way(graph.node_count(), false);
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = graph.node(*id);
    const bool leads =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return before[index(v)]; });
    if (!leads) continue;
    for (ValueId v : node.inputs) before[index(v)] = true;
    on_way[index(*id)] = follows[index(*id)];
  }
  return on_way;
}

}  // namespace

void mark_nodes(BlockPlan& plan, size_t engine) {
  const Graph& graph = plan.graph();
  const auto give = [&](NodeId id) {
    BlockPlan::NodeState& state = plan.state(id);
    if (state.marked == BlockPlan::kNone) state.marked = static_cast<int>(engine);
  };
  for (const EngineMark& mark : plan.choice().marks) {
    if (mark.engine != engine) continue;
    std::vector<bool> on_way;
    if (mark.kind == EngineMark::Kind::kBetween) on_way = between(graph, mark.pattern, mark.to);
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      bool marked = false;
      switch (mark.kind) {
        case EngineMark::Kind::kName: marked = matches(mark.pattern, node.name); break;
        case EngineMark::Kind::kType: marked = matches(mark.pattern, node.op.name()); break;
        case EngineMark::Kind::kScope: marked = is_within(node.scope, mark.pattern); break;
        case EngineMark::Kind::kBetween: marked = on_way[index(id)]; break;
      }
      if (marked) give(id);
    }
  }
  // What the model itself says.
  const std::string_view name = kind_of(plan.name_of(engine));
  for (NodeId id : graph.order()) {
    const std::string& scope = graph.node(id).scope;
    if (!scope.empty() && engine_of_scope(scope) == name) give(id);
  }
}

}  // namespace coracle
