// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/graph.h"

namespace coracle::internal {

/// A graph in the language of Graphviz: a box per node, an ellipse per input and output, an edge per use of a value
/// with its type. Constants are left out; regions stand in a frame of their own behind their node.
std::string dot(const Graph& graph);

}  // namespace coracle::internal
