// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "devices/gpu/launch_plan.h"
#include "ops/common/epilogue.h"

namespace coracle::internal::gpu {

/// Adds an epilogue to a kernel whose source includes epilogue.cl: its text to the definitions, its tensors and numbers
/// to the parameters. The tensors stand from operand `first` on.
void add_epilogue(std::span<const EpilogueStep> steps, int first, Definitions& definitions,
                  std::vector<Parameter>& parameters);
/// All steps of one; null: none.
void add_epilogue(const Epilogue* epilogue, int first, Definitions& definitions, std::vector<Parameter>& parameters);

/// Why kernels cannot do an epilogue: its tensors stand at `port`, the result has `channels` channels.
RejectionReason epilogue_rejection(const Epilogue& epilogue, const ArgFacts& args, int port, int64_t channels);

}  // namespace coracle::internal::gpu
