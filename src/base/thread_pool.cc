// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/deadline.h"
#include "base/error.h"

namespace coracle {
namespace {

/// Polls before a waiting thread sleeps: some tens of microseconds.
constexpr int kSpins = 4000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// A loop's body under a deadline: it is called for small pieces of its part, and no more once the deadline has passed.
struct InPieces {
  void (*call)(const void* self, int64_t begin, int64_t end);
  const void* self;
  int64_t grain;
  const Deadline* deadline;

  static void run(const void* self, int64_t begin, int64_t end) {
    const auto& loop = *static_cast<const InPieces*>(self);
    constexpr int64_t kFirstPieces = 64;
    constexpr auto kShort = std::chrono::milliseconds(2);
    constexpr auto kLong = std::chrono::milliseconds(10);
    const int64_t grain = std::max<int64_t>(loop.grain, 1);
    int64_t size = std::max(grain, (end - begin) / kFirstPieces);
    while (begin < end && !loop.deadline->passed()) {
      const int64_t stop = end - begin < size + grain ? end : begin + size;
      const auto start = Deadline::Clock::now();
      loop.call(loop.self, begin, stop);
      const auto taken = Deadline::Clock::now() - start;
      if (taken < kShort) size *= 2;
      if (taken > kLong) size = std::max(grain, size / 2);
      begin = stop;
    }
  }
};

}  // namespace

ThreadPool::ThreadPool(int threads) : threads_(std::max(threads, 1)) {}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_seq_cst);
  {
    const std::lock_guard lock(mutex_);
    round_.fetch_add(1, std::memory_order_seq_cst);
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::start() {
  try {
    while (static_cast<int>(workers_.size()) + 1 < threads_) {
      const int worker = static_cast<int>(workers_.size()) + 1;
      workers_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error& e) {
    fail(ErrorCode::kOutOfMemory, "cannot start ", threads_, " threads: ", e.what());
  }
}

void ThreadPool::run(int64_t n, int64_t grain, Call call, const void* self) noexcept {
  if (n <= 0) return;
  const InPieces pieces{call, self, grain, Deadline::current()};
  if (pieces.deadline != nullptr) {
    call = InPieces::run;
    self = &pieces;
  }
  const int64_t most = std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1);
  const int available = static_cast<int>(workers_.size()) + 1;
  const int parts = static_cast<int>(std::min<int64_t>(most, available));
  if (parts == 1) {
    call(self, 0, n);
    return;
  }
  n_ = n;
  parts_ = parts;
  call_ = call;
  self_ = self;
  pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) != 0) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  work(0);
  for (int spin = 0; pending_.load(std::memory_order_acquire) != 0; ++spin) {
    if (spin < kSpins) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::work(int part) const noexcept {
  if (part >= parts_) return;
  const int64_t begin = n_ * part / parts_;
  const int64_t end = n_ * (part + 1) / parts_;
  if (begin < end) call_(self_, begin, end);
}

void ThreadPool::serve(int worker) noexcept {
  uint32_t seen = 0;
  while (true) {
    uint32_t now = round_.load(std::memory_order_acquire);
    for (int spin = 0; now == seen && spin < kSpins; ++spin) {
      relax();
      now = round_.load(std::memory_order_acquire);
    }
    if (now == seen) {
      std::unique_lock lock(mutex_);
      asleep_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(lock, [&] { return round_.load(std::memory_order_seq_cst) != seen; });
      asleep_.fetch_sub(1, std::memory_order_seq_cst);
      now = round_.load(std::memory_order_seq_cst);
    }
    if (stop_.load(std::memory_order_seq_cst)) return;
    seen = now;
    work(worker);
    pending_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace coracle
