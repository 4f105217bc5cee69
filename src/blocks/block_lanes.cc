// SPDX-License-Identifier: Apache-2.0
#include "blocks/block_lanes.h"

#include <system_error>

#include "base/error.h"
#include "base/process.h"

namespace coracle::internal {

struct BlockLanes::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<std::shared_ptr<Work>> waiting;
  int running = 0;
  int idle = 0;  // threads
  bool stop = false;
  int threads = 1;
  std::shared_ptr<Workers> workers;
  std::vector<std::thread> started;
};

BlockLanes::BlockLanes(int count, int threads, std::shared_ptr<Workers> workers)
    : count_(count), threads_(threads), state_(std::make_unique<State>()) {
  state_->threads = threads;
  state_->workers = std::move(workers);
}

BlockLanes::~BlockLanes() {
  if (process_ != 0 && process_ != this_process()) {
    static_cast<void>(state_.release());  // to join or to destroy what its threads use would wait for ever
    return;
  }
  abandon();
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  for (std::thread& thread : state_->started) thread.join();
}

/// Runs the first of what waits, unlocked meanwhile. The calling thread counts among the workers' callers already.
void BlockLanes::run(State& state, std::unique_lock<std::mutex>& lock, int lane) {
  const std::shared_ptr<Work> work = std::move(state.waiting.front());
  state.waiting.pop_front();
  work->state_ = Work::State::kRunning;
  ++state.running;
  lock.unlock();
  const int busy = state.threads - (lane == 0 ? 1 : 0);
  state.workers->occupy(busy);
  work->run_(lane);
  state.workers->vacate(busy);
  lock.lock();
  work->run_ = nullptr;
  work->state_ = Work::State::kDone;
  --state.running;
  state.changed.notify_all();
}

void BlockLanes::serve(State& state, int lane) noexcept {
  std::unique_lock lock(state.mutex);
  while (true) {
    ++state.idle;
    state.changed.wait(lock, [&] { return state.stop || !state.waiting.empty(); });
    --state.idle;
    if (state.stop) return;
    run(state, lock, lane);
  }
}

/// Threads do not survive a fork, and what they held stays locked: a child begins anew and leaves their memory.
void BlockLanes::renew_after_fork() {
  if (process_ == 0 || process_ == this_process()) return;
  auto own = std::make_unique<State>();
  own->threads = state_->threads;
  own->workers = state_->workers;
  static_cast<void>(state_.release());
  state_ = std::move(own);
  process_ = 0;
}

void BlockLanes::give(std::shared_ptr<Work> work) {
  renew_after_fork();
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.waiting.push_back(std::move(work));
    const int lane = static_cast<int>(state.started.size()) + 1;
    if (lane < count_ && static_cast<size_t>(state.idle) < state.waiting.size()) {
      process_ = this_process();
      try {
        state.started.emplace_back([&state, lane] { serve(state, lane); });
      } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): await() runs it then
      }
    }
  }
  state.changed.notify_all();
}

void BlockLanes::await(const Work& work, const RunContext& context) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  while (work.state_ != Work::State::kDone) {
    if (state.waiting.empty()) {
      state.changed.wait(lock);
    } else if (!context.over()) {
      run(state, lock, 0);
    } else {
      break;
    }
  }
  lock.unlock();
  context.check();
}

void BlockLanes::abandon() noexcept {
  if (process_ != 0 && process_ != this_process()) return;  // nothing of that runs here
  std::unique_lock lock(state_->mutex);
  state_->waiting.clear();
  state_->changed.wait(lock, [&] { return state_->running == 0; });
}

}  // namespace coracle::internal
