// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/patch.h"
#include "graph/pattern.h"
#include "ops/common/epilogue.h"

namespace coracle::internal {

/// A node that carries an epilogue (conv2d_fused, conv2d_transpose_fused, linear), seen in one way.
struct EpilogueCarrier {
  NodeId id = kNoNode;
  ValueId x = kNoValue;
  ValueId weights = kNoValue;
  std::vector<EpilogueStep> steps = {};
  std::vector<ValueId> tensors = {};  ///< that its steps take
  int channel_axis = 1;               ///< of the result
  int64_t channels = 0;               ///< of the result
  int filter_axis = 0;                ///< dimension of the weights that runs over the result's channels ...
  int64_t filter_groups = 1;  ///< ... within each of that many groups laid along dimension 0 (transposed convolution)

  /// A slot for the nodes that are such.
  static PatternSlot slot(Pattern& pattern);
  static std::optional<EpilogueCarrier> of_node(const Graph& graph, NodeId id);
};

/// y = x * factor + shift for each channel.
struct ChannelLines {
  std::vector<double> factor;
  std::vector<double> shift;
  size_t steps = 0;    ///< of the epilogue
  size_t tensors = 0;  ///< of those
};

/// What the linear steps at the begin of an epilogue, those by numbers and constants, make of `factor` times the sums.
ChannelLines linear_beginning(const Graph& graph, const EpilogueCarrier& c, std::vector<double> factor);

/// A number for each channel, as float32.
Tensor channel_numbers(const std::vector<double>& values);

/// The same steps with runs of scale_shift as one of them.
std::vector<EpilogueStep> merged_runs(const std::vector<EpilogueStep>& steps);

}  // namespace coracle::internal
