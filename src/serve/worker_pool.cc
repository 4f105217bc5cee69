// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_pool.h"

#include <string>
#include <utility>

#include "serve/failure.h"

namespace coracle::serve {

WorkerPool::WorkerPool(int threads, size_t max_waiting) : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(std::vector<std::function<void()>> work) {
  const std::lock_guard lock(mutex_);
  if (work.size() > max_waiting_ - waiting_.size()) {
    throw Failure(Code::kResourceExhausted, "the queue of pictures is full: " + std::to_string(waiting_.size()) +
                                                " wait, its bound is " + std::to_string(max_waiting_));
  }
  for (std::function<void()>& each : work) {
    waiting_.push_back(std::move(each));
    changed_.notify_one();
  }
}

void WorkerPool::run() {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace coracle::serve
