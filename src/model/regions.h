// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// A region together with the values of the graph around it that its inputs stand for, in order.
struct ClosedRegion {
  std::shared_ptr<Graph> graph;
  std::vector<ValueId> captured;
};

/// Appends a copy of `from` to `to` with `arguments` for its inputs; returns what its outputs have become.
std::vector<ValueId> inline_graph(const Graph& from, Graph& to, std::span<const ValueId> arguments);

/// What makes a result of an `if`: for each of the two regions which of its outputs, or a value of the graph around.
struct RegionOutputs {
  struct Source {
    size_t output = 0;
    ValueId outer = kNoValue;  ///< if not kNoValue, this instead of an output
  };
  Source yes;
  Source no;
};

/// Adds an `if` whose results are the chosen outputs of the region taken.
NodeId add_if(Graph& graph, std::string name, ValueId condition, const ClosedRegion& yes, const ClosedRegion& no,
              std::span<const RegionOutputs> results);

/// Imports a loop's region. `import` is given the types of the carried values (the condition first) and returns a graph
/// that has them for its first inputs and gives as many outputs. `types` are those before the loop; where the region
/// leaves other ones they become wider and the region is imported again, since what operators are imported as may
/// depend on types. Where it does not take what stands before the loop, nothing is known of it.
std::shared_ptr<Graph> import_loop(std::vector<Fact>& types,
                                   const std::function<std::shared_ptr<Graph>(std::span<const Fact>)>& import);

/// Imports the region of a branch by `import(false)`. Where that fails because types around do not fit it, by
/// `import(true)`, which must take nothing as known of the values that it captures: the branch may never be taken, and
/// fails when it is. `retries` bounds how often that happens in a model.
ClosedRegion import_branch(int& retries, const std::function<ClosedRegion(bool blind)>& import);
inline constexpr int kMaxBranchRetries = 100;

/// Brings the facts inside a loop's region to what holds in every iteration, not only the first.
void widen_region(Graph& graph, NodeId loop);

}  // namespace coracle::internal
