// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace coracle {

/// A region together with the values of the graph around it that its inputs stand for, in order.
struct ClosedRegion {
  std::shared_ptr<Graph> graph;
  std::vector<ValueId> captured;
};

/// Appends a copy of `from` to `to` with `arguments` for its inputs; returns what its outputs have become.
std::vector<ValueId> inline_graph(const Graph& from, Graph& to, std::span<const ValueId> arguments);

/// Which outputs of the two regions make a result of an `if`.
struct RegionOutputs {
  size_t yes = 0;
  size_t no = 0;
};

/// Adds an `if` whose results are the chosen outputs of the region taken.
NodeId add_if(Graph& graph, std::string name, ValueId condition, const ClosedRegion& yes, const ClosedRegion& no,
              std::span<const RegionOutputs> results);

/// Brings the facts inside a loop's region to what holds in every iteration, not only the first.
void widen_region(Graph& graph, NodeId loop);

}  // namespace coracle
