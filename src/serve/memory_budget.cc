// SPDX-License-Identifier: Apache-2.0
#include "serve/memory_budget.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "coracle/coracle.hpp"
#include "serve/failure.h"

namespace coracle::serve {

struct MemoryBudget::State {
  State(size_t most, std::function<size_t()> library) : limit(most), held_by_library(std::move(library)) {}

  const size_t limit;
  const std::function<size_t()> held_by_library;
  std::mutex mutex;
  std::condition_variable changed;
  size_t reserved = 0;  // bodies, tensors, and what runs may take beyond what their sessions hold
  size_t runs = 0;
  std::mutex trim_mutex;
  std::list<std::function<void()>> trims;

  size_t used() const { return reserved + held_by_library(); }
  size_t left() const { return limit - std::min(limit, used()); }

  void trim() {
    const std::lock_guard lock(trim_mutex);
    for (const std::function<void()>& each : trims) each();
  }

  void give_back(size_t bytes, size_t ended_runs) {
    const std::lock_guard lock(mutex);
    reserved -= bytes;
    runs -= ended_runs;
    changed.notify_all();
  }

  static std::string mib(size_t bytes) { return std::to_string((bytes + (size_t{1} << 20) - 1) >> 20) + " MiB"; }

  [[noreturn]] void refuse(size_t bytes, std::string_view what) const {
    throw Failure(Code::kUnavailable, "there is not the memory now for " + std::string(what) + ", " + mib(bytes) +
                                          ": " + mib(used()) + " of the server's " + mib(limit) +
                                          " are in use (--memory-limit-mib)");
  }
};

namespace {

/// Calls `give_back` when its last copy is gone.
template <class F>
MemoryBudget::Share share_of(F give_back) {
  static const char kSomething = 0;
  return {&kSomething, [give_back = std::move(give_back)](const void*) { give_back(); }};
}

}  // namespace

MemoryBudget::MemoryBudget(size_t limit) : MemoryBudget(limit, coracle::memory_total) {}

MemoryBudget::MemoryBudget(size_t limit, std::function<size_t()> held_by_library)
    : state_(limit == 0 ? nullptr : std::make_shared<State>(limit, std::move(held_by_library))) {}

MemoryBudget::Share MemoryBudget::reserve(size_t bytes, std::string_view what) const {
  if (state_ == nullptr || bytes == 0) return nullptr;
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  if (bytes > s.left()) {
    lock.unlock();
    s.trim();
    lock.lock();
    if (bytes > s.left()) s.refuse(bytes, what);
  }
  s.reserved += bytes;
  lock.unlock();
  return share_of([state = state_, bytes] { state->give_back(bytes, 0); });
}

void MemoryBudget::require_possible(size_t bytes, std::string_view what) const {
  if (state_ == nullptr || bytes <= state_->limit) return;
  throw Failure(Code::kTooLarge, std::string(what) + " is too large: it takes " + State::mib(bytes) +
                                     ", the server has " + State::mib(state_->limit) + " (--memory-limit-mib)");
}

void MemoryBudget::require_kept(size_t bytes, std::string_view what) const {
  if (state_ == nullptr || used() <= state_->limit) return;
  state_->trim();
  const std::lock_guard lock(state_->mutex);
  if (state_->used() > state_->limit) state_->refuse(bytes, what);
}

MemoryBudget::Run MemoryBudget::reserve_run(size_t least, size_t wished, size_t held) const {
  if (state_ == nullptr) return {};
  State& s = *state_;
  const size_t more = least - std::min(least, held);
  std::unique_lock lock(s.mutex);
  for (bool trimmed = false; more > s.left();) {
    if (!trimmed) {
      lock.unlock();
      s.trim();
      lock.lock();
      trimmed = true;
    } else if (s.runs == 0) {
      s.refuse(least, "a run of the model");
    } else {
      // Bodies and answers that are given back may suffice too, and sessions that have become idle.
      s.changed.wait_for(lock, std::chrono::milliseconds(20));
      trimmed = false;
    }
  }
  const size_t left = s.left();
  const size_t given = wished == SIZE_MAX ? held + left : std::max(least, std::min(wished, held + left / 2));
  const size_t granted = std::max<size_t>(1, given);
  const size_t extra = granted - std::min(granted, held);
  s.reserved += extra;
  ++s.runs;
  lock.unlock();
  return {.bytes = granted, .share = share_of([state = state_, extra] { state->give_back(extra, 1); })};
}

MemoryBudget::Share MemoryBudget::when_short(std::function<void()> trim) const {
  if (state_ == nullptr) return nullptr;
  const std::lock_guard lock(state_->trim_mutex);
  const auto added = state_->trims.insert(state_->trims.end(), std::move(trim));
  return share_of([state = state_, added] {
    const std::lock_guard taken(state->trim_mutex);
    state->trims.erase(added);
  });
}

size_t MemoryBudget::used() const {
  if (state_ == nullptr) return 0;
  const std::lock_guard lock(state_->mutex);
  return state_->used();
}

}  // namespace coracle::serve
