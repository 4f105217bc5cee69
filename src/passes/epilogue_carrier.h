// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/patch.h"
#include "ops/common/epilogue.h"

namespace coracle {

/// A node that carries an epilogue (conv2d_fused, conv2d_transpose_fused, linear), seen in one way.
struct EpilogueCarrier {
  NodeId id = kNoNode;
  const Epilogue* epilogue = nullptr;
  int channel_axis = 1;       ///< of the result
  int64_t channels = 0;       ///< of the result
  int filter_axis = 0;        ///< dimension of the weights that runs over the result's channels ...
  int64_t filter_groups = 1;  ///< ... within each of that many groups laid along dimension 0 (transposed convolution)

  /// The carrier that makes `value` as its only result with no other use, if there is one.
  static std::optional<EpilogueCarrier> of(const Graph& graph, const std::vector<int>& uses, ValueId value);
  static std::optional<EpilogueCarrier> of_node(const Graph& graph, NodeId id);

  /// The same operator with other steps.
  Op with(const Graph& graph, const std::vector<EpilogueStep>& steps) const;
  ValueId x(const Graph& graph) const { return graph.node(id).input(0); }
  ValueId weights(const Graph& graph) const { return graph.node(id).input(1); }
  /// The values its steps take.
  std::vector<ValueId> tensors(const Graph& graph) const;
};

/// The same steps with runs of scale_shift as one of them.
std::vector<EpilogueStep> merged_runs(const std::vector<EpilogueStep>& steps);

}  // namespace coracle
