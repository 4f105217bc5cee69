// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/graph.h"
#include "plan/steps.h"

namespace coracle::internal {

/// The nodes that a step runs, for people: "conv2d_3", "conv2d_3 + relu_2"; the operator of what the planner inserted.
inline std::string node_name(const Graph& graph, const Step& step) {
  if (step.parts.empty()) return step.node == kNoNode ? std::string(step.op.name()) : graph.node(step.node).name;
  std::string name;
  for (const Step& part : step.parts) name.append(name.empty() ? "" : " + ").append(node_name(graph, part));
  return name;
}

}  // namespace coracle::internal
