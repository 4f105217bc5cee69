// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"
#include "plan/kernel_selector.h"

namespace coracle::internal {

/// Gives the results of a node the most rows that they may have, if a kernel of a device counts them
/// (KernelDef::bounds) and says so of operands with these facts. `counted` gets the values of those whose shape was not
/// known.
bool take_bounds(const KernelSelector& selector, const Node& node, std::span<const Fact* const> in,
                 std::vector<Fact>& results, std::vector<ValueId>& counted);

}  // namespace coracle::internal
