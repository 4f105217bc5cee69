// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/run_context.h"
#include "base/workers.h"

namespace coracle::internal {

/// Where the blocks of a session run while its calling thread goes on: threads that take what was given in the order in
/// which it was given. The calling thread helps when it would have to wait. One session at a time gives and awaits.
class BlockLanes {
 public:
  /// `count` at a time, the calling thread included. Each counts as `threads` of `workers` while it is busy, so that
  /// loops have that many fewer.
  BlockLanes(int count, int threads, std::shared_ptr<Workers> workers);
  /// Waits for what runs; what was not begun never is. In a forked process, where there are no threads, it leaves their
  /// memory.
  ~BlockLanes();
  BlockLanes(const BlockLanes&) = delete;
  BlockLanes& operator=(const BlockLanes&) = delete;

  /// Threads that a block may keep busy.
  int threads_each() const { return threads_; }

  /// Something to run, once.
  class Work {
   public:
    /// `run(lane)` gets 0 for the calling thread, else the lane's number; it does not throw.
    explicit Work(std::function<void(int lane)> run) : run_(std::move(run)) {}

   private:
    friend class BlockLanes;
    enum class State : uint8_t { kWaiting, kRunning, kDone };
    std::function<void(int lane)> run_;
    State state_ = State::kWaiting;
  };

  /// Starts a thread if none is free and there may be one more; where the system gives none, `await` does the work. A
  /// forked process starts its own.
  void give(std::shared_ptr<Work> work);
  /// Returns when the work is done; runs what nobody has begun meanwhile, what was given first before the rest. Throws
  /// Error when the deadline of `context` has passed.
  void await(const Work& work, const RunContext& context);
  /// What was not begun never is; returns when nothing runs any more.
  void abandon() noexcept;

 private:
  struct State;
  void renew_after_fork();
  static void serve(State& state, int lane) noexcept;
  static void run(State& state, std::unique_lock<std::mutex>& lock, int lane);

  const int count_;
  const int threads_;
  std::unique_ptr<State> state_;
  int64_t process_ = 0;  // that started the threads
};

}  // namespace coracle::internal
