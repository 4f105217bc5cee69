// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/system/ended_threads.h"

namespace coracle::internal {

void ProcessMutex::lock() {
  constexpr int kYields = 200;  // before it sleeps
  for (int attempt = 0;; ++attempt) {
    int64_t holder = 0;
    if (holder_.compare_exchange_weak(holder, this_process(), std::memory_order_acquire, std::memory_order_relaxed)) {
      return;
    }
    require(holder == 0 || holder == this_process(), ErrorCode::kInvalidArgument, "this process, ", this_process(),
            ", was forked from process ", holder,
            " while another thread there prepared the weights of this model: load the model again in this process, or "
            "fork before sessions run");
    if (other_threads_were_ended()) fail(ErrorCode::kRunFailure, "the process ended another thread that was at work");
    if (attempt < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

}  // namespace coracle::internal
