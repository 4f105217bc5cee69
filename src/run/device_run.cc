// SPDX-License-Identifier: Apache-2.0
#include "run/device_run.h"

#include <algorithm>

#include "base/counted.h"
#include "plan/call_failure.h"
#include "plan/cost.h"
#include "plan/placement.h"
#include "run/call_names.h"

namespace coracle {
namespace {

constexpr const char* kLostAdvice =
    "load the model again, or on another device (a process that was forked since then has the processor alone)";

}  // namespace

DeviceRun::DeviceRun(const std::vector<UsedDevice>& devices) {
  for (const UsedDevice& device : devices)
    contexts_.push_back({.device = device, .queue = nullptr, .arena = {}, .staging = {}});
}

size_t DeviceRun::bytes() const {
  size_t bytes = 0;
  for (const DeviceContext& context : contexts_) {
    bytes += context.staging.bytes();
    for (const Allocation& allocation : context.arena) bytes += allocation.bytes();
  }
  return bytes;
}

void DeviceRun::release() {
  if (running_) return;
  for (DeviceContext& context : contexts_) {
    context.arena.clear();
    context.staging = {};
  }
  ++generation_;
}

void DeviceRun::reserve(DeviceContext& context, const DeviceNeeds& needs, const std::shared_ptr<MemoryLedger>& ledger) {
  if (context.queue == nullptr) context.queue = context.device.open->make_queue();
  // Under a limit, what a larger run has left must not be missing in this one.
  const bool tight = ledger != nullptr && ledger->limit() != 0 && ledger->used() > ledger->limit() / 2;
  const auto grow = [&](Allocation& allocation, size_t bytes, const char* what, const auto& allocate) {
    if (allocation.bytes() >= bytes && (!tight || allocation.bytes() == bytes)) return;
    ++generation_;
    allocation = {};
    try {
      MemoryCharge charge(ledger, bytes, [&] { return text(what, " on ", context.name()); });
      allocation.memory = allocate(bytes);
      allocation.charge = std::move(charge);
    } catch (Error& e) {
      e.add_context(text("making room for ", what, " on ", context.name()));
      throw;
    }
  };
  if (context.arena.size() < needs.allocations.size()) context.arena.resize(needs.allocations.size());
  for (size_t b = 0; b < needs.allocations.size(); ++b) {
    grow(context.arena[b], needs.allocations[b], "intermediate tensors",
         [&](size_t n) { return context.device.open->allocate(n); });
  }
  if (needs.staging != 0) {
    grow(context.staging, needs.staging, "inputs and results",
         [&](size_t n) { return context.device.open->allocate_host(n); });
  }
}

DeviceRun::Segment::Segment(DeviceRun& run, const Graph& graph, BoundSteps& bound, const RunContext& context,
                            Profile* profile, std::chrono::steady_clock::time_point run_start)
    : run_(run),
      graph_(graph),
      bound_(bound),
      profile_(profile),
      run_start_(run_start),
      work_(run.contexts_.size()),
      events_(bound.calls.size()) {
  reserve(context);
  for (size_t d = 0; d < work_.size() && profile_ != nullptr; ++d) {
    if (!uses(d)) continue;
    Queue& queue = *run_.contexts_[d].queue;
    queue.profile(true);
    work_[d].profile_start = std::chrono::steady_clock::now();
    queue.record();
  }
  if (bound_.device_generation == run_.generation_) return;
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    const DeviceContext& context = run_.contexts_[d];
    std::vector<void*> allocations;
    for (const Allocation& allocation : context.arena) allocations.push_back(allocation.memory.get());
    bound_.bind_device(Place{static_cast<uint8_t>(d + 1)}, allocations, context.staging.memory.get(),
                       context.queue.get());
  }
  bound_.device_generation = run_.generation_;
}

/// Makes room on all devices.
void DeviceRun::Segment::reserve(const RunContext& context) {
  run_.running_ = true;
  try {
    for (size_t d = 0; d < work_.size(); ++d) {
      if (!uses(d)) continue;
      const DeviceContext& used = run_.contexts_[d];
      require(!used.device.open->lost(), ErrorCode::kRunFailure, "the device ", used.name(), " is lost: ", kLostAdvice);
      run_.reserve(run_.contexts_[d], bound_.steps().devices[d], context.ledger());
    }
  } catch (...) {
    run_.running_ = false;
    throw;
  }
}

DeviceRun::Segment::~Segment() {
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    Queue& queue = *run_.contexts_[d].queue;
    if (!finished_) queue.finish(nullptr);
    if (profile_ != nullptr) queue.profile(false);
  }
  run_.running_ = false;
}

/// The operators on a device that nobody has waited for yet, for people.
std::string DeviceRun::Segment::unfinished(size_t context) const {
  constexpr size_t kMostNamed = 6;
  std::vector<std::string> names;
  for (size_t i = work_[context].done; i < work_[context].given; ++i) {
    const Step& step = bound_.steps().steps[i];
    if (step.place.device == context + 1 && step.copy == nullptr)
      names.push_back(text(step.op.name(), " (", node_name(graph_, step), ")"));
  }
  const std::string& device = run_.contexts_[context].name();
  if (names.empty()) return text("copying tensors between the host and ", device);
  if (names.size() > kMostNamed)
    return text("running ", counted(names.size(), "operator"), " from ", names.front(), " to ", names.back(), " on ",
                device);
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ", ").append(name);
  return text(names.size() == 1 ? "running operator " : "running operators ", list, " on ", device);
}

/// Throws what has failed on a device, with the operators that it may have been.
void DeviceRun::Segment::check(size_t context, const char* failure, const std::string& detail) {
  if (failure == nullptr) [[likely]]
    return;
  Error error(code_of_failure(failure), detail.empty() ? std::string(failure) : detail);
  if (run_.contexts_[context].device.open->lost()) error.add_context(text("the device is lost: ", kLostAdvice));
  error.add_context(unfinished(context));
  throw error;
}

void DeviceRun::Segment::before(size_t i) {
  const Step& step = bound_.steps().steps[i];
  for (int copy : step.waits) {
    const size_t context = bound_.steps().steps[static_cast<size_t>(copy)].place.device - size_t{1};
    std::string detail;
    check(context, run_.contexts_[context].queue->wait(events_[static_cast<size_t>(copy)], &detail), detail);
    work_[context].done = static_cast<size_t>(copy) + 1;
  }
  if (step.place.is_host()) return;
  const size_t context = step.place.device - size_t{1};
  work_[context].given = i + 1;
  Queue& queue = *run_.contexts_[context].queue;
  if (step.after >= 0) queue.order_after(events_[static_cast<size_t>(step.after)]);
  if (profile_ != nullptr) before_ = queue.record();
}

void DeviceRun::Segment::after(size_t i) {
  const Step& step = bound_.steps().steps[i];
  if (step.place.is_host()) return;
  const size_t context = step.place.device - size_t{1};
  if (step.copy == nullptr && profile_ == nullptr) return;
  events_[i] = run_.contexts_[context].queue->record();
  if (profile_ == nullptr) return;
  // Copies are done beside kernels.
  profile_->back().device = text(run_.contexts_[context].device.device->name, step.copy == nullptr ? "" : " copies");
  timed_.push_back({.event = profile_->size() - 1, .context = context, .from = before_, .to = events_[i]});
}

void DeviceRun::Segment::finish() {
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    std::string detail;
    check(d, run_.contexts_[d].queue->finish(&detail), detail);
  }
  finished_ = true;
  for (size_t i = 0; i < bound_.calls.size(); ++i) {
    const CopyPlan* const copy = bound_.steps().steps[i].copy.get();
    if (copy != nullptr && !copy->upload) take_staged(bound_.calls[i]);
  }
  if (profile_ != nullptr) read_times();
}

/// What was measured while work was given becomes when it was done.
void DeviceRun::Segment::read_times() {
  for (const Timed& t : timed_) {
    const Queue::Span span = run_.contexts_[t.context].queue->span(t.from, t.to);
    if (span.begin_ns < 0 || span.duration_ns < 0) continue;
    ProfileEvent& event = (*profile_)[t.event];
    event.start_ns = ns(work_[t.context].profile_start - run_start_) + span.begin_ns;
    event.duration_ns = span.duration_ns;
  }
}

DeviceRun::Segment::HostCopy DeviceRun::Segment::host_copy(size_t i, bool results) {
  HostCopy host_copy;
  host_copy.call_ = bound_.calls[i];
  const Step& step = bound_.steps().steps[i];
  const std::span<const TensorView> views = results ? host_copy.call_.out : host_copy.call_.in;
  const std::vector<int>& buffers = results ? step.out : step.in;
  const size_t context = step.place.device - size_t{1};
  for (size_t v = 0; v < views.size(); ++v) {
    host_copy.views_.push_back(views[v]);
    if (views[v].fact->place.is_host()) continue;
    const Fact& whole = bound_.steps().buffers[static_cast<size_t>(owner_of(bound_.steps(), buffers[v]))].fact;
    const auto bytes = static_cast<int64_t>(whole.bytes());
    Tensor& tensor = host_copy.tensors_.emplace_back(Tensor::make(*host_copy.call_.context, DType::kUint8, {bytes}));
    if (bytes != 0)
      run_.contexts_[context].queue->download({views[v].data, views[v].offset}, tensor.raw(), tensor.bytes());
    host_copy.views_.back().data = tensor.raw();
    host_copy.views_.back().offset = 0;
  }
  std::string detail;
  check(context, run_.contexts_[context].queue->finish(&detail), detail);
  work_[context].done = work_[context].given;
  (results ? host_copy.call_.out : host_copy.call_.in) = host_copy.views_;
  return host_copy;
}

}  // namespace coracle
