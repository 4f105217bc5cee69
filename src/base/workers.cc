// SPDX-License-Identifier: Apache-2.0
#include "base/workers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>

#include "base/counted.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/log.h"
#include "base/process.h"
#include "base/system/held_signals.h"
#include "base/system/threads.h"

namespace coracle::internal {
namespace {

/// Polls before a waiting thread sleeps: some tens of microseconds.
constexpr int kSpins = 4000;
/// The same while processors are short.
constexpr int kCrowdedSpins = 100;

/// Polls before parts are taken from a thread that has begun others of its share.
constexpr int kPatience = 1000;

constexpr int64_t kMicrosecond = 1000;
/// How often the affinity is looked at.
constexpr int64_t kCpusFor = 100'000 * kMicrosecond;
/// Waiting for a processor for less is not worth a rest.
constexpr int64_t kLeastLost = 100 * kMicrosecond;
/// A rest is so many times what was lost, and up to kLongerRests times doubled if the helper is late again soon.
constexpr int64_t kRest = 16;
constexpr int kLongerRests = 2;
/// At most so much is taken as lost at once: more is not about a processor (a debugger, a suspended machine).
constexpr int64_t kMostLost = 10'000 * kMicrosecond;

// What a helper does. A share's address (the helper is offered it) has these bits clear.
constexpr uintptr_t kIdle = 0;
constexpr uintptr_t kAsleep = 1;
constexpr uintptr_t kStop = 2;
constexpr uintptr_t kTaken = 4;    // with a share: works on it
constexpr uintptr_t kAwaited = 8;  // and the caller sleeps until it is done

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct alignas(64) Worker {
  std::atomic<uintptr_t> task{kIdle};
  std::atomic<int64_t> rests_until{0};
  std::atomic<int64_t> last_rest{0};
  std::mutex mutex;
  std::condition_variable changed;  // the task, for the helper that sleeps and the caller that waits for it
  std::thread thread;

  /// Time on a processor so far, where the system tells; else the time that passed.
  int64_t busy() {
    const std::optional<int64_t> time = processor_time(thread.native_handle());
    return time ? *time : now();
  }
};

Loop::Loop(int threads) : shares_(static_cast<size_t>(std::max(threads, 1))) {
  for (size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].loop = this;
    shares_[i].thread = static_cast<int>(i);
  }
}

void Loop::set(int64_t n, int64_t parts, int threads, Call call, const void* self) noexcept {
  n_ = n;
  parts_ = parts;
  threads_ = threads;
  call_ = call;
  self_ = self;
  for (int i = 0; i < threads; ++i) {
    Share& share = shares_[static_cast<size_t>(i)];
    share.begin = parts * i / threads;
    share.next.store(share.begin, std::memory_order_relaxed);
    share.end = parts * (i + 1) / threads;
    share.worker = nullptr;
  }
}

void Loop::work(int thread) noexcept {
  const int64_t size = n_ / parts_;
  const int64_t longer = n_ % parts_;  // so many parts have one more
  for (int i = 0; i < threads_; ++i) {
    Share& share = shares_[static_cast<size_t>((thread + i) % threads_)];
    // Who has begun goes on, and then finds in its cache what it wrote, unless it lost its processor.
    const auto goes_on = [&] {
      const int64_t next = share.next.load(std::memory_order_relaxed);
      return next != share.begin && next < share.end;
    };
    for (int spin = 0; i != 0 && spin < kPatience && goes_on(); ++spin) relax();
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const int64_t part = share.next.fetch_add(1, std::memory_order_relaxed);
      if (part >= share.end) break;
      const int64_t begin = part * size + std::min(part, longer);
      call_(self_, begin, begin + size + (part < longer ? 1 : 0));
    }
  }
}

Workers::Crew::Crew(int helpers) : process(this_process()) { workers.reserve(static_cast<size_t>(helpers)); }

Workers::Workers(int threads, std::vector<int> cpus, std::string root)
    : threads_(std::max(threads, 1)),
      allowed_(std::move(cpus)),
      root_(std::move(root)),
      crew_(new Crew(threads_ - 1)),
      cpus_(std::numeric_limits<int>::max()) {}

std::shared_ptr<Workers> Workers::imagined(int threads) {
  auto workers = std::make_shared<Workers>(threads);
  workers->imagined_ = true;
  return workers;
}

Workers::~Workers() {
  std::unique_ptr<Crew> last(crew_.load());
  if (!last->workers.empty() && last->process != this_process()) {
    static_cast<void>(last.release());  // to join or to destroy what its threads use would wait for ever
    return;
  }
  for (const std::unique_ptr<Worker>& worker : last->workers) end(*worker);
}

Workers::Crew& Workers::crew_of_this_process() {
  Crew* now = crew_.load(std::memory_order_acquire);
  if (now->process == this_process()) return *now;
  auto own = std::make_unique<Crew>(threads_ - 1);
  // Of several threads that come here at once, one wins.
  if (crew_.compare_exchange_strong(now, own.get(), std::memory_order_acq_rel)) now = own.release();
  return *now;
}

void Workers::end(Worker& worker) noexcept {
  {
    const std::lock_guard lock(worker.mutex);
    worker.task.store(kStop, std::memory_order_release);
  }
  worker.changed.notify_all();
  worker.thread.join();
}

/// Throws Error where the system lets no thread of this process run there.
void Workers::bind(Worker& worker) const {
  if (!allowed_.empty()) bind_thread(worker.thread.native_handle(), allowed_);
}

void Workers::start(int count) {
  count = std::min(count, threads_ - 1);
  if (count <= 0 || imagined_) return;
  Crew& crew = crew_of_this_process();
  if (crew.started.load(std::memory_order_acquire) >= count) return;
  const std::lock_guard lock(crew.starting);
  try {
    while (static_cast<int>(crew.workers.size()) < count) {
      auto worker = std::make_unique<Worker>();
      Worker& w = *worker;
      const HeldSignals held;  // helpers keep them so: signals reach threads that know what to do
      w.thread = std::thread([this, &w] { serve(w); });
      crew.workers.push_back(std::move(worker));
      try {
        bind(w);
      } catch (...) {
        end(w);
        crew.workers.pop_back();
        throw;
      }
      crew.started.store(static_cast<int>(crew.workers.size()), std::memory_order_release);
    }
  } catch (const std::system_error& e) {
    fail(ErrorCode::kOutOfMemory, "cannot start ", counted(count, "thread"), ": ", e.what());
  }
}

void Workers::enter(int threads) {
  Crew& crew = threads_ > 1 ? crew_of_this_process() : this->crew();
  if (threads > 1) {
    const int64_t time = now();
    if (time >= cpus_until_.load(std::memory_order_relaxed)) {
      cpus_until_.store(time + kCpusFor, std::memory_order_relaxed);
      const std::vector<int> here = allowed_.empty() ? affinity() : std::vector<int>();
      // The caller may run on another processor than those named.
      cpus_.store(allowed_.empty() ? allowed_cpus(here) : static_cast<int>(allowed_.size()) + 1,
                  std::memory_order_relaxed);
      uneven_.store(speeds_differ(allowed_.empty() ? here : allowed_, root_), std::memory_order_relaxed);
    }
    start(std::min(threads, cpus_.load(std::memory_order_relaxed)) - 1);
  }
  crew.callers.fetch_add(1, std::memory_order_relaxed);
}

int Workers::limit(const Crew& crew) const noexcept {
  const int all = std::min(threads_, cpus_.load(std::memory_order_relaxed));
  return std::min(all - std::max(crew.callers.load(std::memory_order_relaxed), 1),
                  crew.started.load(std::memory_order_acquire));
}

int Workers::available(int wanted) noexcept {
  if (imagined_) return wanted;
  const Crew& crew = this->crew();
  const int most = limit(crew);
  if (!crowded_.load(std::memory_order_relaxed)) return std::clamp(most, 0, wanted);
  const int64_t time = now();
  int ready = 0;
  bool crowded = false;
  for (int i = 0; i < crew.started.load(std::memory_order_acquire); ++i) {
    const Worker& worker = *crew.workers[static_cast<size_t>(i)];
    const int64_t until = worker.rests_until.load(std::memory_order_relaxed);
    const bool rests = until > time;
    crowded = crowded || until + worker.last_rest.load(std::memory_order_relaxed) > time;
    ready += rests ? 0 : 1;
  }
  if (!crowded) crowded_.store(false, std::memory_order_relaxed);
  return std::clamp(std::min(ready, most), 0, wanted);
}

bool Workers::offer(Worker& worker, Loop::Share& share) noexcept {
  const auto task = reinterpret_cast<uintptr_t>(&share);
  uintptr_t expected = kIdle;
  if (worker.task.compare_exchange_strong(expected, task, std::memory_order_acq_rel)) return true;
  if (expected != kAsleep || !worker.task.compare_exchange_strong(expected, task, std::memory_order_acq_rel)) {
    return false;
  }
  { const std::lock_guard lock(worker.mutex); }
  worker.changed.notify_all();
  return true;
}

int64_t Workers::run(Loop& loop) noexcept {
  const bool crowded = crowded_.load(std::memory_order_relaxed);
  const int64_t time = crowded ? now() : 0;
  const Crew& crew = this->crew();
  const int started = crew.started.load(std::memory_order_acquire);
  int next = 1;
  for (int i = 0; i < started && next < loop.threads_; ++i) {
    Worker& worker = *crew.workers[static_cast<size_t>(i)];
    if (crowded && worker.rests_until.load(std::memory_order_relaxed) > time) continue;
    Loop::Share& share = loop.shares_[static_cast<size_t>(next)];
    if (!offer(worker, share)) continue;
    share.worker = &worker;
    ++next;
  }
  loop.work(0);
  int64_t slept = 0;
  for (int i = 1; i < next; ++i) {
    const Loop::Share& share = loop.shares_[static_cast<size_t>(i)];
    uintptr_t offered = reinterpret_cast<uintptr_t>(&share);
    if (!share.worker->task.compare_exchange_strong(offered, kIdle, std::memory_order_acq_rel)) {
      slept += await(*share.worker, share);
    }
  }
  return slept;
}

/// Waits until the helper has done its parts; returns how long the caller slept.
int64_t Workers::await(Worker& worker, const Loop::Share& share) noexcept {
  const uintptr_t taken = reinterpret_cast<uintptr_t>(&share) | kTaken;
  const auto done = [&] { return worker.task.load(std::memory_order_acquire) != taken; };
  const int spins = crowded_.load(std::memory_order_relaxed) ? kCrowdedSpins : kSpins;
  for (int spin = 0; spin < spins; ++spin) {
    if (done()) return 0;
    relax();
  }
  // It may have a long part, or no processor: the time it is on one tells. Without one, sleeping makes room.
  const int64_t start = now();
  const int64_t busy = worker.busy();
  int64_t slept = 0;
  while (!done()) {
    const int64_t passed = now() - start;
    if (passed > kLeastLost / 2 && worker.busy() - busy < passed / 2) {
      const int64_t asleep = now();
      std::unique_lock lock(worker.mutex);
      uintptr_t running = taken;
      if (worker.task.compare_exchange_strong(running, taken | kAwaited, std::memory_order_acq_rel)) {
        worker.changed.wait(lock, [&] { return worker.task.load(std::memory_order_acquire) != (taken | kAwaited); });
      }
      slept = now() - asleep;
      break;
    }
    for (int spin = 0; spin < kSpins / 10 && !done(); ++spin) relax();
    if (!done()) std::this_thread::yield();
  }
  const int64_t lost = now() - start - (worker.busy() - busy);
  if (lost >= kLeastLost) rest(worker, lost);
  return slept;
}

void Workers::rest(Worker& worker, int64_t lost) noexcept {
  const int64_t time = now();
  const int64_t last = worker.last_rest.load(std::memory_order_relaxed);
  const bool again = time < worker.rests_until.load(std::memory_order_relaxed) + 2 * last;
  int64_t duration = std::min(lost, kMostLost) * kRest;
  if (again) duration = std::clamp(2 * last, duration, duration << kLongerRests);
  worker.last_rest.store(duration, std::memory_order_relaxed);
  worker.rests_until.store(time + duration, std::memory_order_relaxed);
  if (!crowded_.exchange(true, std::memory_order_relaxed)) {
    log(LogLevel::kDebug, "too few processors: a thread waited ", lost / kMicrosecond,
        " us to be scheduled, a worker pauses for ", duration / kMicrosecond, " us");
  }
}

void Workers::make_room(int64_t lost) noexcept {
  if (lost < kLeastLost) return;
  const int64_t time = now();
  const Crew& crew = this->crew();
  for (int i = crew.started.load(std::memory_order_acquire); i-- > 0;) {
    Worker& worker = *crew.workers[static_cast<size_t>(i)];
    if (worker.rests_until.load(std::memory_order_relaxed) > time) continue;
    rest(worker, lost);
    return;
  }
}

void Workers::serve(Worker& worker) const noexcept {
  while (true) {
    uintptr_t task = worker.task.load(std::memory_order_acquire);
    const int spins = crowded_.load(std::memory_order_relaxed) ? kCrowdedSpins : kSpins;
    for (int spin = 0; task == kIdle && spin < spins; ++spin) {
      relax();
      task = worker.task.load(std::memory_order_acquire);
    }
    if (task == kIdle) {
      std::unique_lock lock(worker.mutex);
      if (worker.task.compare_exchange_strong(task, kAsleep, std::memory_order_acq_rel)) {
        worker.changed.wait(lock, [&] { return worker.task.load(std::memory_order_acquire) != kAsleep; });
      }
      continue;
    }
    if (task == kStop) return;
    uintptr_t running = task | kTaken;
    if (!worker.task.compare_exchange_strong(task, running, std::memory_order_acq_rel)) continue;
    const auto& share = *reinterpret_cast<const Loop::Share*>(task);
    share.loop->work(share.thread);
    // The caller may go on, and the loop be gone, from here on.
    if (worker.task.compare_exchange_strong(running, kIdle, std::memory_order_acq_rel)) continue;
    {
      const std::lock_guard lock(worker.mutex);
      worker.task.store(kIdle, std::memory_order_release);
    }
    worker.changed.notify_all();
  }
}

}  // namespace coracle::internal
