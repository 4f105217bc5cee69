// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/hostile_operator.h"

/// Operators with nested graphs, whose operands and regions have to fit each other.
namespace coracle::internal::test {

/// An `if` or a `while` that runs.
HostileNode node_with_regions(const OpSchema& schema);

struct BadRegions {
  std::string name;
  std::vector<std::shared_ptr<Graph>> regions;
};

/// Regions that do not fit the node, or that never come to an end; none for an operator without.
std::vector<BadRegions> bad_regions(const HostileNode& node);

}  // namespace coracle::internal::test
