// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace coracle::internal {

struct Worker;

/// The parts of a loop in progress. Each thread has a share of them, parts next to each other, and takes those of
/// others when its own are all begun. Used for one loop after the other.
class Loop {
 public:
  using Call = void (*)(const void* self, int64_t begin, int64_t end);

  /// For at most so many threads.
  explicit Loop(int threads);

  /// Before any thread works on it: [0, n) in `parts` parts, for `threads` threads.
  void set(int64_t n, int64_t parts, int threads, Call call, const void* self) noexcept;
  /// Runs parts, those of that thread's share first, until all are begun. Thread 0 is the caller.
  void work(int thread) noexcept;

 private:
  friend class Workers;

  struct alignas(64) Share {
    std::atomic<int64_t> next{0};  // part to take
    int64_t begin = 0;             // the share's first
    int64_t end = 0;
    Loop* loop = nullptr;
    int thread = 0;
    Worker* worker = nullptr;  // whom it was offered to
  };

  int64_t n_ = 0;
  int64_t parts_ = 0;
  int threads_ = 0;
  Call call_ = nullptr;
  const void* self_ = nullptr;
  std::vector<Share> shares_;
};

/// Helper threads, for loops of any number of callers at once. A loop is offered to helpers that have nothing to do;
/// who has not begun when the caller finds no part left is not waited for. Helpers spin for a bounded time after a
/// loop, then sleep. A helper that was seen waiting for a processor while a caller waited for it gets a rest, so that
/// what it costs stays a small part of the time; while one rests nobody spins.
class Workers {
 public:
  /// For `threads` threads in all: helpers and callers in runs together are no more, as long as there are fewer
  /// callers.
  /// Helpers run on the processors `cpus` (cpu_numbers()); none: where the thread that starts them may. `root` is what
  /// the paths of /sys begin with.
  explicit Workers(int threads, std::vector<int> cpus = {}, std::string root = "");
  /// So many threads that are not there: loops are cut for them, and the caller runs all parts. For programs that ask
  /// how well loops are cut for more processors than the machine has.
  static std::shared_ptr<Workers> imagined(int threads);
  /// Ends the helpers of this process. Those of a process that this one was forked from do not exist here: their memory
  /// is left.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }
  bool is_imagined() const { return imagined_; }

  /// Starts helpers until there are `count`, in a forked process helpers of its own. Throws Error when the system
  /// refuses.
  void start(int count);

  /// A run begins: starts as many helpers as there are processors for, at most `threads` - 1. Throws as start().
  void enter(int threads);
  void leave() noexcept { vacate(1); }

  /// So many more callers, which start no helper: threads that are busy with something else than loops.
  void occupy(int threads) noexcept { crew().callers.fetch_add(threads, std::memory_order_relaxed); }
  void vacate(int threads) noexcept { crew().callers.fetch_sub(threads, std::memory_order_relaxed); }

  /// Whether processors were short a moment ago: a helper rests, or did until half of that time ago.
  bool crowded() const noexcept { return crowded_.load(std::memory_order_relaxed); }
  /// Whether some processors that helpers may run on are clearly slower than others, as the last run found.
  bool uneven() const noexcept { return uneven_.load(std::memory_order_relaxed); }
  /// How many helpers a loop may have now, at most `wanted`.
  int available(int wanted) noexcept;
  /// Runs a loop that was set: the caller is its thread 0, helpers are the others. Returns for how long the caller
  /// slept.
  int64_t run(Loop& loop) noexcept;

  /// The caller waited `lost` ns for a processor while helpers had one: one helper rests.
  void make_room(int64_t lost) noexcept;

 private:
  /// The helpers of one process, and who uses them. Threads do not survive a fork, and what they held stays locked in
  /// the child: it never touches its parent's crew, but makes its own with its first run.
  struct Crew {
    explicit Crew(int helpers);

    const int64_t process;
    std::mutex starting;
    std::vector<std::unique_ptr<Worker>> workers;  // has room for all
    std::atomic<int> started{0};
    std::atomic<int> callers{0};
  };

  Crew& crew() const noexcept { return *crew_.load(std::memory_order_acquire); }
  Crew& crew_of_this_process();
  void bind(Worker& worker) const;
  static void end(Worker& worker) noexcept;
  static bool offer(Worker& worker, Loop::Share& share) noexcept;
  int64_t await(Worker& worker, const Loop::Share& share) noexcept;
  void serve(Worker& worker) const noexcept;
  void rest(Worker& worker, int64_t lost) noexcept;
  int limit(const Crew& crew) const noexcept;

  const int threads_;
  bool imagined_ = false;
  const std::vector<int> allowed_;  // processors of the helpers; empty: any
  const std::string root_;
  std::atomic<Crew*> crew_;
  std::atomic<int> cpus_;               // processors for callers and helpers
  std::atomic<int64_t> cpus_until_{0};  // when to look again
  std::atomic<bool> crowded_{false};    // see crowded(); ends when a loop finds that it has
  std::atomic<bool> uneven_{false};
};

}  // namespace coracle::internal
