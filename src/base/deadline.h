// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace coracle {

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

/// When the work that a thread does has to end: after a time, or as soon as it is cancelled. Whatever may take long
/// looks at it in between, without being told of it.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// For `work` ("the run") that began at `start`. `limit_ms` of 0: no limit. `cancelled`: ends when its lowest bit is
  /// set; null: never.
  Deadline(const char* work, Clock::time_point start, int64_t limit_ms, const std::atomic<uint32_t>* cancelled);

  /// Once true it stays so while the work goes on.
  bool passed() const noexcept { return cancelled() || (limit_ms_ != 0 && Clock::now() > end_); }
  /// Throws Error when it has passed.
  void check() const {
    if (passed()) [[unlikely]]
      fail();
  }

  /// That of this thread; null for none.
  static const Deadline* current() noexcept;
  /// Whether that of this thread has passed: a kernel gives up then, and leaves its results unfinished.
  static bool over() noexcept {
    const Deadline* deadline = current();
    return deadline != nullptr && deadline->passed();
  }
  /// Throws Error when that of this thread has passed.
  static void check_current() {
    if (const Deadline* deadline = current()) deadline->check();
  }

  /// Makes a deadline that of this thread while it lives.
  class Scope {
   public:
    /// One that never passes is not looked at.
    explicit Scope(const Deadline& deadline) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Deadline* before_;
  };

 private:
  bool cancelled() const noexcept {
    return cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed) % 2 != 0;
  }
  [[noreturn]] void fail() const;

  const char* const work_;
  const Clock::time_point end_;
  const int64_t limit_ms_;
  const std::atomic<uint32_t>* const cancelled_;
};

/// Looks at the deadline of this thread once in so many steps of a long loop.
class LoopCheck {
 public:
  /// `steps` of some nanoseconds each have been done or are next. Throws Error when the deadline has passed.
  void step(int64_t steps = 1) {
    left_ -= steps;
    if (left_ < 0) [[unlikely]]
      look();
  }

 private:
  static constexpr int64_t kSteps = 1 << 17;

  void look();

  int64_t left_ = kSteps;
};

/// f(begin, end) for parts of [0, count), in order; throws Error between them when the deadline has passed.
template <class F>
void in_blocks(size_t count, const F& f) {
  constexpr size_t kBlock = 1 << 18;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    Deadline::check_current();
    f(begin, count - begin < kBlock ? count : begin + kBlock);
  }
}

}  // namespace coracle
