// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "plan/queue.h"

namespace coracle::internal {

/// Threads that run sessions while their callers go on: in the order in which runs were given, as many at a time as
/// there is room for. For any thread.
class RunQueue {
 public:
  /// That of a device, or of the processor for null: one for all sessions of this process, as long as one has it. The
  /// processor has room for as many threads as this process may use, a device for two runs: one computes, the other
  /// copies. Throws Error.
  static std::shared_ptr<RunQueue> of(const OpenDevice* device);

  explicit RunQueue(int room);
  /// When nothing is left to run. Returns when its threads have ended, but in one of these. In a forked process, where
  /// there are no threads, it leaves their memory.
  ~RunQueue();
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  /// `size` is how much of the room it takes; what takes more than there is runs alone. `run` does not throw; it may
  /// give others, and end who has this queue. Throws Error where the system gives no thread.
  void give(int size, std::function<void()> run);
  /// Threads do not survive a fork: a child needs another queue.
  bool is_of_this_process() const noexcept;
  /// Whether the calling thread is one of a queue.
  static bool is_own_thread() noexcept;

 private:
  struct State;
  static void serve(const std::shared_ptr<State>& state) noexcept;

  std::shared_ptr<State> state_;  // of the threads, too: the last of them may go on for a moment
};

}  // namespace coracle::internal
