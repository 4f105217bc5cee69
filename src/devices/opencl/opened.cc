// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/opened.h"

#include <mutex>

#include "base/counted.h"
#include "base/error.h"
#include "devices/opencl/command_queue.h"
#include "devices/opencl/function.h"

namespace coracle::internal::opencl {
namespace {

constexpr size_t kHostAlignment = 128;

ErrorCode code_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE: return ErrorCode::kOutOfMemory;
    default: return ErrorCode::kUnsupported;
  }
}

}  // namespace

Opened::Opened(FoundDevice found) : api_(*loaded_api().api), found_(std::move(found)) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(found_.platform), 0};
  cl_int code = CL_SUCCESS;
  context_ = api_.clCreateContext(properties, 1, &found_.device, nullptr, nullptr, &code);
  require(code == CL_SUCCESS, code_of(code), "the device ", info().name, " cannot be opened: clCreateContext returned ",
          code_text(code));
  mapping_ = api_.clCreateCommandQueue(context_, id(), 0, &code);
  if (code != CL_SUCCESS) {
    api_.clReleaseContext(context_);
    fail(code_of(code), "the device ", info().name, " cannot be opened: clCreateCommandQueue returned ",
         code_text(code));
  }
}

Opened::~Opened() {
  programs_.clear();
  api_.clReleaseCommandQueue(mapping_);
  api_.clReleaseContext(context_);
}

std::unique_ptr<coracle::internal::Queue> Opened::make_queue() {
  return std::make_unique<CommandQueue>(shared_from_this());
}

cl_mem Opened::make_buffer(cl_mem_flags flags, size_t bytes, const char* what) {
  require(!lost(), ErrorCode::kRunFailure, "the device ", info().name, " is gone: the process has to open it again");
  // No block is empty, and what drivers say of one that is too large differs.
  cl_int code = bytes <= info().memory_bytes ? CL_SUCCESS : CL_INVALID_BUFFER_SIZE;
  cl_mem buffer = nullptr;
  if (code == CL_SUCCESS) buffer = api_.clCreateBuffer(context_, flags, bytes != 0 ? bytes : 1, nullptr, &code);
  if (code == CL_SUCCESS) return buffer;
  note(code, false);
  fail(code_of(code), "no memory for ", what, " of ", counted(bytes, "byte"), " on the device ", info().name,
       ", which has ", counted(info().memory_bytes, "byte"), ", ", info().largest_allocation,
       " in one block: clCreateBuffer returned ", code_text(code));
}

std::shared_ptr<void> Opened::allocate(size_t bytes) {
  cl_mem buffer = make_buffer(CL_MEM_READ_WRITE, bytes, "a block");
  return {static_cast<void*>(buffer),
          [api = &api_](void* block) { api->clReleaseMemObject(static_cast<cl_mem>(block)); }};
}

std::shared_ptr<void> Opened::allocate_host(size_t bytes) {
  const size_t whole = bytes + kHostAlignment;
  cl_mem buffer = make_buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, whole, "a copy's host memory");
  cl_int code = CL_SUCCESS;
  void* mapped = api_.clEnqueueMapBuffer(mapping_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, whole, 0, nullptr,
                                         nullptr, &code);
  if (code != CL_SUCCESS) {
    note(code, false);
    api_.clReleaseMemObject(buffer);
    fail(code_of(code), "no host memory of ", counted(bytes, "byte"), " for copies to the device ", info().name,
         ": clEnqueueMapBuffer returned ", code_text(code));
  }
  const size_t past = reinterpret_cast<uintptr_t>(mapped) % kHostAlignment;
  void* aligned = static_cast<char*>(mapped) + (past == 0 ? 0 : kHostAlignment - past);
  return {aligned, [self = shared_from_this(), buffer, mapped](void*) {
            self->api_.clEnqueueUnmapMemObject(self->mapping_, buffer, mapped, 0, nullptr, nullptr);
            self->api_.clFinish(self->mapping_);
            self->api_.clReleaseMemObject(buffer);
          }};
}

std::shared_ptr<const gpu::Function> Opened::compile(const gpu::Source& source, std::string_view name,
                                                     std::string_view definitions) {
  auto program = std::static_pointer_cast<const Program>(programs_.get(source, definitions));
  return std::make_shared<Function>(shared_from_this(), std::move(program), source.name, name);
}

void Opened::note(cl_int code, bool while_waiting) noexcept {
  switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT: lost_.store(true, std::memory_order_relaxed); break;
    case CL_OUT_OF_RESOURCES:  // of work under way: what drivers say of a fault, after which nothing works
      if (while_waiting) lost_.store(true, std::memory_order_relaxed);
      break;
    default: break;
  }
}

std::shared_ptr<OpenDevice> open(int index) {
  std::string missing;
  std::vector<FoundDevice> found = find_devices(missing);
  require(!found.empty(), ErrorCode::kUnsupported, "there is no OpenCL device: ", missing);
  require(index >= 0 && static_cast<size_t>(index) < found.size(), ErrorCode::kInvalidArgument,
          "there is no OpenCL device ", index, ": this machine has ", found.size(), ", counted from 0");
  FoundDevice& wanted = found[static_cast<size_t>(index)];
  struct Open {
    std::mutex mutex;
    std::vector<std::weak_ptr<Opened>> devices;
  };
  static Open& all = *new Open;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.devices, [](const auto& device) { return device.expired(); });
  for (const auto& weak : all.devices) {
    const std::shared_ptr<Opened> device = weak.lock();
    if (device != nullptr && device->id() == wanted.device && !device->lost()) return device;
  }
  auto device = std::make_shared<Opened>(std::move(wanted));
  all.devices.push_back(device);
  return device;
}

}  // namespace coracle::internal::opencl
