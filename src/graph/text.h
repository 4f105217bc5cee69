// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/graph.h"

namespace coracle {

/// A graph as text, one node a line, attributes that have their default left out:
///
///   graph (%x: float32[?, 3, ?, ?]) {
///     @w: float32[8, 3, 3, 3] = random(1)
///     %1 = conv2d(%x, @w) {strides = [2, 2]}
///     %2, %3 = split(%1, @axis) ...
///     return %1 "out"
///   }
///
/// Operands stand port by port: `_` for an absent optional, `[%a, %b]` for a list. Constants of at most eight elements
/// are written out ("= {1, 2}"), larger ones as "= random(seed)" with elements from a generator seeded by their bytes'
/// count: printing keeps types, not weights. Regions follow their node in braces.
std::string print(const Graph& graph);

}  // namespace coracle
