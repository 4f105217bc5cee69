// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/tensor.h"

namespace coracle::internal {

/// Weights of simulated integers as such: w[channel] is integers[channel] * steps[channel].
struct QuantizedWeights {
  Tensor integers;             ///< int8, from -127 on
  std::vector<double> scales;  ///< of each channel
};

/// float32 weights whose channels lie along dimension `axis` as integers of one step for each, up to the rounding of
/// float32; nothing where they are not such.
std::optional<QuantizedWeights> quantized_weights(const RunContext& context, const Tensor& weights, int axis);

}  // namespace coracle::internal
