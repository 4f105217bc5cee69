// SPDX-License-Identifier: Apache-2.0
// Sessions that run while their callers go on.
#include <condition_variable>
#include <mutex>
#include <span>

#include "base/current_error.h"
#include "base/stack.h"
#include "run/run_queue.h"
#include "run/session.h"

namespace coracle::internal {

struct Session::AsyncRun {
  enum class State : uint8_t { kUnderWay, kEnded, kTold };  ///< ended: `ended` is being called
  // In place of std::atomic::wait, which may sleep through a change where a system has no futex (libstdc++ 12).
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
  };

  std::atomic<State> state{State::kUnderWay};
  std::unique_ptr<Signal> signal = std::make_unique<Signal>();
  std::thread::id teller;        ///< who calls that; written before kEnded
  std::optional<Error> failure;  ///< likewise
  const int64_t process = this_process();

  AsyncRun() = default;
  ~AsyncRun() {
    // To destroy what threads of another process wait for would not end.
    if (process != this_process()) static_cast<void>(signal.release());
  }
  AsyncRun(const AsyncRun&) = delete;
  AsyncRun& operator=(const AsyncRun&) = delete;

  void set(State to) noexcept {
    {
      const std::lock_guard lock(signal->mutex);
      state.store(to, std::memory_order_release);
    }
    signal->changed.notify_all();
  }
  void keep_current_error() noexcept {
    try {
      failure = current_error();
    } catch (...) {
      failure.emplace(ErrorCode::kOutOfMemory, "out of memory");  // as short as needs none
    }
  }
  /// Returns when it is over, for the thread that is told too. Throws Error where that would be never.
  void wait() const {
    State now = state.load(std::memory_order_acquire);
    while (now != State::kTold) {
      if (now == State::kEnded && teller == std::this_thread::get_id()) return;
      require(process == this_process(), ErrorCode::kInvalidArgument,
              "the run was under way when this process was forked: load the model again in this process");
      require(!RunQueue::is_own_thread(), ErrorCode::kInvalidArgument,
              "this thread belongs to asynchronous runs, and one of them may not wait for another: it would keep that "
              "from its turn; wait in a thread of your own");
      {
        std::unique_lock lock(signal->mutex);
        signal->changed.wait(lock, [&] { return state.load(std::memory_order_relaxed) != now; });
      }
      now = state.load(std::memory_order_acquire);
    }
  }
};

void Session::run_async(const RunOptions& options, Ended ended) {
  auto started = std::make_shared<AsyncRun>();
  hold();
  const auto set_last = [&] {
    const std::lock_guard lock(async_run_mutex_);
    async_run_.swap(started);
  };
  bool is_set = false;
  try {
    require_inputs();
    RunOptions own = options;
    own.called = Deadline::Clock::now();
    own.after = stream_point();
    if (queue_ == nullptr || !queue_->is_of_this_process()) {
      const std::span<const UsedDevice> devices = model_->program()->selector().devices();
      queue_ = RunQueue::of(devices.empty() ? nullptr : devices.front().open.get());
    }
    // A pool's threads are shared: who brings one needs room for its calling thread alone.
    const bool counts_threads = !executor_.has_devices() && options_.workers == nullptr;
    std::function<void()> run = [this, own, started, ended = std::move(ended)] { run_in_queue(own, *started, ended); };
    set_last();
    is_set = true;
    is_running_async_.store(true, std::memory_order_relaxed);
    async_cancellation_.emplace(cancellation_);
    queue_->give(counts_threads ? executor_.threads() : 1, std::move(run));
  } catch (...) {
    async_cancellation_.reset();
    is_running_async_.store(false, std::memory_order_relaxed);
    if (is_set) set_last();
    release();
    throw;
  }
}

/// Afterwards the session may be gone.
void Session::run_in_queue(const RunOptions& options, AsyncRun& started, const Ended& ended) noexcept {
  user_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  try {
    require_stack("a run");
    run_held(options);
  } catch (...) {
    started.keep_current_error();
  }
  started.teller = std::this_thread::get_id();
  async_cancellation_.reset();
  is_running_async_.store(false, std::memory_order_relaxed);
  release();
  started.set(AsyncRun::State::kEnded);
  if (ended != nullptr) ended(started.failure ? &*started.failure : nullptr);
  started.set(AsyncRun::State::kTold);
}

std::shared_ptr<Session::AsyncRun> Session::last_async_run() const {
  const std::lock_guard lock(async_run_mutex_);
  return async_run_;
}

/// The last one, which is over; null where there was none. What is told of an end may begin the next.
std::shared_ptr<const Session::AsyncRun> Session::ended_async_run() const {
  std::shared_ptr<const AsyncRun> last = last_async_run();
  while (last != nullptr) {
    last->wait();
    std::shared_ptr<const AsyncRun> next = last_async_run();
    if (next == last) break;
    last = std::move(next);
  }
  return last;
}

void Session::wait() const {
  const std::shared_ptr<const AsyncRun> last = ended_async_run();
  require(last != nullptr, ErrorCode::kInvalidArgument, "no asynchronous run of the session was started");
  if (last->failure) throw Error(*last->failure);
}

bool Session::claim_for_free() noexcept {
  try {
    const std::shared_ptr<const AsyncRun> last = last_async_run();
    if (last != nullptr && last->process == this_process()) ended_async_run();
  } catch (...) {
    return false;
  }
  return !in_use_.exchange(true, std::memory_order_acquire);
}

}  // namespace coracle::internal
