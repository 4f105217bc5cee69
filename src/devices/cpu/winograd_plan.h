// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv2d_fused.h"
#include "plan/kernel.h"

/// A convolution by Winograd's algorithm (isa/winograd.h): the inputs of some tiles are transformed, multiplied point
/// by point with the transformed filter, and transformed back, chunk by chunk, so that a chunk stays in the level-2
/// cache.
namespace coracle::cpu {

/// Null where the algorithm applies and is worth its transformations.
Misfit winograd_misfit(const Conv2dFused& op, const ArgFacts& args);

Prepared prepare_winograd(Isa isa, const Conv2dFused& op, const ArgFacts& args, PrepareContext& context);
void run_winograd(Isa isa, KernelCall& call) noexcept;

}  // namespace coracle::cpu
