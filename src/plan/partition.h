// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "plan/kernel_selector.h"

namespace coracle::internal {

/// Where a node runs.
struct NodePlace {
  Place place;
  std::string cause;  ///< for people, empty unless asked for
};

/// The nodes that a segment runs, whose shapes are known.
struct PartitionInput {
  const Graph& graph;
  std::span<const NodeId> nodes;  ///< those of the segment
  const std::vector<bool>& runs;  ///< of them
  std::span<const Fact> facts;    ///< by value
  std::function<bool(ValueId)> used_later;
  std::function<std::shared_ptr<const Tensor>(ValueId)> upcast_value;  ///< see upcast.h
  const KernelSelector& selector;
  std::span<const Place> given = {};  ///< by value: where what the segment gets stands; none: on the host
  /// Whether a value that a device makes stays there after the segment; null: none does.
  std::function<bool(ValueId, Place)> stays = nullptr;
  size_t counted = SIZE_MAX;  ///< of the nodes, the one whose results have the most rows that there may be
  bool keep_causes = false;
};

/// Decides the place of each node: that of the first device one of whose kernels takes it, else the host. Then
/// partitions that do not pay go back to the host: nodes of one device that hang together, where the time they save
/// there is less than the copies around them take (by the speeds that the devices say, plan/speed.h).
std::vector<NodePlace> partition(const RunContext& context, const PartitionInput& input);

/// The name under which partitions are let stand however small they are, as kernels are left out.
inline constexpr const char* kUnprofitableName = "islands";

}  // namespace coracle::internal
