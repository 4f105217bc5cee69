// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "graph/lowering.h"

namespace coracle::internal {

/// Adds the activation that a fused operator of an optimised program names, and gives its result (`x` itself for "" and
/// "identity"). `alpha` and `beta` mean what they mean to that activation in such programs: slope, threshold, bounds.
ValueId add_activation(Lowering& l, ValueId x, std::string_view kind, double alpha, double beta);

/// x + bias, where bias has one element for each channel of `axis`.
ValueId add_channel_bias(Lowering& l, ValueId x, ValueId bias, int axis, int rank);

}  // namespace coracle::internal
