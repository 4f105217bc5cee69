// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "graph/graph.h"
#include "plan/steps.h"

namespace coracle::internal {

/// An operand or result of a node during a run, in row-major order.
struct ObservedValue {
  const Node& node;
  const std::string& name;  ///< of the variable; empty where the file has none
  bool is_result;
  bool is_constant;
  const Fact& fact;
  const void* data;  ///< valid during the call
};

/// Sees values while a session runs. What it throws ends the run.
using Observer = std::function<void(const ObservedValue& value)>;

/// Shows the operands (or results) of a planned call; those of what it runs in row tiles, as far as they lie in memory.
void observe_step(const Graph& graph, const Steps& steps, const Step& step, const KernelCall& call, bool results,
                  const Observer& observer);

/// The same for a node that runs by its reference.
void observe_node(const Graph& graph, const Node& node, std::span<const Tensor> values, bool results,
                  const Observer& observer);

}  // namespace coracle::internal
