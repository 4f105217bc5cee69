// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include "base/error.h"

namespace coracle::internal {

Deadline::Deadline(const char* work, Clock::time_point start, int64_t limit_ms, const std::atomic<uint32_t>* cancelled,
                   const std::atomic<uint32_t>* also_cancelled)
    : work_(work),
      end_(limit_ms == 0 ? Clock::time_point::max() : start + std::chrono::milliseconds(limit_ms)),
      limit_ms_(limit_ms),
      cancelled_(cancelled),
      also_cancelled_(also_cancelled) {}

void Deadline::fail() const {
  if (cancelled()) coracle::internal::fail(ErrorCode::kCancelled, work_, " was cancelled");
  coracle::internal::fail(ErrorCode::kRunFailure, work_, " took longer than its limit of ", limit_ms_, " ms");
}

}  // namespace coracle::internal
