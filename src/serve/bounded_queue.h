// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace coracle::serve {

/// Hands things to a thread that may be slow, without ever waiting for it. For any number of threads.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t most) : most_(most) {}

  /// False where the queue is full or closed, and the thing is lost.
  bool push(T thing) {
    const std::lock_guard lock(mutex_);
    if (closed_ || things_.size() >= most_) return false;
    things_.push_back(std::move(thing));
    changed_.notify_all();
    return true;
  }
  /// At most `most` of what is there, after a wait of `idle` for the first and of `gather` for more. Empty where
  /// nothing came, or the queue was closed and is empty.
  std::vector<T> pop(size_t most, std::chrono::milliseconds idle, std::chrono::milliseconds gather) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, idle, [&] { return closed_ || !things_.empty(); });
    if (!things_.empty()) changed_.wait_for(lock, gather, [&] { return closed_ || things_.size() >= most; });
    std::vector<T> taken;
    for (; !things_.empty() && taken.size() < most; things_.pop_front()) taken.push_back(std::move(things_.front()));
    return taken;
  }
  /// Nothing is taken any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Waits so long; true where the queue was closed before.
  bool closed_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return closed_; });
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> things_;
  bool closed_ = false;
};

}  // namespace coracle::serve
