// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/thread_pool.h"
#include "plan/kernel.h"

namespace coracle {

/// What a machine reaches at best, measured.
struct MachineLimits {
  double flops_per_second = 0;  ///< float32 multiply-adds in registers, counted as two
  double bytes_per_second = 0;  ///< read from memory, one after the other
};

/// A kind of place where kernels run, with its kernels. One folder of src/devices each.
struct Device {
  const char* name;
  Place::Kind place;
  std::span<const KernelTable* const> (*kernels)();
  /// Takes some tenths of a second on all threads of the pool.
  MachineLimits (*measure_limits)(Isa isa, ThreadPool& pool);
};

/// The devices of this build, generated from the folders of src/devices.
std::span<const Device* const> all_devices();

}  // namespace coracle
