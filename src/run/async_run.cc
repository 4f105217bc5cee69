// SPDX-License-Identifier: Apache-2.0
// Sessions that run while their callers go on.
#include <mutex>
#include <span>

#include "base/current_error.h"
#include "base/stack.h"
#include "run/run_queue.h"
#include "run/session.h"

namespace coracle::internal {

struct Session::Flight {
  enum class State : uint32_t { kUnderWay, kEnded, kTold };  ///< ended: `ended` is being called

  std::atomic<State> state{State::kUnderWay};
  std::thread::id teller;        ///< who calls that; written before kEnded
  std::optional<Error> failure;  ///< likewise
  const int64_t process = this_process();

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
      state.wait(now, std::memory_order_acquire);
      now = state.load(std::memory_order_acquire);
    }
  }
};

void Session::run_async(const RunOptions& options, Ended ended) {
  auto flight = std::make_shared<Flight>();
  hold();
  const auto set_last = [&] {
    const std::lock_guard lock(flight_mutex_);
    flight_.swap(flight);
  };
  bool is_set = false;
  try {
    require_inputs();
    RunOptions own = options;
    own.called = Deadline::Clock::now();
    if (queue_ == nullptr || !queue_->is_of_this_process()) {
      const std::span<const UsedDevice> devices = model_->program()->selector().devices();
      queue_ = RunQueue::of(devices.empty() ? nullptr : devices.front().open.get());
    }
    // A pool's threads are shared: who brings one needs room for its calling thread alone.
    const bool counts_threads = !executor_.has_devices() && options_.workers == nullptr;
    std::function<void()> run = [this, own, flight, ended = std::move(ended)] { fly(own, *flight, ended); };
    set_last();
    is_set = true;
    flies_.store(true, std::memory_order_relaxed);
    flight_is_on_.emplace(cancellation_);
    queue_->give(counts_threads ? executor_.threads() : 1, std::move(run));
  } catch (...) {
    flight_is_on_.reset();
    flies_.store(false, std::memory_order_relaxed);
    if (is_set) set_last();
    release();
    throw;
  }
}

/// Afterwards the session may be gone.
void Session::fly(const RunOptions& options, Flight& flight, const Ended& ended) noexcept {
  user_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  try {
    require_stack("a run");
    run_held(options);
  } catch (...) {
    flight.keep_current_error();
  }
  flight.teller = std::this_thread::get_id();
  flight_is_on_.reset();
  flies_.store(false, std::memory_order_relaxed);
  release();
  flight.state.store(Flight::State::kEnded, std::memory_order_release);
  if (ended != nullptr) ended(flight.failure ? &*flight.failure : nullptr);
  flight.state.store(Flight::State::kTold, std::memory_order_release);
  flight.state.notify_all();
}

std::shared_ptr<Session::Flight> Session::last_flight() const {
  const std::lock_guard lock(flight_mutex_);
  return flight_;
}

/// The last one, which is over; null where there was none. What is told of an end may begin the next.
std::shared_ptr<const Session::Flight> Session::landed() const {
  std::shared_ptr<const Flight> last = last_flight();
  while (last != nullptr) {
    last->wait();
    std::shared_ptr<const Flight> next = last_flight();
    if (next == last) break;
    last = std::move(next);
  }
  return last;
}

void Session::wait() const {
  const std::shared_ptr<const Flight> last = landed();
  require(last != nullptr, ErrorCode::kInvalidArgument, "no asynchronous run of the session was started");
  if (last->failure) throw Error(*last->failure);
}

bool Session::retire() noexcept {
  try {
    const std::shared_ptr<const Flight> last = last_flight();
    if (last != nullptr && last->process == this_process()) landed();
  } catch (...) {
    return false;
  }
  return !in_use_.exchange(true, std::memory_order_acquire);
}

}  // namespace coracle::internal
