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
    sides_.push_back({.device = device, .queue = nullptr, .arena = {}, .staging = {}});
}

size_t DeviceRun::bytes() const {
  size_t bytes = 0;
  for (const Side& side : sides_) {
    bytes += side.staging.bytes();
    for (const Block& block : side.arena) bytes += block.bytes();
  }
  return bytes;
}

void DeviceRun::release() {
  if (running_) return;
  for (Side& side : sides_) {
    side.arena.clear();
    side.staging = {};
  }
  ++generation_;
}

void DeviceRun::reserve(Side& side, const DeviceNeeds& needs, const std::shared_ptr<MemoryLedger>& ledger) {
  if (side.queue == nullptr) side.queue = side.device.open->make_queue();
  // Under a limit, what a larger run has left must not be missing in this one.
  const bool tight = ledger != nullptr && ledger->limit() != 0 && ledger->used() > ledger->limit() / 2;
  const auto grow = [&](Block& block, size_t bytes, const char* what, const auto& allocate) {
    if (block.bytes() >= bytes && (!tight || block.bytes() == bytes)) return;
    ++generation_;
    block = {};
    try {
      MemoryCharge charge(ledger, bytes, [&] { return text(what, " on ", side.name()); });
      block.memory = allocate(bytes);
      block.charge = std::move(charge);
    } catch (Error& e) {
      e.add_context(text("making room for ", what, " on ", side.name()));
      throw;
    }
  };
  if (side.arena.size() < needs.blocks.size()) side.arena.resize(needs.blocks.size());
  for (size_t b = 0; b < needs.blocks.size(); ++b) {
    grow(side.arena[b], needs.blocks[b], "intermediate tensors",
         [&](size_t n) { return side.device.open->allocate(n); });
  }
  if (needs.staging != 0) {
    grow(side.staging, needs.staging, "inputs and results",
         [&](size_t n) { return side.device.open->allocate_host(n); });
  }
}

DeviceRun::Segment::Segment(DeviceRun& run, const Graph& graph, BoundSteps& bound, const RunContext& context,
                            Profile* profile, std::chrono::steady_clock::time_point run_start)
    : run_(run),
      graph_(graph),
      bound_(bound),
      profile_(profile),
      run_start_(run_start),
      work_(run.sides_.size()),
      marks_(bound.calls.size()) {
  reserve(context);
  for (size_t d = 0; d < work_.size() && profile_ != nullptr; ++d) {
    if (!uses(d)) continue;
    Queue& queue = *run_.sides_[d].queue;
    queue.profile(true);
    work_[d].profile_start = std::chrono::steady_clock::now();
    queue.mark();
  }
  if (bound_.device_generation == run_.generation_) return;
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    const Side& side = run_.sides_[d];
    std::vector<void*> blocks;
    for (const Block& block : side.arena) blocks.push_back(block.memory.get());
    bound_.bind_device(Place{static_cast<uint8_t>(d + 1)}, blocks, side.staging.memory.get(), side.queue.get());
  }
  bound_.device_generation = run_.generation_;
}

/// Makes room on all devices.
void DeviceRun::Segment::reserve(const RunContext& context) {
  run_.running_ = true;
  try {
    for (size_t d = 0; d < work_.size(); ++d) {
      if (!uses(d)) continue;
      const Side& side = run_.sides_[d];
      require(!side.device.open->lost(), ErrorCode::kRunFailure, "the device ", side.name(), " is lost: ", kLostAdvice);
      run_.reserve(run_.sides_[d], bound_.steps().devices[d], context.ledger());
    }
  } catch (...) {
    run_.running_ = false;
    throw;
  }
}

DeviceRun::Segment::~Segment() {
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    Queue& queue = *run_.sides_[d].queue;
    if (!finished_) queue.finish(nullptr);
    if (profile_ != nullptr) queue.profile(false);
  }
  run_.running_ = false;
}

/// The operators on a device that nobody has waited for yet, for people.
std::string DeviceRun::Segment::unfinished(size_t side) const {
  constexpr size_t kMostNamed = 6;
  std::vector<std::string> names;
  for (size_t i = work_[side].done; i < work_[side].given; ++i) {
    const Step& step = bound_.steps().steps[i];
    if (step.place.device == side + 1 && step.copy == nullptr)
      names.push_back(text(step.op.name(), " (", node_name(graph_, step), ")"));
  }
  const std::string& device = run_.sides_[side].name();
  if (names.empty()) return text("copying tensors between the host and ", device);
  if (names.size() > kMostNamed)
    return text("running ", counted(names.size(), "operator"), " from ", names.front(), " to ", names.back(), " on ",
                device);
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ", ").append(name);
  return text(names.size() == 1 ? "running operator " : "running operators ", list, " on ", device);
}

/// Throws what has failed on a device, with the operators that it may have been.
void DeviceRun::Segment::check(size_t side, const char* failure, const std::string& detail) {
  if (failure == nullptr) [[likely]]
    return;
  Error error(code_of_failure(failure), detail.empty() ? std::string(failure) : detail);
  if (run_.sides_[side].device.open->lost()) error.add_context(text("the device is lost: ", kLostAdvice));
  error.add_context(unfinished(side));
  throw error;
}

void DeviceRun::Segment::before(size_t i) {
  const Step& step = bound_.steps().steps[i];
  for (int copy : step.waits) {
    const size_t side = bound_.steps().steps[static_cast<size_t>(copy)].place.device - size_t{1};
    std::string detail;
    check(side, run_.sides_[side].queue->wait(marks_[static_cast<size_t>(copy)], &detail), detail);
    work_[side].done = static_cast<size_t>(copy) + 1;
  }
  if (step.place.is_host()) return;
  const size_t side = step.place.device - size_t{1};
  work_[side].given = i + 1;
  Queue& queue = *run_.sides_[side].queue;
  if (step.after >= 0) queue.order_after(marks_[static_cast<size_t>(step.after)]);
  if (profile_ != nullptr) before_ = queue.mark();
}

void DeviceRun::Segment::after(size_t i) {
  const Step& step = bound_.steps().steps[i];
  if (step.place.is_host()) return;
  const size_t side = step.place.device - size_t{1};
  if (step.copy == nullptr && profile_ == nullptr) return;
  marks_[i] = run_.sides_[side].queue->mark();
  if (profile_ == nullptr) return;
  // Copies are done beside kernels.
  profile_->back().device = text(run_.sides_[side].device.device->name, step.copy == nullptr ? "" : " copies");
  timed_.push_back({.event = profile_->size() - 1, .side = side, .from = before_, .to = marks_[i]});
}

void DeviceRun::Segment::finish() {
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    std::string detail;
    check(d, run_.sides_[d].queue->finish(&detail), detail);
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
    const Queue::Span span = run_.sides_[t.side].queue->span(t.from, t.to);
    if (span.begin_ns < 0 || span.duration_ns < 0) continue;
    ProfileEvent& event = (*profile_)[t.event];
    event.start_ns = ns(work_[t.side].profile_start - run_start_) + span.begin_ns;
    event.duration_ns = span.duration_ns;
  }
}

DeviceRun::Segment::Seen DeviceRun::Segment::seen(size_t i, bool results) {
  Seen seen;
  seen.call_ = bound_.calls[i];
  const Step& step = bound_.steps().steps[i];
  const std::span<const TensorView> views = results ? seen.call_.out : seen.call_.in;
  const std::vector<int>& locals = results ? step.out : step.in;
  const size_t side = step.place.device - size_t{1};
  for (size_t v = 0; v < views.size(); ++v) {
    seen.views_.push_back(views[v]);
    if (views[v].fact->place.is_host()) continue;
    const Fact& whole = bound_.steps().locals[static_cast<size_t>(owner_of(bound_.steps(), locals[v]))].fact;
    const auto bytes = static_cast<int64_t>(whole.bytes());
    Tensor& tensor = seen.tensors_.emplace_back(Tensor::make(DType::kUint8, {bytes}));
    if (bytes != 0) run_.sides_[side].queue->download({views[v].data, views[v].offset}, tensor.raw(), tensor.bytes());
    seen.views_.back().data = tensor.raw();
    seen.views_.back().offset = 0;
  }
  std::string detail;
  check(side, run_.sides_[side].queue->finish(&detail), detail);
  work_[side].done = work_[side].given;
  (results ? seen.call_.out : seen.call_.in) = seen.views_;
  return seen;
}

}  // namespace coracle
