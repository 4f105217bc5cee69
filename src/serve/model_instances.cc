// SPDX-License-Identifier: Apache-2.0
#include "serve/model_instances.h"

#include <algorithm>
#include <new>
#include <utility>

#include "serve/batch_tensors.h"
#include "serve/padding.h"

namespace coracle::serve {
namespace {

Failure failure_of(const coracle::Exception& e, const Inference& request) {
  switch (e.status()) {
    case CORACLE_INVALID_ARGUMENT: return {Code::kInvalidArgument, e.what()};
    case CORACLE_UNSUPPORTED: return {Code::kUnsupported, e.what()};
    case CORACLE_OUT_OF_MEMORY: return {Code::kUnavailable, e.what()};
    case CORACLE_CANCELLED: return {Code::kCancelled, "the request was cancelled"};
    default: break;
  }
  if (request.deadline.has_value() && Clock::now() >= *request.deadline)
    return {Code::kDeadlineExceeded, "the request took longer than its time limit allows"};
  return {e.status() == CORACLE_RUN_FAILURE ? Code::kInvalidArgument : Code::kInternal, e.what()};
}

void give(Inference& request, std::vector<Tensor> outputs) {
  request.times.done = Clock::now();
  request.answer({.outputs = std::move(outputs), .failure = std::nullopt, .times = request.times});
}

void give(Inference& request, const Failure& failure) {
  request.times.done = Clock::now();
  request.answer({.outputs = {}, .failure = failure, .times = request.times});
}

}  // namespace

ModelInstances::ModelInstances(const coracle::Model& model, const Options& options, RunHistory& history,
                               Executed executed)
    : outputs_(model.outputs()),
      pad_axis_(options.batching.pad_axis),
      ordered_(options.batching.preserve_ordering),
      executed_(std::move(executed)),
      batching_refused_(options.batching_refused),
      memory_(options.memory),
      history_(history),
      queue_(options.batching,
             [&history](const std::string& shape, int64_t rows) { return history.predict(shape, rows); }) {
  if (history_.refused().has_value()) queue_.stop_batching();
  const coracle::Session first(model, options.session);
  for (int i = 0; i < std::max(options.instances, 1); ++i)
    instances_.push_back(std::make_unique<Instance>(first.clone(), outputs_.size(), memory_));
  try {
    for (const std::unique_ptr<Instance>& instance : instances_)
      instance->thread = std::thread([this, &instance = *instance] { work(instance); });
    when_short_ = memory_.when_short([this] { trim(Clock::time_point::max()); });
  } catch (...) {
    end();
    throw;
  }
}

ModelInstances::~ModelInstances() { end(); }

void ModelInstances::end() noexcept {
  when_short_ = nullptr;
  queue_.close();
  for (const std::unique_ptr<Instance>& instance : instances_) {
    if (instance->thread.joinable()) instance->thread.join();
  }
}

void ModelInstances::submit(InferencePtr request) {
  if (!ordered_) {
    queue_.push(std::move(request));
    return;
  }
  const std::lock_guard lock(order_.mutex);
  request->answer = [this, number = order_.given, answer = std::move(request->answer)](Answer a) {
    std::unique_lock in_order(order_.mutex);
    order_.done.emplace(number, [answer, a = std::move(a)]() mutable { answer(std::move(a)); });
    if (order_.answering) return;
    order_.answering = true;
    while (!order_.done.empty() && order_.done.begin()->first == order_.answered) {
      const std::function<void()> next = std::move(order_.done.begin()->second);
      order_.done.erase(order_.done.begin());
      ++order_.answered;
      in_order.unlock();  // whoever takes the answer may ask this model again
      next();
      in_order.lock();
    }
    order_.answering = false;
  };
  queue_.push(std::move(request));
  ++order_.given;
}

void ModelInstances::warm_up(const std::vector<Tensor>& inputs, int count) {
  Timeline times;
  for (const std::unique_ptr<Instance>& instance : instances_) {
    const ModelSession::Use use(instance->session);
    for (int run = 0; run < count; ++run) instance->session.run(inputs, nullptr, std::nullopt, times);
  }
}

void ModelInstances::trim(Clock::time_point unused_since) {
  for (const std::unique_ptr<Instance>& instance : instances_) instance->session.trim(unused_since);
}

size_t ModelInstances::session_bytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<Instance>& instance : instances_) bytes += instance->session.bytes();
  return bytes;
}

void ModelInstances::work(Instance& instance) {
  while (true) {
    const std::vector<InferencePtr> requests = queue_.pop();
    if (requests.empty()) return;
    const ModelSession::Use use(instance.session);
    for (const InferencePtr& request : requests) request->times.started = Clock::now();
    if (requests.size() > 1 && queue_.batches() && run_together(instance.session, requests)) continue;
    for (const InferencePtr& request : requests) run_alone(instance.session, *request);
  }
}

void ModelInstances::run_alone(ModelSession& session, Inference& request) {
  try {
    session.run(request.inputs, &request.cancelled, request.deadline, request.times);
    std::vector<Tensor> outputs = session.outputs();
    const std::optional<int64_t> rows = rows_of(request);
    request.times.batch = rows.value_or(1);
    if (rows.has_value())
      history_.add(shape_of(request, pad_axis_), *rows, request.times.computed - request.times.started);
    executed_(rows.value_or(1));
    give(request, std::move(outputs));
  } catch (const coracle::Exception& e) {
    give(request, failure_of(e, request));
  } catch (const Failure& e) {
    give(request, e);
  } catch (const std::bad_alloc&) {
    give(request, Failure(Code::kUnavailable, "there is not enough memory for this request now"));
  } catch (const std::exception& e) {
    give(request, Failure(Code::kInternal, e.what()));
  }
}

/// The time by which all requests are to be answered; none where one of them has time.
std::optional<Clock::time_point> ModelInstances::last_deadline(const std::vector<InferencePtr>& requests) {
  std::optional<Clock::time_point> last = Clock::time_point::min();
  for (const InferencePtr& request : requests) {
    if (!request->deadline.has_value()) return std::nullopt;
    last = std::max(*last, *request->deadline);
  }
  return last;
}

bool ModelInstances::run_together(ModelSession& session, const std::vector<InferencePtr>& requests) {
  std::vector<Tensor> outputs;
  std::vector<std::vector<Tensor>> parts;
  Timeline times;
  int64_t rows = 0;
  for (const InferencePtr& request : requests) rows += request->inputs.front().dims.front();
  const auto batch = std::make_shared<Batch>(requests.size());
  for (const InferencePtr& request : requests) request->join(batch);
  const bool pads = pad_axis_ != 0 && !same_sizes(requests, pad_axis_);
  int64_t size = 1;
  try {
    {
      const std::vector<Tensor> inputs =
          pads ? padded(requests, rows, pad_axis_, memory_) : stacked(requests, rows, memory_);
      size = size_along(inputs, pad_axis_).value_or(1);
      session.run(inputs, &batch->cancelled, last_deadline(requests), times);
    }
    outputs = session.outputs();
    for (const Tensor& output : outputs) {
      if (output.lod.empty() && !output.dims.empty() && output.dims.front() == rows) continue;
      refuse_batching("an output has not one row for each row of the inputs");
      return false;
    }
    int64_t begin = 0;
    for (const InferencePtr& request : requests) {
      const int64_t own = request->inputs.front().dims.front();
      parts.push_back(rows_between(outputs, begin, own, rows));
      begin += own;
      if (!pads) continue;
      const int64_t own_size = size_along(request->inputs, pad_axis_).value_or(1);
      std::optional<std::vector<Tensor>> results = cut(parts.back(), outputs_, own_size, size, memory_);
      if (!results.has_value()) return false;
      parts.back() = std::move(*results);
    }
    const std::string shape = shape_of(*requests.front());
    if (!pads && !history_.is_proven(shape)) {
      Timeline again;
      for (size_t r = 0; r < requests.size(); ++r) {
        session.run(requests[r]->inputs, &batch->cancelled, std::nullopt, again);
        if (same_bits(session.outputs(), parts[r])) continue;
        refuse_batching("rows of a batch have other bits than the same rows alone");
        return false;
      }
      history_.prove(shape);
    }
    history_.add(shape_of(*requests.front(), pad_axis_), rows, times.computed - requests.front()->times.started);
  } catch (const std::exception&) {
    return false;  // one of them may be to blame, and is found when each runs alone
  }
  executed_(rows);
  for (size_t r = 0; r < requests.size(); ++r) {
    Timeline& own = requests[r]->times;
    own.inputs_ready = times.inputs_ready;
    own.computed = times.computed;
    own.batch = rows;
    give(*requests[r], std::move(parts[r]));
  }
  return true;
}

void ModelInstances::refuse_batching(const std::string& why) {
  queue_.stop_batching();
  history_.refuse(why);
  if (batching_refused_ != nullptr) batching_refused_(why);
}

}  // namespace coracle::serve
