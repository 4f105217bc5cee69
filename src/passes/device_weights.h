// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"

namespace coracle::internal {

/// Constant weights as kernels of devices read them:
///   linear(x, int8 or float16 w)   ->  linear(x, float32 w), and the same of convolutions
///   integer_linear(x, w [k, n])    ->  integer_linear(x, w [n, k]) {transpose_w}: sums run over what lies together
/// Results are the same, bit by bit. Returns how many operators have others; regions are visited, too.
int device_weights(Graph& graph);

}  // namespace coracle::internal
