// SPDX-License-Identifier: Apache-2.0
#include "passes/activation_step.h"

#include <algorithm>
#include <limits>

#include "graph/node_facts.h"

namespace coracle::internal {

std::optional<EpilogueStep> activation_step(const Graph& graph, const Node& node) {
  const OpSchema& schema = node.op.schema();
  if (schema.unary_step == nullptr || graph.fact(node.input(0)).dtype != DType::kFloat32) return std::nullopt;
  std::optional<UnaryStep> step = schema.unary_step(node.op.attributes(), FactsOfNode(graph, node).facts());
  if (!step) return std::nullopt;
  if (step->kind == UnaryKind::kShiftScale) *step = {UnaryKind::kScaleShift, step->a, step->b * step->a};
  const std::optional<EpilogueKind> kind = epilogue_kind(step->kind);
  if (!kind) return std::nullopt;
  // A bound that is absent, as a number that the text form has.
  constexpr float kMost = std::numeric_limits<float>::max();
  return EpilogueStep{*kind, std::clamp(step->a, -kMost, kMost), std::clamp(step->b, -kMost, kMost), step->c};
}

}  // namespace coracle::internal
