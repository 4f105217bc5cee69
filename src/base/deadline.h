// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace coracle::internal {

/// When work has to end: after a time, or as soon as it is cancelled. Whatever may take long looks at it in between.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// For `work` ("the run") that began at `start`. `limit_ms` of 0: no limit. `cancelled` and `also_cancelled`: ends
  /// when the lowest bit of one is set; null: never. Both have to outlive it and its copies.
  Deadline(const char* work, Clock::time_point start, int64_t limit_ms, const std::atomic<uint32_t>* cancelled,
           const std::atomic<uint32_t>* also_cancelled = nullptr);

  /// False of one that never passes.
  bool may_pass() const noexcept { return limit_ms_ != 0 || cancelled_ != nullptr || also_cancelled_ != nullptr; }
  /// Once true it stays so while the work goes on.
  bool passed() const noexcept { return cancelled() || (limit_ms_ != 0 && Clock::now() > end_); }
  /// Throws Error when it has passed.
  void check() const {
    if (passed()) [[unlikely]]
      fail();
  }

 private:
  static bool is_set(const std::atomic<uint32_t>* flag) noexcept {
    return flag != nullptr && flag->load(std::memory_order_relaxed) % 2 != 0;
  }
  bool cancelled() const noexcept { return is_set(cancelled_) || is_set(also_cancelled_); }
  [[noreturn]] void fail() const;

  const char* const work_;
  const Clock::time_point end_;
  const int64_t limit_ms_;
  const std::atomic<uint32_t>* const cancelled_;
  const std::atomic<uint32_t>* const also_cancelled_;
};

}  // namespace coracle::internal
