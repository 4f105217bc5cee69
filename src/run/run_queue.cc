// SPDX-License-Identifier: Apache-2.0
#include "run/run_queue.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "base/error.h"
#include "base/process.h"

namespace coracle::internal {
namespace {

constexpr int kRunsOnDevice = 2;

thread_local bool is_run_thread = false;

}  // namespace

struct RunQueue::State {
  struct Run {
    int size;
    std::function<void()> run;
  };

  explicit State(int size) : room(size) {}
  bool may_begin() const { return !waiting.empty() && (used == 0 || used + waiting.front().size <= room); }

  const int room;
  const int64_t process = this_process();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Run> waiting;
  int used = 0;     // of the room
  size_t idle = 0;  // threads
  bool ended = false;
  std::vector<std::thread> threads;
  std::shared_ptr<State> itself;
};

std::shared_ptr<RunQueue> RunQueue::of(const OpenDevice* device) {
  struct Known {
    const OpenDevice* device;
    int64_t process;
    std::weak_ptr<RunQueue> queue;
  };
  struct All {
    ProcessMutex mutex;
    std::vector<Known> queues;
  };
  static All& all = *new All;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.queues, [](const Known& k) { return k.process != this_process() || k.queue.expired(); });
  for (const Known& known : all.queues) {
    if (known.device != device) continue;
    if (std::shared_ptr<RunQueue> queue = known.queue.lock()) return queue;
  }
  auto queue = std::make_shared<RunQueue>(device == nullptr ? usable_cpus() : kRunsOnDevice);
  all.queues.push_back({device, this_process(), queue});
  return queue;
}

RunQueue::RunQueue(int room) : state_(std::make_shared<State>(room)) {}

RunQueue::~RunQueue() {
  if (!is_of_this_process()) {
    state_->itself = state_;  // stays for ever: to join or to destroy threads of another process would not end
    return;
  }
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
    threads.swap(state_->threads);
  }
  state_->changed.notify_all();
  for (std::thread& thread : threads) {
    if (is_own_thread()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

bool RunQueue::is_of_this_process() const noexcept { return state_->process == this_process(); }

bool RunQueue::is_own_thread() noexcept { return is_run_thread; }

void RunQueue::give(int size, std::function<void()> run) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  state.waiting.push_back({size, std::move(run)});
  if (state.may_begin() && state.idle < state.waiting.size() &&
      state.threads.size() < static_cast<size_t>(state.room)) {
    try {
      state.threads.emplace_back([shared = state_] { serve(shared); });
    } catch (const std::system_error& e) {
      if (state.threads.empty()) {
        state.waiting.pop_back();
        fail(ErrorCode::kOutOfMemory, "the system starts no thread for asynchronous runs: ", e.code().message());
      }
    } catch (...) {
      state.waiting.pop_back();
      throw;
    }
  }
  state.changed.notify_one();
}

void RunQueue::serve(const std::shared_ptr<State>& shared) noexcept {
  is_run_thread = true;
  State& state = *shared;
  std::unique_lock lock(state.mutex);
  while (true) {
    ++state.idle;
    state.changed.wait(lock, [&] { return state.ended || state.may_begin(); });
    --state.idle;
    if (!state.may_begin()) return;
    State::Run run = std::move(state.waiting.front());
    state.waiting.pop_front();
    state.used += run.size;
    if (state.may_begin()) state.changed.notify_one();
    lock.unlock();
    run.run();
    run.run = nullptr;  // what it holds may end sessions
    lock.lock();
    state.used -= run.size;
  }
}

}  // namespace coracle::internal
