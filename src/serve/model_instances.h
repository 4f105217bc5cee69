// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/request_queue.h"

namespace coracle::serve {

/// Runs the requests to one version of a model: a queue, and sessions that take from it, each in a thread of its own.
/// The sessions share weights, plans and the threads of a pool. For any number of threads.
///
/// Requests that wait are joined to batches where the queue's options allow it. Rows of a batch get the bits that they
/// get alone: the first batch of each shape is run a second time, request by request, and compared; a model whose
/// answers differ, or whose outputs are not one row for each row of its inputs, is never batched from then on.
class ModelInstances {
 public:
  struct Options {
    int instances = 1;
    BatchOptions batching;
    coracle::SessionOptions session;
    std::function<void(const std::string& why)>
        batching_refused;  ///< called when batches are found not to keep answers
  };
  /// Called once for each run of the model, before its requests are answered: how many rows it had.
  using Executed = std::function<void(int64_t rows)>;

  /// `model` outlives it. Throws coracle::Exception.
  ModelInstances(const coracle::Model& model, const Options& options, Executed executed);
  /// Runs what waits, then ends.
  ~ModelInstances();
  ModelInstances(const ModelInstances&) = delete;
  ModelInstances& operator=(const ModelInstances&) = delete;

  /// The request is answered once, later, by another thread. Throws Failure where it is not taken.
  void submit(InferencePtr request);
  /// Runs each instance so often with these inputs. Throws coracle::Exception.
  void warm_up(const std::vector<Tensor>& inputs, int count);
  /// Requests that wait.
  size_t waiting() const { return queue_.size(); }

 private:
  struct Instance {
    coracle::Session session;
    std::atomic<bool> used{false};  ///< by whoever has a Use of it
    std::thread thread;
    explicit Instance(coracle::Session s) : session(std::move(s)) {}
  };
  /// The right to use an instance's session, which it waits for.
  class Use {
   public:
    explicit Use(Instance& instance) : used_(instance.used) {
      while (used_.exchange(true, std::memory_order_acquire)) used_.wait(true, std::memory_order_relaxed);
    }
    ~Use() {
      used_.store(false, std::memory_order_release);
      used_.notify_one();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& used_;
  };
  /// Answers leave in the order in which requests came.
  struct Order {
    std::mutex mutex;
    uint64_t given = 0;
    uint64_t answered = 0;
    std::map<uint64_t, std::function<void()>> done;
  };

  void work(Instance& instance);
  void run_alone(coracle::Session& session, Inference& request);
  /// False where the requests are to be run alone.
  bool run_together(coracle::Session& session, const std::vector<InferencePtr>& requests);
  bool is_proven(const std::string& shape) const;
  void refuse_batching(const std::string& why);
  void end() noexcept;
  std::vector<Tensor> outputs_of(coracle::Session& session) const;

  const size_t outputs_;
  const bool ordered_;
  const Executed executed_;
  const std::function<void(const std::string& why)> batching_refused_;
  RequestQueue queue_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Order order_;
  mutable std::mutex proof_mutex_;
  std::set<std::string> proven_;  // shapes whose batches have had the bits of single requests
};

}  // namespace coracle::serve
