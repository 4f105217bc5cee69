// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/function.h"

#include "base/error.h"
#include "devices/opencl/command_queue.h"
#include "devices/opencl/opened.h"

namespace coracle::internal::opencl {

Function::Function(std::shared_ptr<Opened> device, std::shared_ptr<const Program> program, std::string_view source,
                   std::string_view name)
    : device_(std::move(device)), program_(std::move(program)), name_(name) {
  const Api& api = device_->api();
  cl_int code = CL_SUCCESS;
  kernel_ = api.clCreateKernel(program_->handle(), name_.c_str(), &code);
  require(code == CL_SUCCESS, ErrorCode::kUnsupported, "kernels/", source, ".cl gives no function ", name,
          " for the device ", device_->info().name, ": clCreateKernel returned ", code_text(code));
  if (api.clGetKernelWorkGroupInfo(kernel_, device_->id(), CL_KERNEL_WORK_GROUP_SIZE, sizeof(largest_group_),
                                   &largest_group_, nullptr) != CL_SUCCESS) {
    largest_group_ = 1;
  }
}

Function::~Function() { device_->api().clReleaseKernel(kernel_); }

cl_int Function::enqueue(CommandQueue& queue, const gpu::Grid& grid,
                         std::span<const gpu::Argument> arguments) const noexcept {
  const gpu::Grid whole = gpu::whole_groups(grid, largest_group_);
  for (const size_t items : whole.global) {
    if (items == 0) return CL_SUCCESS;
  }
  const Api& api = queue.api();
  const std::lock_guard lock(mutex_);
  cl_int code = CL_SUCCESS;
  cl_uint next = 0;
  const auto set = [&](size_t size, const void* value) {
    if (code == CL_SUCCESS) code = api.clSetKernelArg(kernel_, next++, size, value);
  };
  for (const gpu::Argument& argument : arguments) {
    if (argument.allocation() != nullptr) set(sizeof(cl_mem), argument.allocation());
    set(argument.size(), argument.value());
  }
  if (code != CL_SUCCESS) return code;
  return api.clEnqueueNDRangeKernel(queue.handle(), kernel_, 3, nullptr, whole.global, whole.local, 0, nullptr,
                                    queue.next_event());
}

}  // namespace coracle::internal::opencl
