// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/steps.h"

namespace coracle::internal {

/// The buffer in whose memory a buffer lies: itself, or the end of its chain of views.
int owner_of(const Steps& steps, int buffer);

/// Gives each buffer of finished steps its memory: in the arena of its place by its live range, in place of an operand
/// where the kernel allows it, or where its owner lies. Takes out the steps that are views, and counts memory.
void place_in_memory(const RunContext& context, Steps& steps, std::span<const UsedDevice> devices = {});

}  // namespace coracle::internal
