// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/run_context.h"
#include "plan/packed_weights.h"
#include "plan/steps.h"

namespace coracle::internal {

/// What is known of a graph independent of shapes.
struct GraphUses {
  explicit GraphUses(const Graph& graph);
  static constexpr size_t kUnused = SIZE_MAX;
  std::vector<size_t> last_use;  ///< by value: position of the last node that uses it; order size for outputs
};

/// What planning needs besides shapes.
struct PlanContext {
  const KernelSelector* selector = nullptr;
  PackedWeights* packed = nullptr;
  int32_t graph = 0;           ///< number of the graph within the model (numbered_graphs)
  ThreadPool* pool = nullptr;  ///< of the executor that will run the steps
  RunContext run = {};         ///< of the run or the planning that the steps are for
  bool keep_refusals = false;  ///< record why better kernels were passed over, and why nodes run where they do
  std::span<const std::unique_ptr<DeviceConstants>> constants = {};  ///< of the selector's devices
  size_t end = SIZE_MAX;                                             ///< position where the segment ends at the latest
  std::span<const ValueId> stay = {};                                ///< what is to stay on a device that it is made on
};

/// Plans the nodes from `position` on for given facts (by value; those of values not computed yet are ignored; their
/// places say where tensors stand that the segment gets), up to
/// the first node that must run on its own: one with regions, tensor arrays, or results whose size depends on data.
/// Where a device takes one of these last, it is the segment's last one (Steps::counted). Throws Error, for instance
/// when shapes do not fit.
Steps plan_segment(const Graph& graph, const GraphUses& uses, size_t position, std::span<const Fact> facts,
                   const PlanContext& context);

/// True if a node can be part of a segment once all its shapes are known.
bool plannable(const Graph& graph, const Node& node);

}  // namespace coracle::internal
