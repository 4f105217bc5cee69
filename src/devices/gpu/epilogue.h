// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/launch_plan.h"
#include "ops/common/epilogue.h"
#include "ops/quantize/integer_product.h"

namespace coracle::internal::gpu {

/// Adds an epilogue to a kernel whose source includes epilogue.cl: its text to the definitions, its tensors and numbers
/// to the parameters. The tensors stand from operand `first` on.
void add_epilogue(std::span<const EpilogueStep> steps, int first, Definitions& definitions,
                  std::vector<Parameter>& parameters);
/// All steps of one; null: none.
void add_epilogue(const Epilogue* epilogue, int first, Definitions& definitions, std::vector<Parameter>& parameters);

/// The same behind sums of integers, with what is stored of the result: the bits of the CPU's kernels where each step
/// is one rounding, as factors, biases, residuals, clips and hard_swish are.
void add_integer_epilogue(const IntegerProduct& op, int first, Definitions& definitions,
                          std::vector<Parameter>& parameters);

/// The expression that rounds x to int8 by a formula; `add_number` returns the name of a number.
std::string rounding_to_int8(std::string_view x, float scale, QuantizationRounding rounding,
                             const std::function<std::string(float)>& add_number);

/// Why kernels cannot do an epilogue: its tensors stand at `port`, the result has `channels` channels.
RejectionReason epilogue_rejection(const Epilogue& epilogue, const ArgFacts& args, int port, int64_t channels);

}  // namespace coracle::internal::gpu
