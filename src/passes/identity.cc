// SPDX-License-Identifier: Apache-2.0
#include "ops/assign.h"
#include "ops/cast.h"
#include "ops/dropout.h"
#include "ops/memcpy.h"
#include "ops/memcpy_d2h.h"
#include "ops/memcpy_h2d.h"
#include "ops/scale.h"
#include "ops/share_data.h"
#include "passes/passes.h"

namespace coracle {
namespace {

/// True if a node's result 0 is its operand 0, element by element.
bool is_identity(const Graph& graph, const Node& node) {
  const Op& op = node.op;
  if (op.is<Assign>() || op.is<ShareData>() || op.is<Memcpy>() || op.is<MemcpyH2d>() || op.is<MemcpyD2h>()) return true;
  const auto number = [&](int port, double missing) -> std::optional<double> {
    const ValueId v = node.input(port);
    if (v == kNoValue) return missing;
    if (!graph.value(v).is_constant()) return std::nullopt;
    return graph.fact(v).value->number(0);
  };
  if (op.is<Cast>()) return graph.fact(node.input(0)).dtype == graph.fact(node.output(0)).dtype;
  if (const auto* scale = op.as<Scale>()) {
    return scale->bias == 0 && number(1, 1.0) == 1.0;
  }
  if (const auto* dropout = op.as<Dropout>()) {
    return dropout->mode == DropoutMode::kUpscaleInTrain || number(2, 0.5) == 0.0;
  }
  return false;
}

/// assign(x), cast(x) to its own type, scale(x) by 1 plus 0, dropout(x) that keeps everything  ->  x
int remove(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<NodeId> order = graph.order();
  const std::vector<int> uses = graph.use_counts();
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    if (!is_identity(graph, node)) continue;
    bool others_used = false;
    for (size_t i = 1; i < node.outputs.size(); ++i) others_used |= uses[index(node.outputs[i])] > 0;
    const ValueId from = node.input(0);
    if (others_used || !replaceable(graph.fact(node.output(0)), graph.fact(from))) continue;
    if (!budget.take()) return count;
    graph.replace_uses(node.output(0), from);
    graph.remove_node(id);
    ++count;
  }
  return count;
}

}  // namespace

Pass identity() { return {.name = "identity", .function = remove}; }

}  // namespace coracle
