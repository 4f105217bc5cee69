// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/graph.h"
#include "plan/kernel_selector.h"

namespace coracle::internal {

/// A kernel call for a node with results whose size depends on the data.
struct SizedStep {
  const KernelDef* kernel = nullptr;
  Prepared prepared;
};

/// Picks and prepares a `sized` kernel for operands of known shapes, all row-major, and results as inferred of them.
/// Nothing where no kernel takes the node: its reference does.
std::optional<SizedStep> plan_sized(const RunContext& run, const Node& node, std::span<const Fact* const> in,
                                    std::span<const Fact> out, const KernelSelector& selector, ThreadPool& pool);

}  // namespace coracle::internal
