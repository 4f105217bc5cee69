// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace coracle {

/// A fixed number of threads that share the iterations of a loop. The caller is one of them; the others start with the
/// first loop that needs them. Between two loops of a run they spin for a bounded time, then sleep.
/// One caller at a time. Nothing here throws after construction except the start of threads.
class ThreadPool {
 public:
  /// `threads` in all, the caller included; at least 1.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Starts the threads if there are none yet. Throws Error when the system refuses.
  void start();

  /// Calls f(begin, end) for parts that cover [0, n), each at least `grain` long where possible, on all threads, and
  /// returns when all are done. Parts are contiguous; which thread takes which depends on n, grain and threads() only.
  template <class F>
  void parallel_for(int64_t n, int64_t grain, const F& f) noexcept {
    const Call call = [](const void* self, int64_t begin, int64_t end) { (*static_cast<const F*>(self))(begin, end); };
    run(n, grain, call, &f);
  }

 private:
  using Call = void (*)(const void* self, int64_t begin, int64_t end);

  void run(int64_t n, int64_t grain, Call call, const void* self) noexcept;
  void work(int part) const noexcept;
  void serve(int worker) noexcept;

  const int threads_;
  std::vector<std::thread> workers_;

  // The loop in progress; written by the caller before `round_` is advanced.
  int64_t n_ = 0;
  int parts_ = 0;
  Call call_ = nullptr;
  const void* self_ = nullptr;

  alignas(64) std::atomic<uint32_t> round_{0};
  alignas(64) std::atomic<int> pending_{0};
  std::atomic<int> asleep_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace coracle
