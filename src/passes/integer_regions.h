// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/graph.h"

namespace coracle {

/// Why the pass integer_regions, where it ran, left a product or convolution of a model that simulates integers in
/// float32; empty for nodes that sum no products and for those on integers.
std::string why_in_float32(const Graph& graph, NodeId id);

}  // namespace coracle
