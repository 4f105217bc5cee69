// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/conv2d_fused.h"
#include "plan/kernel.h"

/// A convolution with a filter of more than 3x3 taps by Winograd's algorithm for 3x3 pixels and 3x3 taps
/// (isa/winograd.h). The filter is cut into parts of 3x3 taps, with zeros behind its last row and column. Since tiles
/// are as far apart as parts, the transformed input of a tile serves all parts that meet it: point by point, the
/// algorithm is again a convolution, of tiles with parts. Its sums are transformed back once. 9x9 taps need 25 of 81
/// multiplications, 7x7 taps 25 of 49, and 5x5 taps 11 of 25.
///
/// Some rows of tiles at a time: the transformed filter is read once for them, and all threads share their memory.
namespace coracle::internal::cpu {

constexpr int64_t kPartTile = 3;

/// Multiplications relative to the direct form where no part has zeros.
constexpr double kPartsMultiplies = 25.0 / 81.0;

/// Null where the algorithm applies and is worth its transformations.
RejectionReason winograd_parts_rejection(const Conv2dFused& op, const ArgFacts& args);
/// Its multiplications as a share of the direct ones.
double winograd_parts_share(const Conv2dFused& op, const ArgFacts& args);

Prepared prepare_winograd_parts(const void* op, const ArgFacts& args, PrepareContext& context);
void run_winograd_parts(KernelCall& call) noexcept;

}  // namespace coracle::internal::cpu
