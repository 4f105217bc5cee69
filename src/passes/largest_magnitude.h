// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/graph.h"

namespace coracle::internal {

/// A number that the magnitude of no element of a float32 value exceeds (but for rounding), whatever the inputs of the
/// graph are, so that none is infinite or NaN; nothing where there is no proof of that. Sums of products of integers
/// are the only computed values with a bound.
std::optional<double> largest_magnitude(const Graph& graph, ValueId value);

}  // namespace coracle::internal
