// SPDX-License-Identifier: Apache-2.0
#include "ops/assign.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/dropout.h"
#include "ops/memcpy.h"
#include "ops/memcpy_d2h.h"
#include "ops/memcpy_h2d.h"
#include "ops/scale.h"
#include "ops/share_data.h"
#include "passes/passes.h"

namespace coracle {
namespace {

/// The number at an operand: `missing` where there is none, nothing where it is not constant.
std::optional<double> number(const Graph& graph, const Node& node, int port, double missing) {
  const ValueId v = node.input(port);
  if (v == kNoValue) return missing;
  if (!graph.value(v).is_constant()) return std::nullopt;
  return graph.fact(v).shape.count() > 0 ? graph.fact(v).value->number(0) : missing;
}

/// What dropout multiplies by when not training, where that is known.
std::optional<double> kept_share(const Graph& graph, const Node& node, const Dropout& dropout) {
  if (dropout.mode == DropoutMode::kUpscaleInTrain) return 1.0;
  const auto p = number(graph, node, 2, 0.5);
  return p ? std::optional(1.0 - *p) : std::nullopt;
}

/// True if a node's result 0 is its operand 0, element by element.
bool is_identity(const Graph& graph, const Node& node) {
  const Op& op = node.op;
  if (op.is<Assign>() || op.is<ShareData>() || op.is<Memcpy>() || op.is<MemcpyH2d>() || op.is<MemcpyD2h>()) return true;
  if (op.is<Cast>()) return graph.fact(node.input(0)).dtype == graph.fact(node.output(0)).dtype;
  if (op.is<Concat>()) return node.input_counts[0] == 1 && !graph.fact(node.input(0)).is_array;
  if (const auto* scale = op.as<Scale>()) return scale->bias == 0 && number(graph, node, 1, 1.0) == 1.0;
  if (const auto* dropout = op.as<Dropout>()) return kept_share(graph, node, *dropout) == 1.0;
  return false;
}

/// dropout(x) that keeps a share  ->  scale(x) by that share
bool replace_dropout(Graph& graph, NodeId id, RewriteBudget& budget) {
  const auto* dropout = graph.node(id).op.as<Dropout>();
  if (dropout == nullptr) return false;
  const auto share = kept_share(graph, graph.node(id), *dropout);
  if (!share) return false;
  Patch patch(graph, id);
  const float factor = static_cast<float>(*share);
  const ValueId by = patch.constant(Tensor::of<float>(Shape{1}, {&factor, 1}));
  patch.replace(graph.node(id).output(0), patch.add(Scale{}, {{graph.node(id).input(0)}, {by}}));
  patch.remove(id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

/// assign(x), cast(x) to its own type, concat(x), scale(x) by 1 plus 0, dropout(x) that keeps everything  ->  x
int remove(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<NodeId> order = graph.order();
  const std::vector<int>& uses = graph.use_counts();
  Replacements replacements(graph);
  std::vector<NodeId> others;
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    bool others_used = false;
    for (size_t i = 1; i < node.outputs.size(); ++i) others_used |= uses[index(node.outputs[i])] > 0;
    if (others_used) continue;
    if (!is_identity(graph, node)) {
      others.push_back(id);
      continue;
    }
    const ValueId from = replacements.current(node.input(0));
    if (!replaceable(graph.fact(node.output(0)), graph.fact(from)) || budget.empty()) continue;
    if (!replacements.replace(id, {&from, 1})) continue;
    budget.take();
    ++count;
  }
  if (count > 0) replacements.commit();
  for (NodeId id : others) {
    if (replace_dropout(graph, id, budget)) ++count;
  }
  return count;
}

}  // namespace

Pass identity() { return {.name = "identity", .function = remove}; }

}  // namespace coracle
