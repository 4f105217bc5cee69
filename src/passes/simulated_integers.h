// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace coracle {

/// True for a model that simulates integer arithmetic. A rewrite that rounds elsewhere must leave it as it is: its
/// weights are integers of steps, so that sums of products are nearly exact, and a simulated value that falls to
/// another step is amplified by the rest of the network.
bool simulates_integers(const Graph& graph);

}  // namespace coracle
