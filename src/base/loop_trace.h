// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace coracle::internal {

/// Notes when threads work on loops, for profiles. The loops of a run whose context names it report to it.
class LoopTrace {
 public:
  /// A helper's work on one loop or several. Times are those of std::chrono::steady_clock, in ns.
  struct Span {
    int thread = 0;  ///< helpers count from 1, in the order they are first seen
    int64_t begin = 0;
    int64_t end = 0;
    int64_t busy = 0;  ///< of that time, on parts of loops
  };

  /// What the calling thread did in loops that it shared.
  struct Caller {
    int64_t loops = 0;
    int64_t waited = 0;  ///< ns in which it waited for helpers
    /// ns on parts besides the longest of each loop: what a thread for each part would have spared it.
    int64_t beside = 0;
  };

  /// Of loops that so many threads work on, the caller included; others are not noted.
  explicit LoopTrace(int threads);

  /// A part that this thread ran. Any thread may call it.
  void add(int64_t begin, int64_t end) noexcept;
  /// A loop is done, after `passed` ns. Those of other threads than the one that made the trace are not noted.
  void end_loop(int64_t passed) noexcept;
  /// What was noted of helpers since the last call.
  std::vector<Span> take();
  /// What was noted of the thread that made the trace, which alone may call this, since the last call.
  Caller take_caller() noexcept;

 private:
  struct Lane {
    std::thread::id thread;
    Span span;
  };

  const std::thread::id caller_ = std::this_thread::get_id();
  Caller noted_;
  int64_t busy_ = 0;     // ns of the caller on parts of the loop in progress
  int64_t longest_ = 0;  // ns of the longest of them
  std::mutex mutex_;
  std::vector<Lane> lanes_;  // has room for all
};

}  // namespace coracle::internal
