// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "serve/batch_options.h"
#include "serve/inference.h"

namespace coracle::serve {

/// Requests of one model that wait, and the choice which of them run together next: those whose tensors differ in their
/// rows only. For any number of threads.
class RequestQueue {
 public:
  /// How long a run of so many rows of a shape takes; nothing where that is not known.
  using Prediction = std::function<std::optional<Clock::duration>(const std::string& shape, int64_t rows)>;

  /// How many of the rows that wait are worth to run together, given those of the first request.
  using Worth = std::function<int64_t(const std::string& shape, int64_t first, int64_t waiting)>;

  /// `worth` is asked where the options do not make requests wait for others, and nothing is padded.
  explicit RequestQueue(BatchOptions options, Prediction predict = nullptr, Worth worth = nullptr);

  /// A priority that is none of the model's is its default one. Throws Failure: the queue is full, or closed.
  void push(InferencePtr request, Clock::time_point now = Clock::now());

  /// The next requests to run together, in the order in which they came; waits for them. Requests that were cancelled
  /// or have waited too long are answered here. Empty once the queue was closed and nothing waits.
  std::vector<InferencePtr> pop();
  /// The same without waiting: empty where nothing is to run yet.
  std::vector<InferencePtr> poll(Clock::time_point now);

  /// No further requests are taken; those that wait still run.
  void close();

  size_t size() const;
  /// Rows that may run together from now on: 1 once batching has been found not to keep answers.
  void stop_batching();
  bool batches() const;

 private:
  struct Waiting {
    InferencePtr request;
    int64_t rows = 1;
    std::optional<Clock::time_point> expires;
    bool delayed = false;
  };
  /// Requests that may run together, by the order in which they are to run.
  struct Bucket {
    std::map<uint32_t, std::deque<Waiting>> by_priority;
    int64_t rows = 0;
    bool alone = false;  ///< nothing is joined with it
    Clock::time_point oldest() const;
  };

  Bucket& bucket_for(const Inference& request, int64_t& rows);
  std::vector<InferencePtr> expire(Clock::time_point now, std::vector<InferencePtr>& cancelled);
  int64_t most_rows(const std::string& shape, const Bucket& bucket, Clock::time_point now) const;
  Clock::time_point due(const std::string& shape, const Bucket& bucket) const;
  int64_t rows_to_take(const std::string& shape, const Bucket& bucket, Clock::time_point now) const;
  std::vector<InferencePtr> take_ready(std::unique_lock<std::mutex>& lock, Clock::time_point now);
  std::vector<InferencePtr> take(Bucket& bucket, int64_t rows);
  std::optional<Clock::time_point> next_event() const;

  const BatchOptions options_;
  const Prediction predict_;
  const Worth worth_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Bucket> buckets_;
  std::map<uint32_t, size_t> waiting_;  // requests by priority
  size_t size_ = 0;
  uint64_t alone_ = 0;  // numbers the buckets of requests that run alone
  bool closed_ = false;
  bool batches_;
};

/// The rows of a request whose inputs all have equally many, and no sequence offsets; nothing for others.
std::optional<int64_t> rows_of(const Inference& request);
/// What the inputs of requests that may run together have in common: types and sizes, without the rows and the axis
/// along which they may be padded.
std::string shape_of(const Inference& request, size_t pad_axis = 0);

}  // namespace coracle::serve
