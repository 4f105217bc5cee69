// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace coracle::internal {

/// Calls that other threads, and signal handlers, may cancel while they go on, and only then. They belong to one thread
/// at a time.
class Cancellation {
 public:
  /// One call, as long as it lives.
  class Scope {
   public:
    explicit Scope(Cancellation& calls) noexcept : calls_(calls) { calls.next(kGoesOn); }
    ~Scope() { calls_.next(0); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Cancellation& calls_;
  };

  /// The call that goes on has to end; without one, nothing. Never the next one, however late this thread gets on.
  void cancel() noexcept {
    uint32_t state = state_.load(std::memory_order_relaxed);
    if (state % kNumber == kGoesOn) {
      state_.compare_exchange_strong(state, state | kCancelled, std::memory_order_relaxed);
    }
  }
  /// For a Deadline: its lowest bit is set once the call is cancelled.
  const std::atomic<uint32_t>& state() const noexcept { return state_; }

 private:
  static constexpr uint32_t kCancelled = 1;
  static constexpr uint32_t kGoesOn = 2;
  static constexpr uint32_t kNumber = 4;  // the calls so far are the bits from here on

  void next(uint32_t what) noexcept {
    state_.store((state_.load(std::memory_order_relaxed) / kNumber + 1) * kNumber + what, std::memory_order_relaxed);
  }

  std::atomic<uint32_t> state_{0};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "signal handlers may cancel");

}  // namespace coracle::internal
