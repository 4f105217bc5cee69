// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "graph/graph.h"

namespace coracle::internal {

/// Whether a kernel that is to be used takes a node with operands and results of these types.
using TakesTypes = std::function<bool(const Node& node, std::span<const Fact> in, std::span<const Fact> out)>;

/// Products, and what lies between them, get float16 tensors where `takes` allows it:
///   f(a, w)  ->  cast(f(cast(a), half w))
/// with no pair of casts between two such operators. What comes before the first product and after the last stays in
/// float32: pictures as they are given, boxes and scores as they are decoded. Constants that float16 cannot hold become
/// its largest number. Returns how many operators compute so; regions are visited, too.
int half_tensors(Graph& graph, const TakesTypes& takes);

}  // namespace coracle::internal
