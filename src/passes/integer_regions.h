// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"
#include "passes/simulated_integers.h"

namespace coracle {

/// Why a product or convolution of a model that simulates integers computes with float32, as a literal; null for other
/// nodes and models.
const char* why_not_integers(const Graph& graph, NodeId id);

}  // namespace coracle
