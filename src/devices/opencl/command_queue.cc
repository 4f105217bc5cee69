// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/command_queue.h"

#include <algorithm>

#include "base/counted.h"
#include "base/deadline.h"
#include "base/error.h"
#include "devices/opencl/function.h"
#include "devices/opencl/opened.h"
#include "plan/call_failure.h"

namespace coracle::internal::opencl {
namespace {

constexpr size_t kPoints = 64;       // events of points that are kept
constexpr size_t kTimed = 1U << 16;  // commands whose times are kept
constexpr size_t kTogether = 32;     // kernels with one event
constexpr size_t kAhead = 2;         // such events that the host may be ahead of the device

constexpr char kLost[] = "the device is gone";
constexpr char kFailed[] = "the device failed";

const char* reason_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY: return kNoMemoryFailure;
    default: return kFailed;
  }
}

cl_mem memory(DeviceBytes bytes) { return static_cast<cl_mem>(bytes.allocation); }

}  // namespace

CommandQueue::CommandQueue(std::shared_ptr<Opened> device)
    : device_(std::move(device)), api_(device_->api()), kernels_(make(0)) {
  try {
    copies_ = make(0);
  } catch (...) {
    api_.clReleaseCommandQueue(kernels_);
    throw;
  }
}

CommandQueue::~CommandQueue() {
  finish_all();
  release(points_, points_.size());
  release(commands_, commands_.size());
  release(behind_, behind_.size());
  if (faults_ != nullptr) api_.clReleaseMemObject(faults_);
  api_.clReleaseCommandQueue(copies_);
  api_.clReleaseCommandQueue(kernels_);
}

cl_command_queue CommandQueue::make(cl_command_queue_properties properties) const {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = api_.clCreateCommandQueue(device_->context(), device_->id(), properties, &code);
  device_->note(code, false);
  require(code == CL_SUCCESS, ErrorCode::kRunFailure, "the device ", device_->info().name,
          " accepts no work: clCreateCommandQueue returned ", code_text(code));
  return queue;
}

cl_int CommandQueue::finish_all() noexcept {
  // Each may wait for the other: it has to have begun.
  api_.clFlush(copies_);
  const cl_int kernels = api_.clFinish(kernels_);
  const cl_int copies = api_.clFinish(copies_);
  return kernels != CL_SUCCESS ? kernels : copies;
}

cl_event CommandQueue::event_of(cl_command_queue queue) noexcept {
  cl_event event = nullptr;
  const cl_int code = api_.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
  if (code != CL_SUCCESS) {
    device_->note(code, false);
    keep(reason_of(code), code, "a marker", 0);
    return nullptr;
  }
  api_.clFlush(queue);  // the device begins while the host goes on
  return event;
}

std::deque<CommandQueue::KeptEvent>::const_iterator CommandQueue::kept(Event point) const noexcept {
  return std::lower_bound(points_.begin(), points_.end(), point,
                          [](const KeptEvent& e, Event m) { return e.point < m; });
}

void CommandQueue::release(std::deque<KeptEvent>& events, size_t count) noexcept {
  for (; count > 0; --count) {
    api_.clReleaseEvent(events.front().event);
    events.pop_front();
  }
}

void CommandQueue::keep(const char* reason, cl_int code, const char* what, size_t bytes) noexcept {
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

void CommandQueue::note(cl_int code, const char* what, size_t bytes) noexcept {
  if (code != CL_SUCCESS) {
    device_->note(code, false);
    keep(reason_of(code), code, what, bytes);
    return;
  }
  if (event_ == nullptr) return;
  const cl_event event = std::exchange(event_, nullptr);
  try {
    if (commands_.size() == kTimed) release(commands_, kTimed / 2);
    commands_.push_back({last_, event});
  } catch (...) {
    api_.clReleaseEvent(event);
  }
}

bool CommandQueue::await(cl_event event) noexcept {
  const cl_int code = api_.clWaitForEvents(1, &event);
  if (code == CL_SUCCESS) return true;
  device_->note(code, true);
  keep(reason_of(code), code, "work under way", 0);
  return false;
}

void CommandQueue::note_kernel(bool may_end) noexcept {
  if (failed() || ++kernels_given_ < kTogether || !may_end) return;
  kernels_given_ = 0;
  const cl_event event = event_of(kernels_);
  if (event == nullptr) return;
  try {
    behind_.push_back({last_, event});
  } catch (...) {
    api_.clReleaseEvent(event);
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
  note(own.enqueue(*this, grid, arguments), own.name().c_str(), 0);
  note_kernel(run.deadline() != nullptr);
}

void CommandQueue::upload(const void* from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  has_copied_ = true;
  note(api_.clEnqueueWriteBuffer(copies_, memory(to), CL_FALSE, to.offset, bytes, from, 0, nullptr, next_event()),
       "a copy to it", bytes);
}

void CommandQueue::download(DeviceBytes from, void* to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const cl_event kernels = event_of(kernels_);
  if (kernels == nullptr) return;
  has_copied_ = true;
  note(api_.clEnqueueReadBuffer(copies_, memory(from), CL_FALSE, from.offset, bytes, to, 1, &kernels, next_event()),
       "a copy from it", bytes);
  api_.clReleaseEvent(kernels);
}

void CommandQueue::copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  note(api_.clEnqueueCopyBuffer(kernels_, memory(from), memory(to), from.offset, to.offset, bytes, 0, nullptr,
                                next_event()),
       "a copy on it", bytes);
}

DeviceBytes CommandQueue::faults() noexcept {
  if (faults_ == nullptr && !failed()) {
    cl_int code = CL_SUCCESS;
    faults_ = api_.clCreateBuffer(device_->context(), CL_MEM_READ_WRITE, sizeof(Fault), nullptr, &code);
    if (code == CL_SUCCESS) {
      clear_faults();
    } else {
      faults_ = nullptr;
      note(code, "memory for the faults that kernels report", sizeof(Fault));
    }
  }
  may_have_faults_ = faults_ != nullptr;
  return {faults_, 0};
}

void CommandQueue::clear_faults() noexcept {
  static constexpr Fault kNone{};
  const cl_int code =
      api_.clEnqueueWriteBuffer(kernels_, faults_, CL_FALSE, 0, sizeof(Fault), kNone.data(), 0, nullptr, nullptr);
  note(code, "a copy to it", sizeof(Fault));
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
  const cl_event event = event_of(copies_);
  if (event == nullptr) return last_;
  try {
    // Whoever waits for a point that is not kept waits for the next that is.
    if (points_.size() == kPoints) release(points_, 1);
    points_.push_back({last_, event});
    has_copied_ = false;
  } catch (...) {
    api_.clReleaseEvent(event);
  }
  return last_;
}

void CommandQueue::order_after(Event point) noexcept {
  if (failed() || point <= done_) return;
  cl_event own = nullptr;
  const auto before = kept(point);
  if (before == points_.end()) own = event_of(copies_);
  const cl_event event = before == points_.end() ? own : before->event;
  if (event == nullptr) return;
  note(api_.clEnqueueBarrierWithWaitList(kernels_, 1, &event, nullptr), "a barrier", 0);
  if (own != nullptr) api_.clReleaseEvent(own);
}

const char* CommandQueue::wait(Event point, std::string* detail) noexcept {
  if (failed()) return finish(detail);
  if (point <= done_) return nullptr;
  const auto until = kept(point);
  if (until == points_.end()) return finish(detail);
  if (!await(until->event)) return finish(detail);
  done_ = until->point;
  release(points_, static_cast<size_t>(until - points_.cbegin()) + 1);
  return nullptr;
}

const char* CommandQueue::finish(std::string* detail) noexcept {
  fault_ = {};
  if (may_have_faults_ && !failed()) {
    note(api_.clEnqueueReadBuffer(kernels_, faults_, CL_FALSE, 0, sizeof(Fault), fault_.data(), 0, nullptr, nullptr),
         "a copy from it", sizeof(Fault));
  }
  const cl_int code = finish_all();
  release(points_, points_.size());
  release(behind_, behind_.size());
  kernels_given_ = 0;
  has_copied_ = false;
  if (code != CL_SUCCESS) {
    device_->note(code, true);
    keep(reason_of(code), code, "work under way", 0);
  }
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
  release(commands_, commands_.size());
  profiling_ = false;
  if (on && !has_times_ && !failed()) {
    // Other queues, as one keeps times or does not from its beginning.
    const cl_int done = finish_all();
    if (done != CL_SUCCESS) {
      device_->note(done, true);
      keep(reason_of(done), done, "work under way", 0);
    }
    release(points_, points_.size());
    has_copied_ = false;
    for (cl_command_queue* queue : {&kernels_, &copies_}) {
      cl_int code = CL_SUCCESS;
      cl_command_queue timed =
          api_.clCreateCommandQueue(device_->context(), device_->id(), CL_QUEUE_PROFILING_ENABLE, &code);
      if (code != CL_SUCCESS) return;
      api_.clReleaseCommandQueue(std::exchange(*queue, timed));
    }
    has_times_ = true;
  }
  profiling_ = on && has_times_;
}

Queue::Span CommandQueue::span(Event from, Event to) noexcept {
  const auto at = [&](Event point) {
    return std::lower_bound(commands_.begin(), commands_.end(), point,
                            [](const KeptEvent& e, Event m) { return e.point < m; });
  };
  const auto time = [&](const KeptEvent& event, cl_profiling_info name, cl_ulong& value) {
    return api_.clGetEventProfilingInfo(event.event, name, sizeof(value), &value, nullptr) == CL_SUCCESS;
  };
  const auto begin = at(from);
  const auto end = at(to);
  Span span;
  cl_ulong origin = 0;
  if (commands_.empty() || !time(commands_.front(), CL_PROFILING_COMMAND_QUEUED, origin)) return span;
  int64_t duration = 0;
  for (auto it = begin; it != end; ++it) {
    cl_ulong started = 0;
    cl_ulong ended = 0;
    if (!time(*it, CL_PROFILING_COMMAND_START, started) || !time(*it, CL_PROFILING_COMMAND_END, ended)) return {};
    if (it == begin) span.begin_ns = std::max<int64_t>(0, static_cast<int64_t>(started - origin));
    duration += static_cast<int64_t>(ended - started);
  }
  span.duration_ns = duration;
  return span;
}

}  // namespace coracle::internal::opencl
