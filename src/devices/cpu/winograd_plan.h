// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/tile_cost.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "plan/kernel.h"

/// A convolution by Winograd's algorithm (isa/winograd.h): the inputs of some tiles are transformed, multiplied point
/// by point with the transformed filter, and transformed back. Where tiles are many this goes chunk by chunk, so that a
/// chunk stays in the level-2 cache; where the filter is larger than all tiles, all at once, so that each float of it
/// is read once.
namespace coracle::internal::cpu {

/// Multiplications relative to the direct form: (tile + 2)^2 points for tile^2 results of 3 x 3 taps.
constexpr double winograd_multiplies(int tile) { return (tile + 2.0) * (tile + 2.0) / (9.0 * tile * tile); }

/// Null where the algorithm applies with tiles of 4x4 or 2x2 output pixels and is worth its transformations ...
RejectionReason winograd_rejection(int tile, const Conv2dFused& op, const ArgFacts& args);
/// ... and the kernel's way to multiply takes its products.
RejectionReason winograd_product_rejection(int tile, const Conv2dFused& op, const ArgFacts& args);
std::optional<CostEstimate> winograd_cost(int tile, const Conv2dFused& op, const ArgFacts& args);
/// A direct convolution's products, as the fewest multiplications of the algorithm would be, where it applies.
TileProduct beside_winograd(TileProduct direct, const Conv2dFused& op, const ArgFacts& args);

Prepared prepare_winograd(int tile, const Conv2dFused& op, const ArgFacts& args, PrepareContext& context);
void run_winograd(KernelCall& call) noexcept;

}  // namespace coracle::internal::cpu
