// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/command_queue.h"

#include <algorithm>

#include "base/counted.h"
#include "base/deadline.h"
#include "base/error.h"
#include "devices/cuda/function.h"
#include "devices/cuda/opened.h"
#include "plan/call_failure.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kPoints = 64;       // events of points that are kept
constexpr size_t kTimed = 1U << 16;  // commands whose times are kept
constexpr size_t kTogether = 32;     // kernels with one event
constexpr size_t kAhead = 2;         // such events that the host may be ahead of the device

constexpr char kLost[] = "the device is gone";
constexpr char kFailed[] = "the device failed";

const char* reason_of(CUresult code) { return code == CUDA_ERROR_OUT_OF_MEMORY ? kNoMemoryFailure : kFailed; }

CUdeviceptr address(DeviceBytes bytes) { return reinterpret_cast<CUdeviceptr>(bytes.allocation) + bytes.offset; }

}  // namespace

CommandQueue::CommandQueue(std::shared_ptr<Opened> device) : device_(std::move(device)), api_(device_->api()) {
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
  finish_all();
  release(points_, points_.size());
  release(behind_, behind_.size());
  forget_times();
  faults_.reset();
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

CUresult CommandQueue::finish_all() noexcept {
  const CUresult kernels = api_.cuStreamSynchronize(kernels_);
  const CUresult copies = api_.cuStreamSynchronize(copies_);
  return kernels != CUDA_SUCCESS ? kernels : copies;
}

CUevent CommandQueue::event_of(CUstream stream, unsigned flags) noexcept {
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

std::deque<CommandQueue::KeptEvent>::const_iterator CommandQueue::kept(Event point) const noexcept {
  return std::lower_bound(points_.begin(), points_.end(), point,
                          [](const KeptEvent& e, Event m) { return e.point < m; });
}

void CommandQueue::release(std::deque<KeptEvent>& events, size_t count) noexcept {
  for (; count > 0; --count) {
    api_.cuEventDestroy_v2(events.front().event);
    events.pop_front();
  }
}

void CommandQueue::keep(const char* reason, CUresult code, const char* what, size_t bytes) noexcept {
  if (device_->lost()) reason = kLost;
  if (failure_ == nullptr) {
    failure_ = reason;
    try {
      detail_ = text("the device ", device_->info().name, device_->lost() ? " is gone: " : " failed: ", what);
      if (bytes != 0) detail_ += text(" of ", counted(bytes, "byte"));
      detail_ += text(": ", code_text(code));
    } catch (...) {
      detail_.clear();
    }
  }
}

void CommandQueue::note(CUresult code, const char* what, size_t bytes) noexcept {
  if (code == CUDA_SUCCESS) return;
  device_->note(code);
  keep(reason_of(code), code, what, bytes);
}

template <class F>
void CommandQueue::give(CUstream stream, const char* what, size_t bytes, const F& f) noexcept {
  const CUevent begin = profiling_ ? event_of(stream, CU_EVENT_DEFAULT) : nullptr;
  note(f(), what, bytes);
  if (begin == nullptr) return;
  const CUevent end = event_of(stream, CU_EVENT_DEFAULT);
  try {
    if (end != nullptr && commands_.size() < kTimed) {
      commands_.push_back({last_, begin, end});
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

bool CommandQueue::await(CUevent event) noexcept {
  const CUresult code = api_.cuEventSynchronize(event);
  note(code, "work under way", 0);
  return code == CUDA_SUCCESS;
}

void CommandQueue::note_kernel(bool may_end) noexcept {
  if (failed() || ++kernels_given_ < kTogether || !may_end) return;
  kernels_given_ = 0;
  const CUevent event = event_of(kernels_);
  if (event == nullptr) return;
  try {
    behind_.push_back({last_, event});
  } catch (...) {
    api_.cuEventDestroy_v2(event);
    return;
  }
  if (behind_.size() <= kAhead) return;
  await(behind_.front().event);
  release(behind_, 1);
}

void CommandQueue::launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
                          std::span<const gpu::Argument> arguments) noexcept {
  if (failed()) return;
  const auto& own = static_cast<const Function&>(function);
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
  if (code == CUDA_ERROR_INVALID_VALUE) {
    try {
      detail_ += text(": ", own.launch_text(grid));
    } catch (...) {  // without it
    }
  }
  note_kernel(run.deadline() != nullptr);
}

void CommandQueue::upload(const void* from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const ContextScope scope = device_->enter();
  has_copied_ = true;
  give(copies_, "a copy to it", bytes, [&] { return api_.cuMemcpyHtoDAsync_v2(address(to), from, bytes, copies_); });
}

void CommandQueue::download(DeviceBytes from, void* to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const ContextScope scope = device_->enter();
  const CUevent kernels = event_of(kernels_);
  if (kernels == nullptr) return;
  has_copied_ = true;
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
  may_have_faults_ |= own.may_have_faults();
  if (!own.launch(kernels_)) {
    for (const RecordedCommands::Command& c : own.commands()) {
      if (!failed()) give(kernels_, c.what, c.bytes, [&] { return c.give(kernels_); });
    }
  }
  kernels_given_ += own.commands().size();
  note_kernel(true);
}

DeviceBytes CommandQueue::faults() noexcept {
  if (faults_ == nullptr && !failed()) {
    try {
      faults_ = device_->allocate(sizeof(Fault));
      const ContextScope scope = device_->enter();
      clear_faults();
    } catch (...) {
      note(CUDA_ERROR_OUT_OF_MEMORY, "memory for the faults that kernels report", sizeof(Fault));
    }
  }
  may_have_faults_ = faults_ != nullptr;
  if (recorded_ != nullptr) recorded_->set_may_have_faults();
  return {faults_.get(), 0};
}

void CommandQueue::clear_faults() noexcept {
  note(api_.cuMemsetD8Async(address({faults_.get(), 0}), 0, sizeof(Fault), kernels_), "zeros to it", sizeof(Fault));
}

void CommandQueue::keep(const Fault& fault) noexcept {
  failure_ = kIndexFailure;
  try {
    detail_ = text_of(fault);
  } catch (...) {
    detail_.clear();
  }
}

Queue::Event CommandQueue::record() noexcept {
  const ContextScope scope = device_->enter();
  ++last_;
  if (failed()) return last_;
  if (!has_copied_) {
    // All before it were before the point before.
    if (points_.empty()) {
      done_ = last_;
    } else {
      points_.back().point = last_;
    }
    return last_;
  }
  const CUevent event = event_of(copies_);
  if (event == nullptr) return last_;
  try {
    // Whoever waits for a point that is not kept waits for the next that is.
    if (points_.size() == kPoints) release(points_, 1);
    points_.push_back({last_, event});
    has_copied_ = false;
  } catch (...) {
    api_.cuEventDestroy_v2(event);
  }
  return last_;
}

void CommandQueue::order_after(Event point) noexcept {
  if (failed() || point <= done_) return;
  const ContextScope scope = device_->enter();
  CUevent own = nullptr;
  const auto before = kept(point);
  if (before == points_.end()) own = event_of(copies_);
  const CUevent event = before == points_.end() ? own : before->event;
  if (event == nullptr) return;
  note(api_.cuStreamWaitEvent(kernels_, event, 0), "a wait", 0);
  if (own != nullptr) api_.cuEventDestroy_v2(own);
}

const char* CommandQueue::wait(Event point, std::string* detail) noexcept {
  if (failed()) return finish(detail);
  if (point <= done_) return nullptr;
  const ContextScope scope = device_->enter();
  const auto until = kept(point);
  if (until == points_.end()) return finish(detail);
  if (!await(until->event)) return finish(detail);
  done_ = until->point;
  release(points_, static_cast<size_t>(until - points_.cbegin()) + 1);
  return nullptr;
}

const char* CommandQueue::finish(std::string* detail) noexcept {
  const ContextScope scope = device_->enter();
  fault_ = {};
  if (may_have_faults_ && !failed()) {
    note(api_.cuMemcpyDtoHAsync_v2(fault_.data(), address({faults_.get(), 0}), sizeof(Fault), kernels_),
         "a copy from it", sizeof(Fault));
  }
  const CUresult code = finish_all();
  release(points_, points_.size());
  release(behind_, behind_.size());
  kernels_given_ = 0;
  has_copied_ = false;
  note(code, "work under way", 0);
  done_ = last_;
  if (!failed() && fault_[0] != 0) keep(fault_);
  if (may_have_faults_ && failed() && !device_->lost()) clear_faults();
  may_have_faults_ = false;
  return tell(detail);
}

const char* CommandQueue::tell(std::string* detail) noexcept {
  const char* reason = failure_;
  if (reason == nullptr) return nullptr;
  if (detail != nullptr) {
    try {
      *detail = detail_;
    } catch (...) {
      detail->clear();
    }
  }
  if (!device_->lost()) failure_ = nullptr;
  return reason;
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
