// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/driver_state.h"

#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {
namespace {

/// Of a device of any architecture.
constexpr size_t kMostBlocks[] = {0x7fffffff, 65535, 65535};
constexpr size_t kMostThreads[] = {1024, 1024, 64};
constexpr size_t kMostThreadsTogether = 1024;
constexpr size_t kMostShared = size_t{48} << 10U;

}  // namespace

Driver& Driver::get() {
  static Driver& driver = *new Driver;
  return driver;
}

Driver::Driver() {
  streams.pause = [this] {
    mutex.unlock();
    std::this_thread::yield();
    mutex.lock();
    return calls.is_lost() ? static_cast<int>(cuda::CUDA_ERROR_UNKNOWN) : spoilt;
  };
}

bool Driver::is_pinned(const void* pointer, size_t bytes) const {
  const char* begin = static_cast<const char*>(pointer);
  auto it = pinned.upper_bound(begin);
  if (it == pinned.begin()) return false;
  --it;
  return begin + bytes <= it->first + it->second;
}

std::shared_ptr<Stream> Driver::stream_of(cuda::CUstream handle) {
  constexpr uintptr_t kPerThread = 2;
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number > kPerThread) return stream_handles.find(handle);
  std::shared_ptr<Stream>& stream = default_streams[number];
  if (stream == nullptr) stream = streams.add();
  return stream;
}

int Driver::check(const Launch& launch) {
  size_t together = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (launch.blocks[d] == 0 || launch.blocks[d] > kMostBlocks[d]) return cuda::CUDA_ERROR_INVALID_VALUE;
    if (launch.threads[d] == 0 || launch.threads[d] > kMostThreads[d]) return cuda::CUDA_ERROR_INVALID_VALUE;
    together *= launch.threads[d];
  }
  if (together > kMostThreadsTogether) return cuda::CUDA_ERROR_INVALID_VALUE;
  if (launch.function->kernel->shared_bytes() > kMostShared) stop("a kernel has more than 48 KiB of shared memory");
  return cuda::CUDA_SUCCESS;
}

int Driver::run(const Launch& launch) const {
  const Kernel& kernel = *launch.function->kernel;
  std::vector<DeviceMemory::Buffer> inner;
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    const std::string& bytes = launch.parameters[i];
    const auto number = static_cast<cl_uint>(i);
    cl_int code = CL_SUCCESS;
    if (!kernel.parameters()[i].is_memory) {
      code = clSetKernelArg(kernel.handle(), number, bytes.size(), bytes.data());
    } else {
      uint64_t address = 0;
      std::memcpy(&address, bytes.data(), sizeof(address));
      cl_mem buffer = nullptr;
      if (address != 0) {
        const DeviceMemory::Spot spot = memory->find(address, 1);
        if (spot.block == nullptr) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
        buffer = spot.offset == 0 ? spot.block->buffer : inner.emplace_back(memory->inside(spot)).get();
      }
      code = clSetKernelArg(kernel.handle(), number, sizeof(buffer), &buffer);
    }
    if (code != CL_SUCCESS) stop("clSetKernelArg failed");
  }
  size_t global[3];
  for (size_t d = 0; d < 3; ++d) global[d] = launch.blocks[d] * launch.threads[d];
  cl_command_queue queue = HostDevice::get().queue;
  if (clEnqueueNDRangeKernel(queue, kernel.handle(), 3, nullptr, global, launch.threads, 0, nullptr, nullptr) !=
          CL_SUCCESS ||
      clFinish(queue) != CL_SUCCESS) {
    stop("clEnqueueNDRangeKernel failed");
  }
  Driver::get().streams.log('k');
  return cuda::CUDA_SUCCESS;
}

bool Driver::can_run(const Launch& launch) const {
  if (functions.find(launch.handle) == nullptr) return false;
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    if (!launch.function->kernel->parameters()[i].is_memory) continue;
    uint64_t address = 0;
    std::memcpy(&address, launch.parameters[i].data(), sizeof(address));
    if (address != 0 && memory->find(address, 1).block == nullptr) return false;
  }
  return true;
}

int Driver::done(int code) {
  if (code != 0) spoilt = code;
  return code;
}

void Driver::end_context() {
  streams.clear();
  stream_handles.clear();
  default_streams.clear();
  events.clear();
  graphs.clear();
  graph_execs.clear();
  functions.clear();
  modules.clear();
  for (const auto& [block, bytes] : pinned) std::free(const_cast<char*>(block));
  pinned.clear();
  if (memory != nullptr) memory->clear();
  context = nullptr;
  holders = 0;
  spoilt = 0;
}

int64_t Driver::live() const {
  const size_t blocks = memory == nullptr ? 0 : memory->blocks();
  return static_cast<int64_t>(blocks + pinned.size() + stream_handles.count() + events.count() + graphs.count() +
                              graph_execs.count() + modules.count()) +
         holders + described;
}

std::vector<cuda::CUcontext>& context_stack() {
  thread_local std::vector<cuda::CUcontext> stack;
  return stack;
}

Call::Call(const char* function, Needs needs)
    : lock_(Driver::get().mutex), code_(Driver::get().calls.enter(function, needs != Needs::kNothing)) {
  if (code_ != 0 || needs == Needs::kNothing) return;
  Driver& driver = Driver::get();
  if (driver.memory == nullptr) {
    code_ = cuda::CUDA_ERROR_NOT_INITIALIZED;
  } else if (needs != Needs::kDevice) {
    const std::vector<cuda::CUcontext>& stack = context_stack();
    code_ = stack.empty()                                                 ? cuda::CUDA_ERROR_INVALID_CONTEXT
            : driver.context == nullptr || stack.back() != driver.context ? cuda::CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                                          : driver.spoilt;
    if (code_ == 0 && needs == Needs::kOutsideCapture && driver.streams.invalidate_capture()) {
      code_ = cuda::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  }
}

}  // namespace coracle::internal::fake_cuda
