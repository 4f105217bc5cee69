// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/memory_budget.h"
#include "serve/model_session.h"
#include "serve/request_queue.h"
#include "serve/run_history.h"

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
    MemoryBudget memory;
    std::function<void(const std::string& why)>
        batching_refused;  ///< called when batches are found not to keep answers
  };
  /// Called once for each run of the model, before its requests are answered: how many rows it had.
  using Executed = std::function<void(int64_t rows)>;

  /// `model` and `history` outlive it. Throws coracle::Exception.
  ModelInstances(const coracle::Model& model, const Options& options, RunHistory& history, Executed executed);
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
  /// Sessions that nobody has run since then give back the memory that the next run can make again.
  void trim(Clock::time_point unused_since);
  /// Bytes that sessions hold.
  size_t session_bytes() const;

 private:
  struct Instance {
    ModelSession session;
    std::thread thread;
    Instance(coracle::Session s, size_t outputs, const MemoryBudget& memory) : session(std::move(s), outputs, memory) {}
  };
  /// Answers leave in the order in which requests came.
  struct Order {
    std::mutex mutex;
    uint64_t given = 0;
    uint64_t answered = 0;
    bool answering = false;  // by one thread at a time
    std::map<uint64_t, std::function<void()>> done;
  };

  void work(Instance& instance);
  void run_alone(ModelSession& session, Inference& request);
  /// False where the requests are to be run alone.
  bool run_together(ModelSession& session, const std::vector<InferencePtr>& requests);
  void refuse_batching(const std::string& why);
  void end() noexcept;
  static std::optional<Clock::time_point> last_deadline(const std::vector<InferencePtr>& requests);

  const std::vector<coracle::TensorInfo> outputs_;
  const size_t pad_axis_;
  const bool ordered_;
  const Executed executed_;
  const std::function<void(const std::string& why)> batching_refused_;
  const MemoryBudget memory_;
  RunHistory& history_;
  RequestQueue queue_;
  std::vector<std::unique_ptr<Instance>> instances_;
  MemoryBudget::Share when_short_;
  Order order_;
};

}  // namespace coracle::serve
