// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/integer_conv2d.h"
#include "plan/kernel.h"

/// A convolution of integers by Winograd's algorithm (isa/quantized_winograd.h), tiles chunk by chunk.
namespace coracle::internal::cpu {

/// Null where the algorithm applies, its sums are known from what it computes, and it is worth its transformations.
/// What is left to quantized_rejection() is not looked at.
RejectionReason quantized_winograd_rejection(const IntegerConv2d& op, const ArgFacts& args);

Prepared prepare_quantized_winograd(const IntegerConv2d& op, const ArgFacts& args, PrepareContext& context);
void run_quantized_winograd(KernelCall& call) noexcept;

}  // namespace coracle::internal::cpu
