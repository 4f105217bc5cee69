// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/graph.h"
#include "ops/movement/channel_shuffle.h"
#include "ops/movement/concat.h"
#include "ops/movement/transpose.h"

namespace coracle::internal {

/// Result 0 has the elements of operand 0 (a list for concat), all of them and nothing else, each once.
inline bool reorders(const Node& node) {
  const Op& op = node.op;
  return node.outputs.size() == 1 &&
         (op.schema().reshapes || op.is<Transpose>() || op.is<Concat>() || op.is<ChannelShuffle>());
}

}  // namespace coracle::internal
