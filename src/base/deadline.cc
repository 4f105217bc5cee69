// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include "base/error.h"

namespace coracle {
namespace {

thread_local const Deadline* current_deadline = nullptr;

}  // namespace

Deadline::Deadline(const char* work, Clock::time_point start, int64_t limit_ms, const std::atomic<uint32_t>* cancelled)
    : work_(work),
      end_(limit_ms == 0 ? Clock::time_point::max() : start + std::chrono::milliseconds(limit_ms)),
      limit_ms_(limit_ms),
      cancelled_(cancelled) {}

void Deadline::fail() const {
  if (cancelled()) coracle::fail(ErrorCode::kCancelled, work_, " was cancelled");
  coracle::fail(ErrorCode::kRunFailure, work_, " took longer than its limit of ", limit_ms_, " ms");
}

const Deadline* Deadline::current() noexcept { return current_deadline; }

Deadline::Scope::Scope(const Deadline& deadline) noexcept : before_(current_deadline) {
  current_deadline = deadline.limit_ms_ == 0 && deadline.cancelled_ == nullptr ? nullptr : &deadline;
}
Deadline::Scope::~Scope() { current_deadline = before_; }

void LoopCheck::look() {
  left_ = kSteps;
  Deadline::check_current();
}

}  // namespace coracle
