// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace coracle {

/// When the work that a thread does has to end. Whatever may take long looks at it in between, without being told of
/// it.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// For `work` ("the run") that began at `start`. `limit_ms` of 0: no limit.
  Deadline(const char* work, Clock::time_point start, int64_t limit_ms);

  bool passed() const noexcept;
  /// Throws Error when it has passed.
  void check() const;

  /// That of this thread; null for none.
  static const Deadline* current() noexcept;
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
  const char* const work_;
  const Clock::time_point end_;
  const int64_t limit_ms_;
};

}  // namespace coracle
