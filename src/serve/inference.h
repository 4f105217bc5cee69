// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coracle/coracle.hpp"
#include "serve/failure.h"

/// What a model is asked, and what it answers, whatever protocol carries it.
namespace coracle::serve {

using Clock = std::chrono::steady_clock;

/// Elements in row-major order, kept alive by `owner`.
struct Tensor {
  coracle_dtype dtype = CORACLE_FLOAT32;
  coracle::Dims dims;
  coracle::Lod lod;
  std::shared_ptr<const void> owner;
  const std::byte* data = nullptr;
  size_t bytes = 0;
};

/// "[1, 3, -1]"
inline std::string shape_text(const coracle::Dims& dims) {
  std::string text;
  for (const int64_t d : dims) text += (text.empty() ? "" : ", ") + std::to_string(d);
  return '[' + text + ']';
}

/// The tensor as results of sessions are seen; it has to stay as long.
inline coracle::View view_of(const Tensor& tensor) {
  coracle_tensor_view view{};
  view.data = tensor.data;
  view.bytes = tensor.bytes;
  view.dtype = tensor.dtype;
  view.rank = static_cast<int32_t>(tensor.dims.size());
  std::copy(tensor.dims.begin(), tensor.dims.end(), view.dims);
  return {view, tensor.lod};
}

/// When the parts of the work on a request were done.
struct Timeline {
  Clock::time_point queued;
  Clock::time_point started;       ///< an instance took it
  Clock::time_point inputs_ready;  ///< rows of all requests of the batch stand together
  Clock::time_point computed;
  Clock::time_point done;
  int64_t batch = 1;  ///< rows that ran together
};

struct Answer {
  std::vector<Tensor> outputs;  ///< by output of the model
  std::optional<Failure> failure;
  Timeline times;
};

/// Requests that run together. Their run ends when nobody wants any of their answers.
class Batch {
 public:
  explicit Batch(size_t requests) : wanted_(requests) {}
  /// One of them was cancelled.
  void leave() {
    if (wanted_.fetch_sub(1) == 1) cancelled = 1;
  }
  std::atomic<uint32_t> cancelled{0};

 private:
  std::atomic<size_t> wanted_;
};

struct RequestRecord;

/// A request to run a model once. Shared by who asks and who answers.
struct Inference {
  std::vector<Tensor> inputs;  ///< by input of the model
  uint32_t priority = 0;       ///< 1 is the highest, 0 the model's default
  std::optional<Clock::time_point> deadline;
  std::atomic<uint32_t> cancelled{0};  ///< by cancel()
  Timeline times;
  std::shared_ptr<RequestRecord> record;  ///< of the client's request, for those who watch; may be null
  /// Called once, by any thread.
  std::function<void(Answer)> answer;

  /// Nobody wants the answer any more. At any time, by any thread.
  void cancel() {
    std::function<void()> then;
    {
      const std::lock_guard lock(mutex_);
      if (cancelled.exchange(1) != 0) return;
      if (batch_ != nullptr) batch_->leave();
      then = std::move(when_cancelled_);
    }
    if (then != nullptr) then();
  }
  /// `then` is called by cancel(), or at once after it.
  void when_cancelled(std::function<void()> then) {
    {
      const std::lock_guard lock(mutex_);
      if (cancelled == 0) {
        when_cancelled_ = std::move(then);
        return;
      }
    }
    then();
  }
  /// It runs with others.
  void join(std::shared_ptr<Batch> batch) {
    const std::lock_guard lock(mutex_);
    batch_ = std::move(batch);
    if (cancelled != 0) batch_->leave();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Batch> batch_;
  std::function<void()> when_cancelled_;
};

using InferencePtr = std::shared_ptr<Inference>;

}  // namespace coracle::serve
