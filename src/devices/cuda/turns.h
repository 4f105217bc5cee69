// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "base/process.h"
#include "devices/cuda/driver.h"

namespace coracle::internal::cuda {

/// Of a device: whose kernels it is given.
struct Turns {
  std::mutex mutex;         ///< of the queue whose turn it is
  CUstream last = nullptr;  ///< that of the last turn, as long as it lives
  /// A forked child has neither the device nor the thread that may have held the mutex.
  const int64_t process = this_process();
};

}  // namespace coracle::internal::cuda
