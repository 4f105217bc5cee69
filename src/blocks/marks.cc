// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "blocks/block_plan.h"
#include "blocks/scope_mark.h"
#include "ops/common/epilogue.h"

namespace coracle::internal {
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

/// Whether a pattern names an operator, by its name or by what older files of Paddle call it.
bool names_type(std::string_view pattern, const OpSchema& schema) {
  return matches(pattern, schema.name) || std::any_of(schema.legacy.begin(), schema.legacy.end(),
                                                      [&](const char* type) { return matches(pattern, type); });
}
bool names_type(std::string_view pattern, std::string_view name) {
  const OpSchema* schema = find_op(name);
  return schema == nullptr ? matches(pattern, name) : names_type(pattern, *schema);
}

/// Whether a pattern names an operator, or one that it was fused of.
bool names_part(std::string_view pattern, const Op& op) {
  const OpSchema& schema = op.schema();
  if (names_type(pattern, schema)) return true;
  if (schema.fused_of.empty()) return false;
  const auto named = [&](std::string_view name) { return names_type(pattern, name); };
  if (std::any_of(schema.fused_of.begin(), schema.fused_of.end(), named)) return true;
  const std::vector<EpilogueStep>* steps = op.epilogue();
  return steps != nullptr &&
         std::any_of(steps->begin(), steps->end(), [&](const EpilogueStep& s) { return named(operator_of(s.kind)); });
}

bool is_marked(const EngineMark& mark, const Graph& graph, const Node& node) {
  switch (mark.kind) {
    case EngineMark::Kind::kName: return matches(mark.pattern, node.name);
    case EngineMark::Kind::kType:
      return mark.engine == EngineMark::kNative ? names_part(mark.pattern, node.op)
                                                : names_type(mark.pattern, node.op.schema());
    case EngineMark::Kind::kScope: return is_within(node.scope, mark.pattern);
    case EngineMark::Kind::kMakes:
      return std::any_of(node.outputs.begin(), node.outputs.end(),
                         [&](ValueId v) { return graph.value(v).name == mark.pattern; });
    case EngineMark::Kind::kBetween: return false;  // no matter of one node
  }
  return false;
}

/// Calls `give` for the nodes that marks for an engine name, or for none of them (EngineMark::kNative).
template <class F>
void each_marked(const BlockPlan& plan, size_t engine, std::string_view name, const F& give) {
  const Graph& graph = plan.graph();
  for (const EngineMark& mark : plan.choice().marks) {
    if (mark.engine != engine) continue;
    std::vector<bool> on_way;
    if (mark.kind == EngineMark::Kind::kBetween) on_way = between(graph, mark.pattern, mark.to);
    for (NodeId id : graph.order()) {
      if (is_marked(mark, graph, graph.node(id)) || (!on_way.empty() && on_way[index(id)])) give(id);
    }
  }
  // What the model itself says.
  for (NodeId id : graph.order()) {
    const std::string& scope = graph.node(id).scope;
    if (!scope.empty() && engine_of_scope(scope) == name) give(id);
  }
}

}  // namespace

void mark_nodes(BlockPlan& plan, size_t engine) {
  each_marked(plan, EngineMark::kNative, kNativeName, [&](NodeId id) {
    BlockPlan::NodeState& state = plan.state(id);
    if (state.marked == BlockPlan::kNative) return;
    state.marked = BlockPlan::kNative;
    BlockPlan::add_cause(state, kNativeName, "a mark keeps it from engines");
  });
  each_marked(plan, engine, kind_of(plan.name_of(engine)), [&](NodeId id) {
    BlockPlan::NodeState& state = plan.state(id);
    if (state.marked == BlockPlan::kNone) state.marked = static_cast<int>(engine);
  });
}

}  // namespace coracle::internal
