// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/inference.h"
#include "serve/memory_budget.h"

namespace coracle::serve {

/// A session of a model, with its part of the server's memory.
class ModelSession {
 public:
  /// The right to run the session, which it waits for.
  class Use {
   public:
    explicit Use(ModelSession& session) : used_(session.used_) {
      while (used_.exchange(true, std::memory_order_acquire)) used_.wait(true, std::memory_order_relaxed);
    }
    ~Use() { release(used_); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& used_;
  };

  ModelSession(coracle::Session session, size_t outputs, MemoryBudget memory);

  /// Runs it, which whoever has a Use may do. `inputs` stay until the next run. Throws coracle::Exception and Failure.
  void run(const std::vector<Tensor>& inputs, const std::atomic<uint32_t>* cancelled,
           std::optional<Clock::time_point> deadline, Timeline& times);
  /// Copies of the results of the last run. Throws Failure.
  std::vector<Tensor> outputs() const;

  /// Gives back what the next run can make again, where nobody has run it since then or runs it now. For any thread.
  void trim(Clock::time_point unused_since);
  /// What it held when its last run or trim had ended, plans excepted, which are the model's. For any thread.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static void release(std::atomic<bool>& used) {
    used.store(false, std::memory_order_release);
    used.notify_one();
  }
  void run_within_budget(coracle::RunOptions options);

  coracle::Session session_;
  const size_t outputs_;
  const MemoryBudget memory_;
  std::atomic<bool> used_{false};
  std::atomic<size_t> bytes_{0};
  Clock::time_point last_use_;  // of whoever has a Use, as the next one
  bool trimmed_ = true;
};

}  // namespace coracle::serve
