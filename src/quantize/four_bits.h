// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantize/rewrite.h"

namespace coracle::internal::quantize {

/// Weights of a product in four bits with a step for each group of the largest number of elements from 64 down to 32
/// that divides the depth. Steps are those that leave the least sum of squared errors of all that were tried for a
/// group. Nothing where no kernel computes with that: the layer is no product, its depth has no such divisor (an even
/// one where the weights are transposed), or its columns are no multiple of 8.
std::optional<StoredWeights> four_bit_weights(const Layer& layer, const Parameter& weights);

}  // namespace coracle::internal::quantize
