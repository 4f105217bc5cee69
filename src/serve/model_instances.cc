// SPDX-License-Identifier: Apache-2.0
#include "serve/model_instances.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace coracle::serve {
namespace {

constexpr size_t kAlignment = 64;

/// Memory for elements, aligned as sessions like it.
std::shared_ptr<std::byte> make_bytes(size_t bytes) {
  auto* const data = static_cast<std::byte*>(::operator new (std::max<size_t>(bytes, 1), std::align_val_t{kAlignment}));
  return {data, [](std::byte* p) { ::operator delete (p, std::align_val_t{kAlignment}); }};
}

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

void set_input(coracle::Session& session, size_t index, const Tensor& tensor) {
  const bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % coracle_dtype_size(tensor.dtype) == 0;
  const auto set = aligned ? coracle_session_borrow_input : coracle_session_set_input;
  coracle::check(set(session.handle(), index, tensor.dtype, static_cast<int32_t>(tensor.dims.size()),
                     tensor.dims.data(), tensor.data));
  session.set_lod(index, tensor.lod);
}

void give(Inference& request, std::vector<Tensor> outputs) {
  request.times.done = Clock::now();
  request.answer({.outputs = std::move(outputs), .failure = std::nullopt, .times = request.times});
}

void give(Inference& request, const Failure& failure) {
  request.times.done = Clock::now();
  request.answer({.outputs = {}, .failure = failure, .times = request.times});
}

/// The shape that requests of a batch have in common.
std::string shape_of(const Inference& request) {
  std::string shape;
  for (const Tensor& input : request.inputs) {
    for (size_t d = 1; d < input.dims.size(); ++d) shape += std::to_string(input.dims[d]) + ',';
    shape += ';';
  }
  return shape;
}

/// The inputs of requests, one below the other.
std::vector<Tensor> stacked(const std::vector<InferencePtr>& requests, int64_t rows) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < requests.front()->inputs.size(); ++i) {
    size_t bytes = 0;
    for (const InferencePtr& request : requests) bytes += request->inputs[i].bytes;
    const std::shared_ptr<std::byte> data = make_bytes(bytes);
    size_t offset = 0;
    for (const InferencePtr& request : requests) {
      const Tensor& own = request->inputs[i];
      if (own.bytes != 0) std::memcpy(data.get() + offset, own.data, own.bytes);
      offset += own.bytes;
    }
    Tensor& input = inputs.emplace_back(requests.front()->inputs[i]);
    input.dims.front() = rows;
    input.owner = data;
    input.data = data.get();
    input.bytes = bytes;
  }
  return inputs;
}

/// Rows `begin` to `begin` + `rows` of outputs that have `all` rows.
std::vector<Tensor> rows_between(const std::vector<Tensor>& outputs, int64_t begin, int64_t rows, int64_t all) {
  std::vector<Tensor> parts;
  for (const Tensor& output : outputs) {
    Tensor& part = parts.emplace_back(output);
    const size_t row = output.bytes / static_cast<size_t>(all);
    part.dims.front() = rows;
    part.data = output.data + static_cast<size_t>(begin) * row;
    part.bytes = static_cast<size_t>(rows) * row;
  }
  return parts;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.dtype == y.dtype && x.dims == y.dims && x.lod == y.lod && x.bytes == y.bytes &&
           (x.bytes == 0 || std::memcmp(x.data, y.data, x.bytes) == 0);
  });
}

}  // namespace

ModelInstances::ModelInstances(const coracle::Model& model, const Options& options, Executed executed)
    : outputs_(model.outputs().size()),
      ordered_(options.batching.preserve_ordering),
      executed_(std::move(executed)),
      batching_refused_(options.batching_refused),
      queue_(options.batching) {
  const coracle::Session first(model, options.session);
  for (int i = 0; i < std::max(options.instances, 1); ++i)
    instances_.push_back(std::make_unique<Instance>(first.clone()));
  try {
    for (const std::unique_ptr<Instance>& instance : instances_)
      instance->thread = std::thread([this, &instance = *instance] { work(instance); });
  } catch (...) {
    end();
    throw;
  }
}

ModelInstances::~ModelInstances() { end(); }

void ModelInstances::end() noexcept {
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
    const std::lock_guard in_order(order_.mutex);
    order_.done.emplace(number, [answer, a = std::move(a)]() mutable { answer(std::move(a)); });
    while (!order_.done.empty() && order_.done.begin()->first == order_.answered) {
      order_.done.begin()->second();
      order_.done.erase(order_.done.begin());
      ++order_.answered;
    }
  };
  queue_.push(std::move(request));
  ++order_.given;
}

void ModelInstances::work(Instance& instance) {
  while (true) {
    const std::vector<InferencePtr> requests = queue_.pop();
    if (requests.empty()) return;
    for (const InferencePtr& request : requests) request->times.started = Clock::now();
    if (requests.size() > 1 && queue_.batches() && run_together(instance.session, requests)) continue;
    for (const InferencePtr& request : requests) run_alone(instance.session, *request);
  }
}

std::vector<Tensor> ModelInstances::outputs_of(coracle::Session& session) const {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < outputs_; ++i) {
    const coracle::View view = session.output(i);
    const std::shared_ptr<std::byte> data = make_bytes(view.bytes());
    if (view.bytes() != 0) std::memcpy(data.get(), view.raw(), view.bytes());
    outputs.push_back({.dtype = view.dtype(),
                       .dims = view.dims(),
                       .lod = view.lod(),
                       .owner = data,
                       .data = data.get(),
                       .bytes = view.bytes()});
  }
  return outputs;
}

void ModelInstances::run_alone(coracle::Session& session, Inference& request) {
  try {
    for (size_t i = 0; i < request.inputs.size(); ++i) set_input(session, i, request.inputs[i]);
    request.times.inputs_ready = Clock::now();
    coracle::RunOptions options;
    options.cancelled = &request.cancelled;
    if (request.deadline.has_value()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*request.deadline - Clock::now()).count();
      if (left <= 0) throw Failure(Code::kDeadlineExceeded, "the request has waited longer than its time limit allows");
      options.time_limit_ms = left;
    }
    session.run(options);
    request.times.computed = Clock::now();
    request.times.batch = rows_of(request).value_or(1);
    std::vector<Tensor> outputs = outputs_of(session);
    executed_(request.times.batch);
    give(request, std::move(outputs));
  } catch (const coracle::Exception& e) {
    give(request, failure_of(e, request));
  } catch (const Failure& e) {
    give(request, e);
  } catch (const std::exception& e) {
    give(request, Failure(Code::kInternal, e.what()));
  }
}

bool ModelInstances::run_together(coracle::Session& session, const std::vector<InferencePtr>& requests) {
  std::vector<Tensor> outputs;
  std::vector<std::vector<Tensor>> parts;
  Timeline times;
  int64_t rows = 0;
  for (const InferencePtr& request : requests) rows += request->inputs.front().dims.front();
  const auto run = [&](const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) set_input(session, i, inputs[i]);
    times.inputs_ready = Clock::now();
    session.run();
    times.computed = Clock::now();
    return outputs_of(session);
  };
  try {
    outputs = run(stacked(requests, rows));
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
    }
    const std::string shape = shape_of(*requests.front());
    if (!is_proven(shape)) {
      for (size_t r = 0; r < requests.size(); ++r) {
        if (same_bits(run(requests[r]->inputs), parts[r])) continue;
        refuse_batching("rows of a batch have other bits than the same rows alone");
        return false;
      }
      const std::lock_guard lock(proof_mutex_);
      proven_.insert(shape);
    }
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

bool ModelInstances::is_proven(const std::string& shape) const {
  const std::lock_guard lock(proof_mutex_);
  return proven_.contains(shape);
}

void ModelInstances::refuse_batching(const std::string& why) {
  queue_.stop_batching();
  if (batching_refused_ != nullptr) batching_refused_(why);
}

}  // namespace coracle::serve
