// SPDX-License-Identifier: Apache-2.0
#include "run/device_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/counted.h"
#include "plan/call_failure.h"
#include "plan/cost.h"
#include "run/call_names.h"

namespace coracle::internal {
namespace {

constexpr const char* kLostAdvice =
    "load the model again, or on another device (a process that was forked since then has the processor alone)";

}  // namespace

DeviceRun::DeviceRun(const std::vector<UsedDevice>& devices, size_t recording_bytes) : recordings_(recording_bytes) {
  for (const UsedDevice& device : devices)
    contexts_.push_back({.device = device,
                         .queue = nullptr,
                         .turns = nullptr,
                         .ranges = nullptr,
                         .arena = {},
                         .staging = {},
                         .tensors = std::make_shared<DeviceMemory>(device.open),
                         .points = {}});
}

DeviceRun::~DeviceRun() {
  for (const DeviceContext& context : contexts_) context.tensors->close();
}

Place DeviceRun::place_of(const Tensor& tensor) const {
  for (size_t d = 0; d < contexts_.size() && !tensor.is_on_host(); ++d) {
    if (tensor.storage()->device() == contexts_[d].device.open.get()) return Place{static_cast<uint8_t>(d + 1)};
  }
  return {};
}

Tensor DeviceRun::make(const Fact& fact, const std::shared_ptr<MemoryLedger>& ledger) {
  return contexts_.at(fact.place.device - size_t{1}).tensors->make(fact.dtype, fact.shape, ledger);
}

Tensor DeviceRun::upload(const Tensor& tensor, Place place, const std::shared_ptr<MemoryLedger>& ledger) {
  return contexts_.at(place.device - size_t{1}).tensors->upload(tensor, ledger);
}

DeviceMemory& DeviceRun::memory_of(const DeviceStorage& storage) {
  for (const DeviceContext& context : contexts_) {
    if (storage.device() == context.device.open.get()) return *context.tensors;
  }
  fail(ErrorCode::kInvalidArgument, "the memory is on no device of the model");
}

Tensor DeviceRun::clone(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) {
  return memory_of(*tensor.storage()).clone(tensor, ledger);
}

Tensor DeviceRun::copy(const Tensor& tensor, const std::shared_ptr<const UserMemory>& memory) {
  return memory_of(*memory).copy_to(tensor, memory);
}

void DeviceRun::follow(const StreamPoints& points) {
  for (DeviceContext& context : contexts_) {
    context.points = points;
    context.tensors->follow(points);
  }
}

void DeviceRun::settle() {
  for (const DeviceContext& context : contexts_) context.tensors->settle();
}

size_t DeviceRun::bytes() const {
  size_t bytes = 0;
  for (const DeviceContext& context : contexts_) {
    bytes += context.staging.bytes() + context.tensors->bytes();
    for (const Allocation& allocation : context.arena) bytes += allocation.bytes();
  }
  return bytes;
}

void DeviceRun::release() {
  try {
    end_late_runs(0);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next run says so
  }
  for (DeviceContext& context : contexts_) context.tensors->release();
  if (running_) return;
  move_memory();
  for (DeviceContext& context : contexts_) {
    context.arena.clear();
    context.staging = {};
  }
}

void DeviceRun::move_memory() {
  recordings_.clear();
  ++generation_;
}

void DeviceRun::reserve(DeviceContext& context, const DeviceNeeds& needs, const std::shared_ptr<MemoryLedger>& ledger) {
  if (context.queue == nullptr) {
    context.queue = context.device.open->make_queue();
    context.turns = dynamic_cast<KernelTurns*>(context.queue.get());
    context.ranges = dynamic_cast<StepRanges*>(context.queue.get());
    if (context.ranges != nullptr && !context.ranges->shows_ranges()) context.ranges = nullptr;
  }
  // Under a limit, what a larger run has left must not be missing in this one.
  const bool tight = ledger != nullptr && ledger->limit() != 0 && ledger->used() > ledger->limit() / 2;
  const auto grow = [&](Allocation& allocation, size_t bytes, const char* what, const auto& allocate) {
    if (allocation.bytes() >= bytes && (!tight || allocation.bytes() == bytes)) return;
    move_memory();
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
         [&](size_t n) { return context.tensors->allocate(n); });
  }
  if (needs.staging != 0) {
    grow(context.staging, needs.staging, "inputs and results",
         [&](size_t n) { return context.device.open->allocate_host(n); });
  }
}

void DeviceRun::run(const SegmentCalls& segment) { Segment(*this, segment).run(); }

DeviceRun::Segment::Segment(DeviceRun& run, const SegmentCalls& segment)
    : run_(run),
      segment_(segment),
      bound_(segment.bound),
      steps_(bound_.steps()),
      work_(run.contexts_.size()),
      events_(bound_.calls.size()) {
  run_.end_late_runs(kMostLateRuns - 1);
  reserve();
  find_ranges();
  late_queue_ = find_late_queue();
  if (late_queue_ != nullptr) late_queue_->run_ahead(true);
  for (size_t d = 0; d < work_.size() && segment_.profile != nullptr; ++d) {
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
void DeviceRun::Segment::reserve() {
  run_.running_ = true;
  try {
    for (size_t d = 0; d < work_.size(); ++d) {
      if (!uses(d)) continue;
      DeviceContext& used = run_.contexts_[d];
      require(!used.device.open->lost(), ErrorCode::kRunFailure, "the device ", used.name(), " is lost: ", kLostAdvice);
      run_.reserve(used, steps_.devices[d], segment_.context.ledger());
      follow_all(*used.queue, used.points);
    }
  } catch (...) {
    run_.running_ = false;
    throw;
  }
}

DeviceRun::Segment::~Segment() {
  end_turn();
  if (late_queue_ != nullptr) late_queue_->run_ahead(false);
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    Queue& queue = *run_.contexts_[d].queue;
    if (!finished_) queue.finish(nullptr);
    if (segment_.profile != nullptr) queue.profile(false);
  }
  run_.running_ = false;
}

/// What runs for the second time with the same memory is recorded, and replayed from then on. Who watches single calls
/// gets them one at a time.
void DeviceRun::Segment::run() {
  const StepRange range(ranges_, [&] { return text(counted(steps_.steps.size(), "step")); });
  RecordedSegment* const recorded = is_watched() ? nullptr : run_.recordings_.find(bound_);
  if (recorded != nullptr && recorded->has_run && !recorded->is_cut) {
    run_.recordings_.cut(*recorded, bound_.planned()->bytes(), stretches());
  }
  const std::span<RecordedCalls> calls = recorded == nullptr ? std::span<RecordedCalls>() : recorded->calls;
  auto stretch = calls.begin();
  for (size_t i = 0; i < bound_.calls.size();) {
    if (stretch != calls.end() && stretch->begin == i) {
      i = stretch->end;
      run_stretch(*stretch++);
    } else {
      give(i++);
    }
  }
  finish();
  if (recorded != nullptr) recorded->has_run = true;
}

/// Never two at a time, and none while the host works or waits: so nobody waits for a turn in a circle. Who watches
/// single calls may run other sessions meanwhile.
void DeviceRun::Segment::begin_turn(size_t context) {
  KernelTurns* const turns = run_.contexts_[context].turns;
  if (turns == turn_ || is_watched()) return;
  end_turn();
  turn_ = turns;
  if (turns != nullptr) turns->begin_turn();
}

void DeviceRun::Segment::end_turn() {
  if (turn_ != nullptr) turn_->end_turn();
  turn_ = nullptr;
}

void DeviceRun::Segment::give(size_t i) {
  const StepRange range(ranges_, [&] { return step_name(i); });
  before(i);
  observe(i, false);
  segment_.run_call(i);
  after(i);
  observe(i, true);
}

/// Kernels of one device that follow each other and wait for no copy in between.
std::vector<RecordedCalls> DeviceRun::Segment::stretches() const {
  // A run that is cancelled ends when one of them is done.
  constexpr size_t kMostCalls = 512;
  std::vector<RecordedCalls> found;
  const std::vector<Step>& steps = steps_.steps;
  for (size_t begin = 0, end = 0; begin < steps.size(); begin = end) {
    const auto goes_on = [&] {
      const Step& step = steps[end];
      return end < begin + kMostCalls && step.copy == nullptr && step.place == steps[begin].place && step.after < 0;
    };
    for (end = begin + 1; end < steps.size() && goes_on();) ++end;
    if (steps[begin].place.is_host() || steps[begin].copy != nullptr || end == begin + 1) continue;
    found.push_back({.begin = begin, .end = end});
  }
  return found;
}

void DeviceRun::Segment::run_stretch(RecordedCalls& stretch) {
  const size_t context = steps_.steps[stretch.begin].place.device - size_t{1};
  Queue& queue = *run_.contexts_[context].queue;
  const StepRange range(ranges_, [&] { return stretch_name(stretch); });
  before(stretch.begin);
  if (!std::exchange(stretch.was_tried, true) && queue.begin_recording()) {
    try {
      for (size_t i = stretch.begin; i < stretch.end; ++i) {
        const StepRange range(ranges_, [&] { return step_name(i); });
        segment_.run_call(i);
      }
    } catch (...) {
      queue.end_recording();
      throw;
    }
    stretch.recording = queue.end_recording();
    if (stretch.recording != nullptr) stretch.planned = bound_.planned();
  }
  if (stretch.recording == nullptr) {
    for (size_t i = stretch.begin; i < stretch.end; ++i) give(i);
    return;
  }
  work_[context].given = stretch.end;
  queue.replay(*stretch.recording);
  segment_.context.check();
}

/// Of the first device whose profiler shows any: it sees the thread, whatever that works for.
void DeviceRun::Segment::find_ranges() {
  for (size_t d = 0; d < work_.size() && ranges_ == nullptr; ++d) {
    if (uses(d)) ranges_ = run_.contexts_[d].ranges;
  }
}

/// For a profiler: "matmul (linear_0)".
std::string DeviceRun::Segment::step_name(size_t i) const {
  const Step& step = steps_.steps[i];
  const std::string_view op = step.copy == nullptr ? step.op.name() : step.copy->upload ? "copy to" : "copy from";
  return step.node == kNoNode && step.parts.empty() ? std::string(op)
                                                    : text(op, " (", node_name(segment_.graph, step), ")");
}

std::string DeviceRun::Segment::stretch_name(const RecordedCalls& stretch) const {
  return text(stretch.recording == nullptr ? "" : "recorded: ", counted(stretch.end - stretch.begin, "step"), " from ",
              step_name(stretch.begin), " to ", step_name(stretch.end - 1));
}

/// The operators on a device that nobody has waited for yet, for people.
std::string DeviceRun::Segment::unfinished(size_t context) const {
  constexpr size_t kMostNamed = 6;
  std::vector<std::string> names;
  for (size_t i = work_[context].done; i < work_[context].given; ++i) {
    const Step& step = steps_.steps[i];
    if (step.place.device == context + 1 && step.copy == nullptr)
      names.push_back(text(step.op.name(), " (", node_name(segment_.graph, step), ")"));
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
  const Step& step = steps_.steps[i];
  if (step.place.is_host() || !step.waits.empty()) end_turn();
  for (int copy : step.waits) {
    const size_t context = steps_.steps[static_cast<size_t>(copy)].place.device - size_t{1};
    std::string detail;
    check(context, run_.contexts_[context].queue->wait(events_[static_cast<size_t>(copy)], &detail), detail);
    work_[context].done = static_cast<size_t>(copy) + 1;
  }
  if (step.place.is_host()) return;
  const size_t context = step.place.device - size_t{1};
  work_[context].given = i + 1;
  Queue& queue = *run_.contexts_[context].queue;
  if (step.copy == nullptr) begin_turn(context);
  if (step.after >= 0) queue.order_after(events_[static_cast<size_t>(step.after)]);
  if (segment_.profile != nullptr) before_ = queue.record();
}

void DeviceRun::Segment::after(size_t i) {
  const Step& step = steps_.steps[i];
  if (step.place.is_host()) return;
  const size_t context = step.place.device - size_t{1};
  if (step.copy == nullptr && segment_.profile == nullptr) return;
  events_[i] = run_.contexts_[context].queue->record();
  if (segment_.profile == nullptr) return;
  // Copies are done beside kernels.
  segment_.profile->back().device =
      text(run_.contexts_[context].device.device->name, step.copy == nullptr ? "" : " copies");
  timed_.push_back({.event = segment_.profile->size() - 1, .context = context, .from = before_, .to = events_[i]});
}

void DeviceRun::Segment::finish() {
  end_turn();
  if (leave()) return;
  const StepRange range(ranges_, [] { return std::string("wait"); });
  for (size_t d = 0; d < work_.size(); ++d) {
    if (!uses(d)) continue;
    std::string detail;
    check(d, run_.contexts_[d].queue->finish(&detail), detail);
  }
  finished_ = true;
  for (size_t i = 0; i < bound_.calls.size(); ++i) {
    const CopyPlan* const copy = steps_.steps[i].copy.get();
    if (copy != nullptr && !copy->upload) take_staged(bound_.calls[i]);
  }
  run_.end_late_runs(run_.late_runs_.size());
  if (segment_.profile != nullptr) read_times();
}

/// What was measured while work was given becomes when it was done.
void DeviceRun::Segment::read_times() {
  for (const Timed& t : timed_) {
    const Queue::Span span = run_.contexts_[t.context].queue->span(t.from, t.to);
    if (span.begin_ns < 0 || span.duration_ns < 0) continue;
    ProfileEvent& event = (*segment_.profile)[t.event];
    event.start_ns = ns(work_[t.context].profile_start - segment_.run_start) + span.begin_ns;
    event.duration_ns = span.duration_ns;
  }
}

std::unique_ptr<DeviceRunner> make_device_runner(const std::vector<UsedDevice>& devices, size_t recording_bytes) {
  return std::make_unique<DeviceRun>(devices, recording_bytes);
}

}  // namespace coracle::internal
