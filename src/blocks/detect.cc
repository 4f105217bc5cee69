// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "blocks/block_plan.h"
#include "blocks/half_blocks.h"

namespace coracle::internal {
namespace {

/// Results of at most this many integers are shape arithmetic: planning computes them, where it can, and what follows
/// needs them there.
constexpr int64_t kShapeElements = 64;

bool is_shape_arithmetic(const Fact& fact) {
  return (fact.dtype == DType::kInt64 || fact.dtype == DType::kInt32) && fact.shape.known() &&
         fact.shape.count() <= kShapeElements;
}

bool has_int8(const Graph& graph, const Node& node) {
  const auto is_int8 = [&](ValueId v) { return graph.fact(v).dtype == DType::kInt8; };
  return std::any_of(node.inputs.begin(), node.inputs.end(), is_int8) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), is_int8);
}

/// Why no engine is asked for a node; empty if they are.
std::string_view refusal_of_all(const Graph& graph, const Node& node, Precision precision) {
  if (precision != Precision::kInt8 && has_int8(graph, node))
    return "int8 values, which engines have only where precision is int8";
  if (!node.op.schema().pure) return "what it does besides its results must be done in the order of the program";
  if (!node.regions.empty()) return "it runs regions, which have blocks of their own";
  const auto is_array = [&](ValueId v) { return graph.fact(v).is_array; };
  if (std::any_of(node.inputs.begin(), node.inputs.end(), is_array) ||
      std::any_of(node.outputs.begin(), node.outputs.end(), is_array)) {
    return "tensor arrays";
  }
  const auto known = [&](ValueId v) { return graph.fact(v).value != nullptr; };
  if (std::all_of(node.outputs.begin(), node.outputs.end(), known)) return "its results are known while planning";
  const auto shapes = [&](ValueId v) { return is_shape_arithmetic(graph.fact(v)); };
  if (!node.inputs.empty() && std::all_of(node.outputs.begin(), node.outputs.end(), shapes)) {
    return "a few integers, which planning may need";
  }
  return {};
}

}  // namespace

std::string refusal_of(const BlockPlan& plan, size_t engine, const Node& node) {
  const Graph& graph = plan.graph();
  const UsedEngine& used = plan.choice().engines[engine];
  const Engine& asked = *used.engine;
  const std::string_view of_all = refusal_of_all(graph, node, used.options.precision);
  if (!of_all.empty()) return std::string(of_all);
  return has_half(graph, node) ? refusal_in_float32(asked, graph, node) : asked.refusal(graph, node);
}

void detect_nodes(BlockPlan& plan, size_t engine) {
  const UsedEngine& used = plan.choice().engines[engine];
  for (NodeId id : plan.graph().order()) {
    BlockPlan::NodeState& state = plan.state(id);
    state.candidate = false;
    if (state.block != BlockPlan::kNone) continue;
    const bool wanted = state.marked == BlockPlan::kNone ? used.automatic : state.marked == static_cast<int>(engine);
    if (!wanted) continue;
    plan.context().check();
    const std::string refusal = refusal_of(plan, engine, plan.graph().node(id));
    if (refusal.empty()) {
      state.candidate = true;
    } else {
      BlockPlan::add_cause(state, used.name, refusal);
    }
  }
}

}  // namespace coracle::internal
