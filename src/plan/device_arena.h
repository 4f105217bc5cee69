// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/steps.h"

namespace coracle::internal {

/// Gives each buffer of a device its memory in the device's arena, by its live range [first, last] (by buffer, of those
/// that others lie in). What the segment gets lies together, and so does what it gives, as far as an allocation of the
/// device's memory holds it: one transfer copies it.
void place_on_devices(const RunContext& context, Steps& steps, const std::vector<int>& first,
                      const std::vector<int>& last, std::span<const UsedDevice> devices);

/// Plans staging memory and the transfers of each copy, once all buffers have their memory.
void plan_transfers(Steps& steps, std::span<const UsedDevice> devices);

}  // namespace coracle::internal
