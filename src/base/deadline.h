// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace coracle {

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

  /// That of what this thread works on (RunContext::current()); null for none. For code that is given no context.
  static const Deadline* current() noexcept;
  /// Whether it has passed: a kernel gives up then, and leaves its results unfinished.
  static bool over() noexcept {
    const Deadline* deadline = current();
    return deadline != nullptr && deadline->passed();
  }
  /// Throws Error when it has passed.
  static void check_current() {
    if (const Deadline* deadline = current()) deadline->check();
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
