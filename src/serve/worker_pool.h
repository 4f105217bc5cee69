// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace coracle::serve {

/// Threads that do work which may take long and may wait for models, and a bounded queue before them. For any number of
/// threads.
class WorkerPool {
 public:
  WorkerPool(int threads, size_t max_waiting);
  /// What waits is still done.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Takes all of it or none: throws Failure (kResourceExhausted) where more would wait than may. Work must not throw.
  void submit(std::vector<std::function<void()>> work);

 private:
  void run();

  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace coracle::serve
