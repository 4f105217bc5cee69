// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pictures/stream.h"

namespace coracle::pictures {

/// Calls `work` for each picture in one of several threads, and `use` for what it returned in this one, in the order of
/// the pictures. While it lives a few pictures more than there are threads are in memory.
template <class Result>
class InOrder {
 public:
  /// The number of the thread, from 0 on, and the picture.
  using Work = std::function<Result(size_t thread, Picture picture)>;

  /// With one thread `work` is called in the caller's.
  InOrder(size_t threads, Work work) : work_(std::move(work)) {
    for (size_t i = 0; threads > 1 && i < threads; ++i) threads_.emplace_back([this, i] { take(i); });
  }
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_all();
    }
    threads_.clear();
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  /// `next` gives a picture, or nothing after the last. What `work` throws comes out of here.
  template <class Next, class Use>
  void run(Next next, Use use) {
    const size_t most = 2 * threads_.size();
    std::deque<std::shared_ptr<Job>> jobs;
    const auto use_first = [&] {
      const std::shared_ptr<Job> job = std::move(jobs.front());
      jobs.pop_front();
      use(result_of(*job));
    };
    for (std::optional<Picture> picture = next(); picture; picture = next()) {
      if (threads_.empty()) {
        use(work_(0, std::move(*picture)));
        continue;
      }
      auto job = std::make_shared<Job>();
      job->picture = std::move(*picture);
      jobs.push_back(job);
      {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
        changed_.notify_all();
      }
      if (jobs.size() >= most) use_first();
    }
    while (!jobs.empty()) use_first();
  }

 private:
  struct Job {
    Picture picture;
    std::optional<Result> result;
    std::exception_ptr error;
  };

  Result result_of(Job& job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return job.result || job.error != nullptr; });
    if (job.error != nullptr) std::rethrow_exception(job.error);
    return std::move(*job.result);
  }

  void take(size_t thread) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      const std::shared_ptr<Job> job = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::optional<Result> result;
      std::exception_ptr error;
      try {
        result.emplace(work_(thread, std::move(job->picture)));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      job->result = std::move(result);
      job->error = error;
      changed_.notify_all();
    }
  }

  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> waiting_;
  bool ends_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace coracle::pictures
