// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/system/threads.h"
#include "base/workers.h"

namespace coracle::internal {
namespace {

/// Parts for each thread: each costs something, and what a late thread leaves to others is finer with more of them.
constexpr int64_t kPartsEach = 1;
/// While processors are short, or some are slow: others take what a thread has not begun of its share.
constexpr int64_t kPartsEachUneven = 4;

/// Where the time of the calling thread went, in ns.
struct Times {
  int64_t passed = 0;
  int64_t busy = 0;         // on a processor
  int64_t interrupted = 0;  // how often the system took the processor away
};

int64_t steady_ns() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

Times times() {
  Times t;
  t.passed = steady_ns();
  t.busy = t.passed;
  if (const std::optional<OwnTime> own = own_processor_time()) {
    t.busy = own->busy;
    t.interrupted = own->interrupted;
  }
  return t;
}

/// Short runs are not measured one by one.
constexpr int64_t kMeasureEvery = 1'000'000;

/// A loop's body under a deadline: it is called for one piece of its part after the other until the deadline has
/// passed. Where pieces are short that costs nothing: a part is then one piece.
struct InPieces {
  void (*call)(const void* self, int64_t begin, int64_t end);
  const void* self;
  int64_t grain;
  const Deadline* deadline;

  static void run(const void* self, int64_t begin, int64_t end) {
    constexpr int64_t kFirstGrains = 16;
    constexpr int64_t kFirstPieces = 64;
    constexpr auto kShort = std::chrono::milliseconds(3);
    constexpr auto kLong = std::chrono::milliseconds(8);
    const auto& loop = *static_cast<const InPieces*>(self);
    const Deadline& deadline = *loop.deadline;
    if (deadline.passed()) return;
    const int64_t grain = std::max<int64_t>(loop.grain, 1);
    int64_t size = std::clamp((end - begin) / kFirstPieces, grain, grain * kFirstGrains);
    if (end - begin <= 2 * grain * kFirstGrains) size = end - begin;
    while (end - begin > 2 * size) {
      const auto start = Deadline::Clock::now();
      loop.call(loop.self, begin, begin + size);
      begin += size;
      if (deadline.passed()) return;
      const auto taken = Deadline::Clock::now() - start;
      if (taken < kShort) size *= 2;
      if (taken > kLong) size = std::max(grain, size / 2);
    }
    loop.call(loop.self, begin, end);
  }
};

/// A loop's body that tells a trace when it ran.
struct Traced {
  void (*call)(const void* self, int64_t begin, int64_t end);
  const void* self;
  LoopTrace* trace;

  static void run(const void* self, int64_t begin, int64_t end) {
    const auto& loop = *static_cast<const Traced*>(self);
    const int64_t start = steady_ns();
    loop.call(loop.self, begin, end);
    loop.trace->add(start, steady_ns());
  }
};

}  // namespace

struct ThreadPool::Caller {
  Times start;
  int64_t next = 0;   // time of the next measured run
  int64_t slept = 0;  // ns in this run
  bool helped = false;
};

ThreadPool::ThreadPool(std::shared_ptr<Workers> workers, int threads)
    : threads_(std::max(workers == nullptr ? threads : std::min(threads, workers->threads()), 1)),
      workers_(workers == nullptr ? std::make_shared<Workers>(threads_) : std::move(workers)),
      loop_(std::make_unique<Loop>(threads_)),
      caller_(std::make_unique<Caller>()) {}

ThreadPool::~ThreadPool() = default;

int64_t ThreadPool::parts_each() const noexcept {
  return workers_->crowded() || workers_->uneven() ? kPartsEachUneven : kPartsEach;
}

void ThreadPool::start() { workers_->start(threads_ - 1); }

ThreadPool::Run::Run(ThreadPool& pool, RunContext context)
    : pool_(pool), context_(std::move(context)), before_(pool.context_) {
  pool.workers_->enter(pool.threads_);
  pool.context_ = &context_;
  if (pool.threads_ == 1) return;
  Caller& caller = *pool.caller_;
  caller.slept = 0;
  caller.helped = false;
  if (steady_ns() < caller.next) return;
  measured_ = true;
  caller.start = times();
  caller.next = caller.start.passed + kMeasureEvery;
}

ThreadPool::Run::~Run() {
  pool_.context_ = before_;
  pool_.workers_->leave();
  const Caller& caller = *pool_.caller_;
  if (!measured_ || !caller.helped) return;
  const Times end = times();
  if (end.interrupted == caller.start.interrupted) return;
  pool_.workers_->make_room(end.passed - caller.start.passed - (end.busy - caller.start.busy) - caller.slept);
}

void ThreadPool::run(int64_t n, int64_t grain, Call call, const void* self) noexcept {
  if (n <= 0) return;
  const InPieces pieces{call, self, grain, context_ == nullptr ? nullptr : context_->deadline()};
  if (pieces.deadline != nullptr) {
    call = InPieces::run;
    self = &pieces;
  }
  const int64_t most = std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1);
  const int wanted = static_cast<int>(std::min<int64_t>(most, threads_)) - 1;
  const int helpers = wanted == 0 ? 0 : workers_->available(wanted);
  if (helpers == 0) {
    call(self, 0, n);
    return;
  }
  const Traced traced{call, self, context_ == nullptr ? nullptr : context_->trace()};
  const int64_t start = traced.trace != nullptr ? steady_ns() : 0;
  if (traced.trace != nullptr) [[unlikely]] {
    call = Traced::run;
    self = &traced;
  }
  const int64_t parts = (helpers + 1) * parts_each();
  loop_->set(n, std::min(most, parts), helpers + 1, call, self);
  caller_->helped = true;
  caller_->slept += workers_->run(*loop_);
  if (traced.trace != nullptr) [[unlikely]]
    traced.trace->end_loop(steady_ns() - start);
}

}  // namespace coracle::internal
