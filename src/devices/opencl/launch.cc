// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/launch.h"

#include <algorithm>
#include <mutex>

#include "base/error.h"
#include "devices/opencl/command_queue.h"
#include "devices/opencl/opened.h"

namespace coracle::opencl {

class Function {
 public:
  /// Throws Error.
  Function(std::shared_ptr<Opened> device, std::shared_ptr<const Program> program, std::string_view source,
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
  ~Function() { device_->api().clReleaseKernel(kernel_); }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  const std::string& name() const { return name_; }
  cl_int enqueue(CommandQueue& queue, const Grid& grid, std::span<const Argument> arguments) const noexcept;

 private:
  std::shared_ptr<Opened> device_;
  std::shared_ptr<const Program> program_;
  std::string name_;
  cl_kernel kernel_ = nullptr;
  size_t largest_group_ = 1;
  mutable std::mutex mutex_;  ///< arguments are the kernel's until it is enqueued
};

/// Sets the arguments of a kernel one after the other.
class ArgumentWriter {
 public:
  ArgumentWriter(const Api& api, cl_kernel kernel) : api_(api), kernel_(kernel) {}

  cl_int write(const Argument& argument) {
    switch (argument.kind_) {
      case Argument::Kind::kMemory: {
        const cl_int code = set(sizeof(cl_mem), &argument.allocation_);
        return code != CL_SUCCESS ? code : set(sizeof(argument.begin_), &argument.begin_);
      }
      case Argument::Kind::kInt: return set(sizeof(argument.int_), &argument.int_);
      case Argument::Kind::kLong: return set(sizeof(argument.long_), &argument.long_);
      case Argument::Kind::kFloat: return set(sizeof(argument.float_), &argument.float_);
    }
    return CL_INVALID_ARG_VALUE;
  }

 private:
  cl_int set(size_t size, const void* value) { return api_.clSetKernelArg(kernel_, next_++, size, value); }

  const Api& api_;
  cl_kernel kernel_;
  cl_uint next_ = 0;
};

namespace {

/// Items of a group where kernels do not say how many: the same for all sizes, as compilers make code for each.
constexpr size_t kGroup = 64;

}  // namespace

cl_int Function::enqueue(CommandQueue& queue, const Grid& grid, std::span<const Argument> arguments) const noexcept {
  size_t local[3] = {grid.local[0], grid.local[1], grid.local[2]};
  if (local[0] == 0) {
    local[0] = std::min(kGroup, largest_group_);
    local[1] = local[2] = 1;
  }
  size_t global[3];
  for (int d = 0; d < 3; ++d) {
    local[d] = std::max<size_t>(local[d], 1);
    global[d] = (grid.global[d] + local[d] - 1) / local[d] * local[d];
    if (global[d] == 0) return CL_SUCCESS;
  }
  const std::lock_guard lock(mutex_);
  ArgumentWriter writer(queue.api(), kernel_);
  for (const Argument& argument : arguments) {
    if (const cl_int code = writer.write(argument); code != CL_SUCCESS) return code;
  }
  return queue.api().clEnqueueNDRangeKernel(queue.handle(), kernel_, 3, nullptr, global, local, 0, nullptr,
                                            queue.next_event());
}

Argument::Argument(const TensorView& tensor)
    : Argument(DeviceBytes{tensor.data, tensor.offset}, size_of(tensor.fact->dtype)) {}
Argument::Argument(DeviceBytes bytes, size_t element)
    : kind_(Kind::kMemory), allocation_(bytes.allocation), begin_(bytes.offset / element) {}
Argument::Argument(int32_t value) : kind_(Kind::kInt), int_(value) {}
Argument::Argument(int64_t value) : kind_(Kind::kLong), long_(value) {}
Argument::Argument(float value) : kind_(Kind::kFloat), float_(value) {}

std::shared_ptr<const Function> compile(OpenDevice& device, std::string_view source, std::string_view name,
                                        std::string_view definitions) {
  return compile(device, Source{source}, name, definitions);
}

std::shared_ptr<const Function> compile(OpenDevice& device, const Source& source, std::string_view name,
                                        std::string_view definitions) {
  auto& opened = static_cast<Opened&>(device);
  return std::make_shared<Function>(opened.shared_from_this(), opened.programs().get(opened, source, definitions),
                                    source.name, name);
}

void launch(KernelCall& call, const Function& function, const Grid& grid,
            std::span<const Argument> arguments) noexcept {
  auto& queue = static_cast<CommandQueue&>(*call.queue);
  if (queue.failed()) return;
  queue.note(function.enqueue(queue, grid, arguments), function.name().c_str(), 0);
  queue.note_kernel(call.deadline() != nullptr);
}

}  // namespace coracle::opencl
