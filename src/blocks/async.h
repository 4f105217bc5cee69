// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// By node of a graph whose blocks were cut: whether it may run at the same time as others. A block does where another
/// one is independent of it, or a good part of the native nodes is; any other node where such a block is independent of
/// it. `all`: the whole graph runs at the same time as some block.
std::vector<bool> async_nodes(const Graph& graph, bool all);

}  // namespace coracle::internal
