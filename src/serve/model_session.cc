// SPDX-License-Identifier: Apache-2.0
#include "serve/model_session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "serve/batch_tensors.h"

namespace coracle::serve {
namespace {

void set_input(coracle::Session& session, size_t index, const Tensor& tensor) {
  const bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % coracle_dtype_size(tensor.dtype) == 0;
  const auto set = aligned ? coracle_session_borrow_input : coracle_session_set_input;
  coracle::check(set(session.handle(), index, tensor.dtype, static_cast<int32_t>(tensor.dims.size()),
                     tensor.dims.data(), tensor.data));
  session.set_lod(index, tensor.lod);
}

}  // namespace

ModelSession::ModelSession(coracle::Session session, size_t outputs, MemoryBudget memory)
    : session_(std::move(session)), outputs_(outputs), memory_(std::move(memory)), last_use_(Clock::now()) {}

void ModelSession::run(const std::vector<Tensor>& inputs, const std::atomic<uint32_t>* cancelled,
                       std::optional<Clock::time_point> deadline, Timeline& times) {
  trimmed_ = false;
  last_use_ = Clock::now();
  for (size_t i = 0; i < inputs.size(); ++i) set_input(session_, i, inputs[i]);
  times.inputs_ready = Clock::now();
  coracle::RunOptions options;
  options.cancelled = cancelled;
  if (deadline.has_value()) {
    options.time_limit_ms = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
    if (options.time_limit_ms <= 0)
      throw Failure(Code::kDeadlineExceeded, "the request has waited longer than its time limit allows");
  }
  memory_.limited() ? run_within_budget(options) : session_.run(options);
  times.computed = last_use_ = Clock::now();
  bytes_.store(session_.memory().arena, std::memory_order_relaxed);
}

/// A run that turns out to need more than was planned, which depends on its data, runs again with all that is left.
void ModelSession::run_within_budget(coracle::RunOptions options) {
  constexpr size_t kSmall = size_t{1} << 20;
  const size_t planned = session_.planned_memory();
  const size_t held = session_.memory().arena;
  MemoryBudget::Run run = memory_.reserve_run(planned, 2 * std::max(planned, held) + kSmall, held);
  options.memory_limit = run.bytes;
  try {
    return session_.run(options);
  } catch (const coracle::Exception& e) {
    if (e.status() != CORACLE_OUT_OF_MEMORY) throw;
  }
  session_.release_memory();
  run.share = nullptr;
  run = memory_.reserve_run(run.bytes + 1, SIZE_MAX, 0);
  options.memory_limit = run.bytes;
  session_.run(options);
}

std::vector<Tensor> ModelSession::outputs() const {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < outputs_; ++i) {
    const coracle::View view = session_.output(i);
    const std::shared_ptr<std::byte> data = make_bytes(view.bytes(), memory_, "a result");
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

void ModelSession::trim(Clock::time_point unused_since) {
  if (used_.exchange(true, std::memory_order_acquire)) return;
  if (!trimmed_ && last_use_ <= unused_since) {
    try {
      session_.release_memory();
      bytes_.store(0, std::memory_order_relaxed);
      trimmed_ = true;
    } catch (const coracle::Exception&) {  // it keeps what it has
    }
  }
  release(used_);
}

}  // namespace coracle::serve
