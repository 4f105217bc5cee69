// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/graph.h"
#include "ops/common/epilogue.h"

namespace coracle::internal {

/// The epilogue step that does what `node` does to its operand 0, if it is an activation (or a scale by constants)
/// whose parameters are known.
std::optional<EpilogueStep> activation_step(const Graph& graph, const Node& node);

}  // namespace coracle::internal
