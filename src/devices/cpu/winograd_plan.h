// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv2d_fused.h"
#include "plan/kernel.h"

/// A convolution by Winograd's algorithm (isa/winograd.h): the inputs of some tiles are transformed, multiplied point
/// by point with the transformed filter, and transformed back, chunk by chunk, so that a chunk stays in the level-2
/// cache.
namespace coracle::cpu {

/// Multiplications relative to the direct form: 6 x 6 points for 4 x 4 results of 3 x 3 taps.
constexpr double kWinogradMultiplies = 36.0 / (16.0 * 9.0);

/// Null where the algorithm applies and is worth its transformations.
Misfit winograd_misfit(const Conv2dFused& op, const ArgFacts& args);

Prepared prepare_winograd(Isa isa, const Conv2dFused& op, const ArgFacts& args, PrepareContext& context);
void run_winograd(Isa isa, KernelCall& call) noexcept;

}  // namespace coracle::cpu
