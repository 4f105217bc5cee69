// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace coracle::internal {

/// True for a model that simulates integer arithmetic. A rewrite that rounds elsewhere must leave it as it is: its
/// weights are integers of steps, so that sums of products are nearly exact, and a simulated value that falls to
/// another step is amplified by the rest of the network.
bool has_fake_quantization(const Graph& graph);

/// True if a value was rounded to steps that stand in float32: the layer that reads it is one of those whose weights
/// are integers of steps. Layers between others round as float32 does, whatever they are fused with.
bool is_fake_quantized(const Graph& graph, ValueId value);

/// True if a node's zero point, operand 2, is absent or constant zeros.
bool is_symmetric(const Graph& graph, const Node& node);

}  // namespace coracle::internal
