// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/system/this_process.h"

namespace coracle::internal {

/// A mutex for short and rare work on what forked processes use too. Its word is the process of the holder, so a child
/// notices that whoever held it was another thread of the parent, which does not exist there.
class ProcessMutex {
 public:
  /// Throws Error where waiting would never end: after a fork, and where a process that ends has ended the holder.
  void lock();
  void unlock() { holder_.store(0, std::memory_order_release); }

 private:
  std::atomic<int64_t> holder_{0};
};

}  // namespace coracle::internal
