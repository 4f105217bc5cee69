// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// Constant weights that a node brings to float32: a cast of float16 or bfloat16, dequantize_linear of int8, or a
/// product of steps and what a cast makes of int8.
struct NarrowWeights {
  ValueId constant = kNoValue;
  ValueId whole = kNoValue;        ///< what the cast makes of int8, which nobody else takes
  std::vector<float> scales = {};  ///< of integers: one, or one for each place along `axis`
  int axis = -1;                   ///< -1: one for all

  static std::optional<NarrowWeights> of(const Graph& graph, const Node& node);
  /// The same of the node that makes a value.
  static std::optional<NarrowWeights> of_value(const Graph& graph, ValueId value);
};

/// Along which dimension of the weights of a product its result's channels lie; nothing where a node does not take
/// narrow weights at operand 1.
std::optional<int> channels_of_weights(const Graph& graph, const Node& node);

/// By value: results of such nodes, and of those that make FourBitWeights, that only products take which read the
/// constant as it is. They must not be folded.
std::vector<bool> kept_narrow(const Graph& graph);

/// True if a value is constant, or made of constant weights that are kept narrow by whoever takes it.
bool is_constant_weight(const Graph& graph, ValueId value);

}  // namespace coracle::internal
