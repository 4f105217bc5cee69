// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/command_queue.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/deadline.h"
#include "base/error.h"
#include "devices/cuda/function.h"
#include "devices/cuda/opened.h"
#include "devices/cuda/user_stream.h"
#include "plan/call_failure.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kTimed = 1U << 16;  // commands whose times are kept

CUdeviceptr address(DeviceBytes bytes) { return reinterpret_cast<CUdeviceptr>(bytes.allocation) + bytes.offset; }

}  // namespace

CommandQueue::CommandQueue(std::shared_ptr<Opened> device)
    : DriverQueue(*device), device_(std::move(device)), api_(device_->api()) {
  const ContextScope scope = device_->enter();
  kernels_ = make();
  try {
    copies_ = make();
  } catch (...) {
    api_.cuStreamDestroy_v2(kernels_);
    throw;
  }
}

CommandQueue::~CommandQueue() {
  const ContextScope scope = device_->enter();
  close();
  forget_times();
  end_turn();
  if (Turns& turns = device_->turns(); turns.process == this_process()) {
    const std::lock_guard lock(turns.mutex);
    if (turns.last == kernels_) turns.last = nullptr;
  }
  api_.cuStreamDestroy_v2(copies_);
  api_.cuStreamDestroy_v2(kernels_);
}

CUstream CommandQueue::make() const {
  CUstream stream = nullptr;
  const CUresult code = api_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  device_->note(code);
  require(code == CUDA_SUCCESS, code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kRunFailure,
          "the device ", device_->info().name, " accepts no work: cuStreamCreate returned ", code_text(code));
  return stream;
}

const char* CommandQueue::reason_of(int code) const noexcept {
  return code == CUDA_ERROR_OUT_OF_MEMORY ? kNoMemoryFailure : kFailed;
}

void CommandQueue::tell_device(int code, bool /*while_waiting*/) noexcept { device_->note(code); }

void CommandQueue::finish_halves() noexcept {
  const CUresult kernels = api_.cuStreamSynchronize(kernels_);
  const CUresult copies = api_.cuStreamSynchronize(copies_);
  note(kernels != CUDA_SUCCESS ? kernels : copies, "work under way", 0);
}

CUevent CommandQueue::recorded_event(CUstream stream, unsigned flags) noexcept {
  CUevent event = nullptr;
  CUresult code = api_.cuEventCreate(&event, flags);
  if (code == CUDA_SUCCESS) {
    code = api_.cuEventRecord(event, stream);
    if (code != CUDA_SUCCESS) api_.cuEventDestroy_v2(event);
  }
  if (code == CUDA_SUCCESS) return event;
  note(code, "an event", 0);
  return nullptr;
}

gpu::DriverQueue::DriverEvent CommandQueue::event_of(Half half) noexcept {
  return recorded_event(half == Half::kKernels ? kernels_ : copies_, CU_EVENT_DISABLE_TIMING);
}

void CommandQueue::release_event(DriverEvent event) noexcept { api_.cuEventDestroy_v2(static_cast<CUevent>(event)); }

bool CommandQueue::await(DriverEvent event) noexcept {
  const CUresult code = api_.cuEventSynchronize(static_cast<CUevent>(event));
  note(code, "work under way", 0);
  return code == CUDA_SUCCESS;
}

void CommandQueue::hold_kernels(DriverEvent event) noexcept {
  note(api_.cuStreamWaitEvent(kernels_, static_cast<CUevent>(event), 0), "a wait", 0);
}

void CommandQueue::clear(DeviceBytes fault) noexcept {
  note(api_.cuMemsetD8Async(address(fault), 0, sizeof(Fault), kernels_), "zeros to it", sizeof(Fault));
}

void CommandQueue::read(DeviceBytes fault, Fault& to) noexcept {
  note(api_.cuMemcpyDtoHAsync_v2(to.data(), address(fault), sizeof(Fault), kernels_), "a copy from it", sizeof(Fault));
}

template <class F>
void CommandQueue::give(CUstream stream, const char* what, size_t bytes, const F& f) noexcept {
  const CUevent begin = profiling_ ? recorded_event(stream, CU_EVENT_DEFAULT) : nullptr;
  note(f(), what, bytes);
  if (begin == nullptr) return;
  const CUevent end = recorded_event(stream, CU_EVENT_DEFAULT);
  try {
    if (end != nullptr && commands_.size() < kTimed) {
      commands_.push_back({last_point(), begin, end});
      return;
    }
  } catch (...) {  // without its times
  }
  api_.cuEventDestroy_v2(begin);
  if (end != nullptr) api_.cuEventDestroy_v2(end);
}

void CommandQueue::forget_times() noexcept {
  for (const Timed& command : commands_) {
    api_.cuEventDestroy_v2(command.begin);
    api_.cuEventDestroy_v2(command.end);
  }
  commands_.clear();
}

void CommandQueue::launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
                          std::span<const gpu::Argument> arguments) noexcept {
  if (failed()) return;
  const auto& own = static_cast<const Command&>(function);
  if (recorded_ != nullptr) {
    return recorded_->add([&]() -> RecordedCommands::Command {
      return {[&own, grid, kept = std::vector(arguments.begin(), arguments.end())](CUstream stream) {
                return own.enqueue(stream, grid, kept);
              },
              own.name().c_str()};
    });
  }
  const ContextScope scope = device_->enter();
  CUresult code = CUDA_SUCCESS;
  give(kernels_, own.name().c_str(), 0, [&] { return code = own.enqueue(kernels_, grid, arguments); });
  if (code == CUDA_ERROR_INVALID_VALUE) add_detail([&] { return text(": ", own.launch_text(grid)); });
  note_kernels(1, run.deadline() != nullptr);
}

void CommandQueue::upload(const void* from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const ContextScope scope = device_->enter();
  note_copy();
  give(copies_, "a copy to it", bytes, [&] { return api_.cuMemcpyHtoDAsync_v2(address(to), from, bytes, copies_); });
}

void CommandQueue::download(DeviceBytes from, void* to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const ContextScope scope = device_->enter();
  const auto kernels = static_cast<CUevent>(event_of(Half::kKernels));
  if (kernels == nullptr) return;
  note_copy();
  note(api_.cuStreamWaitEvent(copies_, kernels, 0), "a wait", 0);
  if (!failed()) {
    give(copies_, "a copy from it", bytes,
         [&] { return api_.cuMemcpyDtoHAsync_v2(to, address(from), bytes, copies_); });
  }
  api_.cuEventDestroy_v2(kernels);
}

void CommandQueue::copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const auto copy_on = [this, from, to, bytes](CUstream stream) {
    return api_.cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream);
  };
  constexpr char kWhat[] = "a copy on it";
  if (recorded_ != nullptr) {
    return recorded_->add([&]() -> RecordedCommands::Command { return {copy_on, kWhat, bytes}; });
  }
  const ContextScope scope = device_->enter();
  give(kernels_, kWhat, bytes, [&] { return copy_on(kernels_); });
}

bool CommandQueue::begin_recording() noexcept {
  if (failed() || profiling_ || !device_->uses_graphs()) return false;
  try {
    recorded_ = std::make_unique<RecordedCommands>(device_);
  } catch (...) {  // none without memory
  }
  return recorded_ != nullptr;
}

std::unique_ptr<Recording> CommandQueue::end_recording() noexcept {
  std::unique_ptr<RecordedCommands> recorded = std::move(recorded_);
  if (recorded == nullptr || failed()) return nullptr;
  const ContextScope scope = device_->enter();
  if (!recorded->capture()) return nullptr;
  return recorded;
}

void CommandQueue::replay(Recording& recording) noexcept {
  if (failed()) return;
  const ContextScope scope = device_->enter();
  auto& own = static_cast<RecordedCommands&>(recording);
  if (own.may_have_faults()) DriverQueue::faults();
  if (!own.launch(kernels_)) {
    for (const RecordedCommands::Command& c : own.commands()) {
      if (!failed()) give(kernels_, c.what, c.bytes, [&] { return c.give(kernels_); });
    }
  }
  note_kernels(own.commands().size(), true);
}

/// The event is recorded by who waits for it: a queue that nobody takes turns with has none.
void CommandQueue::begin_turn() noexcept {
  Turns& turns = device_->turns();
  if (failed() || has_turn_ || turns.process != this_process()) return;
  turns.mutex.lock();
  has_turn_ = true;
  if (turns.last != nullptr && turns.last != kernels_) {
    const ContextScope scope = device_->enter();
    if (const CUevent before = recorded_event(turns.last, CU_EVENT_DISABLE_TIMING); before != nullptr) {
      hold_kernels(before);
      api_.cuEventDestroy_v2(before);
    }
  }
  if (!failed()) turns.last = kernels_;
}

void CommandQueue::end_turn() noexcept {
  if (std::exchange(has_turn_, false)) device_->turns().mutex.unlock();
}

bool CommandQueue::shows_ranges() const noexcept { return device_->ranges() != nullptr; }

void CommandQueue::begin_range(const char* name) noexcept {
  if (shows_ranges()) device_->ranges()->push(name);
}

void CommandQueue::end_range() noexcept {
  if (shows_ranges()) device_->ranges()->pop();
}

void CommandQueue::follow(const StreamPoint& point) noexcept {
  if (failed()) return;
  const ContextScope scope = device_->enter();
  const CUevent event = static_cast<const UserStreamPoint&>(point).event();
  for (const CUstream stream : {kernels_, copies_}) {
    note(api_.cuStreamWaitEvent(stream, event, 0), "a wait for a stream of the user's", 0);
  }
}

/// Copies to the device wait for no kernel else, and are given by later runs where these ones may still read.
std::shared_ptr<const StreamPoint> CommandQueue::leave(const StreamPoint& of_stream) noexcept {
  if (failed() || may_have_faults()) return nullptr;
  const ContextScope scope = device_->enter();
  try {
    auto end = std::make_shared<const UserStreamPoint>(device_, kernels_, "a run");
    for (const CUstream stream : {static_cast<const UserStreamPoint&>(of_stream).stream(), copies_}) {
      note(api_.cuStreamWaitEvent(stream, end->event(), 0), "a wait for a run", 0);
    }
    if (!failed()) return end;
  } catch (...) {  // NOLINT(bugprone-empty-catch): then somebody waits
  }
  return nullptr;
}

Queue::Event CommandQueue::record() noexcept {
  const ContextScope scope = device_->enter();
  return DriverQueue::record();
}

void CommandQueue::order_after(Event point) noexcept {
  const ContextScope scope = device_->enter();
  DriverQueue::order_after(point);
}

const char* CommandQueue::wait(Event point, std::string* detail) noexcept {
  const ContextScope scope = device_->enter();
  return DriverQueue::wait(point, detail);
}

const char* CommandQueue::finish(std::string* detail) noexcept {
  const ContextScope scope = device_->enter();
  return DriverQueue::finish(detail);
}

DeviceBytes CommandQueue::faults() noexcept {
  if (recorded_ != nullptr) recorded_->set_may_have_faults();
  const ContextScope scope = device_->enter();
  return DriverQueue::faults();
}

void CommandQueue::profile(bool on) noexcept {
  const ContextScope scope = device_->enter();
  forget_times();
  profiling_ = on && !failed();
}

Queue::Span CommandQueue::span(Event from, Event to) noexcept {
  const ContextScope scope = device_->enter();
  const auto at = [&](Event point) {
    return std::lower_bound(commands_.begin(), commands_.end(), point,
                            [](const Timed& command, Event wanted) { return command.point < wanted; });
  };
  constexpr double kNanoseconds = 1e6;  // in a millisecond
  const auto between = [&](CUevent begin, CUevent end, int64_t& ns) {
    float ms = 0;
    if (api_.cuEventElapsedTime(&ms, begin, end) != CUDA_SUCCESS) return false;
    ns = static_cast<int64_t>(static_cast<double>(ms) * kNanoseconds);
    return true;
  };
  Span span;
  if (commands_.empty()) return span;
  const auto begin = at(from);
  const auto end = at(to);
  int64_t duration = 0;
  for (auto it = begin; it != end; ++it) {
    int64_t taken = 0;
    if (!between(it->begin, it->end, taken)) return {};
    if (it == begin) {
      int64_t before = 0;
      if (!between(commands_.front().begin, it->begin, before)) return {};
      span.begin_ns = std::max<int64_t>(0, before);
    }
    duration += taken;
  }
  span.duration_ns = duration;
  return span;
}

}  // namespace coracle::internal::cuda
