// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/device.h"

namespace coracle::internal::cpu {

/// The slowest thread's rate times the number of threads, so that a thread without a core of its own shows.
MachineLimits measure_limits(CapabilityLevel isa, ThreadPool& pool);

}  // namespace coracle::internal::cpu
