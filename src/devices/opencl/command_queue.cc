// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/command_queue.h"

#include <algorithm>
#include <utility>

#include "base/deadline.h"
#include "base/error.h"
#include "devices/opencl/function.h"
#include "devices/opencl/opened.h"
#include "plan/call_failure.h"

namespace coracle::internal::opencl {
namespace {

constexpr size_t kTimed = 1U << 16;  // commands whose times are kept

cl_mem memory(DeviceBytes bytes) { return static_cast<cl_mem>(bytes.allocation); }

}  // namespace

CommandQueue::CommandQueue(std::shared_ptr<Opened> device)
    : DriverQueue(*device), device_(std::move(device)), api_(device_->api()), kernels_(make(0)) {
  try {
    copies_ = make(0);
  } catch (...) {
    api_.clReleaseCommandQueue(kernels_);
    throw;
  }
}

CommandQueue::~CommandQueue() {
  close();
  release(commands_, commands_.size());
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

const char* CommandQueue::reason_of(int code) const noexcept {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY: return kNoMemoryFailure;
    default: return kFailed;
  }
}

void CommandQueue::tell_device(int code, bool while_waiting) noexcept { device_->note(code, while_waiting); }

void CommandQueue::finish_halves() noexcept {
  // Each may wait for the other: it has to have begun.
  api_.clFlush(copies_);
  const cl_int kernels = api_.clFinish(kernels_);
  const cl_int copies = api_.clFinish(copies_);
  note(kernels != CL_SUCCESS ? kernels : copies, "work under way", 0, true);
}

gpu::DriverQueue::DriverEvent CommandQueue::event_of(Half half) noexcept {
  cl_command_queue queue = half == Half::kKernels ? kernels_ : copies_;
  cl_event event = nullptr;
  const cl_int code = api_.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
  note(code, "a marker", 0);
  if (code != CL_SUCCESS) return nullptr;
  api_.clFlush(queue);  // the device begins while the host goes on
  return event;
}

void CommandQueue::release_event(DriverEvent event) noexcept { api_.clReleaseEvent(static_cast<cl_event>(event)); }

bool CommandQueue::await(DriverEvent event) noexcept {
  const auto own = static_cast<cl_event>(event);
  const cl_int code = api_.clWaitForEvents(1, &own);
  note(code, "work under way", 0, true);
  return code == CL_SUCCESS;
}

void CommandQueue::hold_kernels(DriverEvent event) noexcept {
  const auto own = static_cast<cl_event>(event);
  note(api_.clEnqueueBarrierWithWaitList(kernels_, 1, &own, nullptr), "a barrier", 0);
}

void CommandQueue::clear(DeviceBytes fault) noexcept {
  static constexpr Fault kNone{};
  note(api_.clEnqueueWriteBuffer(kernels_, memory(fault), CL_FALSE, fault.offset, sizeof(Fault), kNone.data(), 0,
                                 nullptr, nullptr),
       "a copy to it", sizeof(Fault));
}

void CommandQueue::read(DeviceBytes fault, Fault& to) noexcept {
  note(api_.clEnqueueReadBuffer(kernels_, memory(fault), CL_FALSE, fault.offset, sizeof(Fault), to.data(), 0, nullptr,
                                nullptr),
       "a copy from it", sizeof(Fault));
}

void CommandQueue::given(cl_int code, const char* what, size_t bytes) noexcept {
  note(code, what, bytes);
  if (code != CL_SUCCESS || event_ == nullptr) return;
  const cl_event event = std::exchange(event_, nullptr);
  try {
    if (commands_.size() == kTimed) release(commands_, kTimed / 2);
    commands_.push_back({last_point(), event});
  } catch (...) {
    api_.clReleaseEvent(event);
  }
}

void CommandQueue::launch(const RunContext& run, const gpu::Function& function, const gpu::Grid& grid,
                          std::span<const gpu::Argument> arguments) noexcept {
  if (failed()) return;
  const auto& own = static_cast<const Function&>(function);
  given(own.enqueue(*this, grid, arguments), own.name().c_str(), 0);
  note_kernels(1, run.deadline() != nullptr);
}

void CommandQueue::upload(const void* from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  note_copy();
  given(api_.clEnqueueWriteBuffer(copies_, memory(to), CL_FALSE, to.offset, bytes, from, 0, nullptr, next_event()),
        "a copy to it", bytes);
}

void CommandQueue::download(DeviceBytes from, void* to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  const auto kernels = static_cast<cl_event>(event_of(Half::kKernels));
  if (kernels == nullptr) return;
  note_copy();
  given(api_.clEnqueueReadBuffer(copies_, memory(from), CL_FALSE, from.offset, bytes, to, 1, &kernels, next_event()),
        "a copy from it", bytes);
  api_.clReleaseEvent(kernels);
}

void CommandQueue::copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept {
  if (failed() || bytes == 0) return;
  given(api_.clEnqueueCopyBuffer(kernels_, memory(from), memory(to), from.offset, to.offset, bytes, 0, nullptr,
                                 next_event()),
        "a copy on it", bytes);
}

void CommandQueue::profile(bool on) noexcept {
  release(commands_, commands_.size());
  profiling_ = false;
  if (on && !has_times_ && !failed()) {
    // Other queues, as one keeps times or does not from its beginning.
    finish_halves();
    forget_points();
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
    return api_.clGetEventProfilingInfo(static_cast<cl_event>(event.event), name, sizeof(value), &value, nullptr) ==
           CL_SUCCESS;
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
