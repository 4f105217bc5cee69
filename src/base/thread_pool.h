// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/run_context.h"

namespace coracle::internal {

class Loop;
class Workers;

/// The threads that share the iterations of a session's loops: the caller, and helpers of its own or from Workers that
/// several pools share. Loops of one pool come from one caller at a time.
/// Nothing here throws after construction except the start of threads.
class ThreadPool {
 public:
  /// `threads` in all, the caller included; at least 1. The helpers start with the first run.
  explicit ThreadPool(int threads) : ThreadPool(nullptr, threads) {}
  /// With helpers of `workers`, null for its own.
  ThreadPool(std::shared_ptr<Workers> workers, int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// How many at most work on a loop.
  int threads() const { return threads_; }

  /// How many parts of a loop each thread has now: one, or several where some threads are slower than others.
  int64_t parts_each() const noexcept;

  /// Starts all helpers there may be. Throws Error when the system refuses.
  void start();

  /// Around the loops that belong together: they end at the deadline of `context` and report to its trace. Starts as
  /// many helpers as the machine has processors for, and notices when other programs take the processors: then fewer
  /// helpers are called for some time.
  class Run {
   public:
    /// Throws Error when threads cannot be started, or were started before the process was forked.
    Run(ThreadPool& pool, RunContext context);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    ThreadPool& pool_;
    const RunContext context_;
    const RunContext* const before_;
    bool measured_ = false;
  };

  /// Calls f(begin, end) for parts that cover [0, n), each at least `grain` long where possible, on all threads that
  /// are free, and returns when all are done. There may be more parts than threads, so that the caller can take what a
  /// late thread has not begun.
  template <class F>
  void parallel_for(int64_t n, int64_t grain, const F& f) noexcept {
    const Call call = [](const void* self, int64_t begin, int64_t end) { (*static_cast<const F*>(self))(begin, end); };
    run(n, grain, call, &f);
  }

 private:
  using Call = void (*)(const void* self, int64_t begin, int64_t end);

  void run(int64_t n, int64_t grain, Call call, const void* self) noexcept;

  struct Caller;  // where the caller's time goes

  const int threads_;
  const std::shared_ptr<Workers> workers_;
  const std::unique_ptr<Loop> loop_;
  const std::unique_ptr<Caller> caller_;
  const RunContext* context_ = nullptr;  // of the Run in effect
};

}  // namespace coracle::internal
