// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace coracle::internal {

/// Notes when helper threads work on loops, for profiles. The loops of a run whose context names it report to it.
class LoopTrace {
 public:
  /// A helper's work on one loop or several. Times are those of std::chrono::steady_clock, in ns.
  struct Span {
    int thread = 0;  ///< helpers count from 1, in the order they are first seen
    int64_t begin = 0;
    int64_t end = 0;
    int64_t busy = 0;  ///< of that time, on parts of loops
  };

  /// Of loops that so many threads work on, the caller included; others are not noted.
  explicit LoopTrace(int threads);

  /// A part that this thread ran. Any thread may call it.
  void add(int64_t begin, int64_t end) noexcept;
  /// What was noted since the last call.
  std::vector<Span> take();

 private:
  struct Lane {
    std::thread::id thread;
    Span span;
  };

  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::vector<Lane> lanes_;  // has room for all
};

}  // namespace coracle::internal
