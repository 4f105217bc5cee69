// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace coracle::internal {

/// The position in the body of a `while` of the first node that reads a carried value to which each iteration appends
/// (a concat of the value itself), SIZE_MAX where there is none. Where a segment ends there, what comes before has the
/// same sizes in all iterations, and is planned once.
size_t loop_cut(const Graph& body);

}  // namespace coracle::internal
