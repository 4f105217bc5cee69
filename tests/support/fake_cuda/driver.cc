// SPDX-License-Identifier: Apache-2.0
// The stand-in for libcuda.so.1: the functions that devices/cuda/driver.h declares.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/fake_cuda.h"
#include "support/fake_cuda/stop.h"

using namespace coracle::internal::cuda;       // NOLINT(google-build-using-namespace): the names that it exports
using namespace coracle::internal::fake_cuda;  // NOLINT(google-build-using-namespace)

namespace {

Driver& driver() { return Driver::get(); }

/// Where bytes of the device are now; null where there is no such memory.
char* there(CUdeviceptr address, size_t bytes) {
  const DeviceMemory::Spot spot = driver().memory->find(address, bytes);
  return spot.block == nullptr ? nullptr : spot.block->host.get() + spot.offset;
}

/// Gives a stream work on two pieces of device memory, of which the second may be none.
int give_bytes(CUstream handle, CUdeviceptr a, CUdeviceptr b, size_t bytes, std::function<void(char*, char*)> work) {
  const std::shared_ptr<Stream> stream = driver().stream_of(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (there(a, bytes) == nullptr || (b != 0 && there(b, bytes) == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  const auto run = [=] {
    work(there(a, bytes), b == 0 ? nullptr : there(b, bytes));
    return 0;
  };
  const auto can_run = [=] { return there(a, bytes) != nullptr && (b == 0 || there(b, bytes) != nullptr); };
  Streams::give(*stream, run, can_run);
  return CUDA_SUCCESS;
}

void upload(char* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  driver().streams.log('u');
}

void require_host(const void* pointer) {
  if (driver().memory->is_device(pointer)) stop("an address of the device is given as one of the host");
}

}  // namespace

extern "C" {

void fake_cuda_fail(const char* function, int code, int64_t skipped) {
  const std::lock_guard lock(driver().mutex);
  driver().calls.fail(function, code, skipped);
}
void fake_cuda_lose(int64_t number) {
  const std::lock_guard lock(driver().mutex);
  if (number == 0) driver().end_context();
  driver().calls.lose(number);
}
int64_t fake_cuda_calls(const char* function) {
  const std::lock_guard lock(driver().mutex);
  return driver().calls.count(function);
}
int64_t fake_cuda_live() {
  const std::lock_guard lock(driver().mutex);
  return driver().live();
}
void fake_cuda_seed(uint64_t seed) {
  const std::lock_guard lock(driver().mutex);
  driver().streams.seed(seed);
}
const char* fake_cuda_log(int on) {
  const std::lock_guard lock(driver().mutex);
  driver().streams.keep_log(on != 0);
  return driver().streams.logged().c_str();
}
void fake_cuda_takes(int64_t way, double ms) {
  const std::lock_guard lock(driver().mutex);
  driver().takes_ms[way] = ms;
}
void fake_cuda_limit(uint64_t bytes) {
  const std::lock_guard lock(driver().mutex);
  if (driver().memory != nullptr) driver().memory->limit(bytes);
}

CUresult cuInit(unsigned) {
  ENTER(kNothing);
  if (driver().memory != nullptr) return CUDA_SUCCESS;
  if (HostDevice::get().id == nullptr) {
    std::fprintf(stderr, "fake CUDA driver: OpenCL has no device that is a processor (Debian: pocl-opencl-icd)\n");
    return CUDA_ERROR_NO_DEVICE;
  }
  driver().memory = std::make_unique<DeviceMemory>(HostDevice::get().context);
  driver().streams.seed(static_cast<uint64_t>(setting("FAKE_CUDA_SEED", 1)));
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  ENTER(kNothing);
  *version = setting("FAKE_CUDA_VERSION", 12000);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  ENTER(kDevice);
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int index) {
  ENTER(kDevice);
  *device = 0;
  return index == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int room, CUdevice) {
  ENTER(kDevice);
  std::snprintf(name, static_cast<size_t>(room), "fake GPU");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  ENTER(kDevice);
  std::memcpy(uuid->bytes, "coracle fake GPU", sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  ENTER(kDevice);
  const int architecture = setting("FAKE_CUDA_ARCHITECTURE", 80);
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = architecture / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = architecture % 10; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  ENTER(kDevice);
  *bytes = driver().memory->limit();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ENTER(kDevice);
  static uintptr_t last = 0;
  if (driver().holders++ == 0) driver().context = reinterpret_cast<CUcontext>(last += 16);
  *context = driver().context;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  ENTER(kNothing);
  if (driver().holders == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--driver().holders == 0) {
    if (driver().live() != 0 && driver().spoilt == 0 && !driver().calls.has_failed()) {
      stop("the context ends with something in it");
    }
    driver().end_context();
  }
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER(kNothing);
  const bool is_there = context == driver().context || (context == kOtherContext && driver().elsewhere != 0);
  if (context == nullptr || !is_there) return CUDA_ERROR_INVALID_CONTEXT;
  context_stack().push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  ENTER(kNothing);
  if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = context_stack().back();
  context_stack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* memory, size_t bytes) {
  ENTER(kOutsideCapture);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *memory = driver().memory->allocate(bytes);
  return *memory != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  ENTER(kOutsideCapture);
  // What was given and is not done may use it.
  if (const int code = driver().done(driver().streams.until_idle())) return code;
  return driver().memory->free(memory) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  ENTER(kOutsideCapture);
  constexpr size_t kPage = 4096;
  if (bytes > driver().memory->limit()) return CUDA_ERROR_OUT_OF_MEMORY;
  char* const block = static_cast<char*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
  if (block == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(block, 0xff, bytes);
  driver().pinned[block] = bytes;
  *memory = block;
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  ENTER(kOutsideCapture);
  if (const int code = driver().done(driver().streams.until_idle())) return code;
  if (driver().pinned.erase(static_cast<char*>(memory)) == 0) return CUDA_ERROR_INVALID_VALUE;
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  ENTER(kContext);
  require_host(from);
  if (driver().is_pinned(from, bytes)) {
    return give_bytes(stream, to, 0, bytes, [=](char* at, char*) { upload(at, from, bytes); });
  }
  // Of memory that is not pinned the driver has a copy of its own when it returns.
  const auto copy = std::make_shared<std::string>(static_cast<const char*>(from), bytes);
  return give_bytes(stream, to, 0, bytes, [=](char* at, char*) { upload(at, copy->data(), bytes); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(kContext);
  require_host(to);
  const int code = give_bytes(stream, from, 0, bytes, [=](char* at, char*) {
    std::memcpy(to, at, bytes);
    driver().streams.log('d');
  });
  if (code != 0 || driver().is_pinned(to, bytes)) return code;
  // It returns when that is done.
  return driver().done(driver().streams.until_idle(*driver().stream_of(stream)));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(kContext);
  if (to < from + bytes && from < to + bytes) stop("memory is copied to itself");
  return give_bytes(stream, to, from, bytes, [=](char* a, char* b) { std::memcpy(a, b, bytes); });
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t bytes, CUstream stream) {
  ENTER(kContext);
  return give_bytes(stream, memory, 0, bytes, [=](char* at, char*) { std::memset(at, value, bytes); });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  ENTER(kContext);
  if (flags != CU_STREAM_NON_BLOCKING) stop("a stream would wait for the default one");
  *stream = driver().stream_handles.add(driver().streams.add());
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream handle) {
  ENTER(kContext);
  const std::shared_ptr<Stream> stream = driver().stream_handles.remove(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : driver().done(driver().streams.remove(*stream));
}
CUresult cuStreamSynchronize(CUstream handle) {
  ENTER(kOutsideCapture);
  const std::shared_ptr<Stream> stream = driver().stream_of(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : driver().done(driver().streams.until_idle(*stream));
}
CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned) {
  ENTER(kContext);
  const std::shared_ptr<Stream> stream = driver().stream_of(handle);
  const std::shared_ptr<Event> event = driver().events.find(event_handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) stop("a stream waits while it is captured");
  Streams::wait(*stream, event);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  ENTER(kContext);
  *event = driver().events.add(std::make_shared<Event>());
  driver().events.find(*event)->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(kContext);
  return driver().events.remove(event) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event_handle, CUstream handle) {
  ENTER(kContext);
  const std::shared_ptr<Stream> stream = driver().stream_of(handle);
  const std::shared_ptr<Event> event = driver().events.find(event_handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) stop("an event is recorded in a stream that is captured");
  driver().streams.record(*stream, event);
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent handle) {
  ENTER(kOutsideCapture);
  const std::shared_ptr<Event> event = driver().events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const uint64_t record = event->recorded;
  return driver().done(driver().streams.until([&] { return event->done >= record; }));
}
CUresult cuEventQuery(CUevent handle) {
  ENTER(kContext);
  const std::shared_ptr<Event> event = driver().events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return event->done >= event->recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin_handle, CUevent end_handle) {
  ENTER(kContext);
  const std::shared_ptr<Event> begin = driver().events.find(begin_handle);
  const std::shared_ptr<Event> end = driver().events.find(end_handle);
  if (begin == nullptr || end == nullptr || !begin->timed || !end->timed) return CUDA_ERROR_INVALID_HANDLE;
  if (begin->done < begin->recorded || end->done < end->recorded) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(end->time_ms - begin->time_ms);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* bytes) {
  ENTER(kOutsideCapture);
  Image image;
  if (!Image::unpack(bytes, image)) return CUDA_ERROR_INVALID_IMAGE;
  // Code is for an architecture and later minor ones.
  const int own = setting("FAKE_CUDA_ARCHITECTURE", 80);
  if (image.architecture > own || (!image.is_ptx && image.architecture / 10 != own / 10)) {
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  std::string log;
  cl_program program = build(image, log);
  if (program == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *module = driver().modules.add(std::make_shared<Module>(program));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule handle) {
  ENTER(kOutsideCapture);
  const std::shared_ptr<Module> module = driver().modules.remove(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (const CUfunction function : module->functions) driver().functions.remove(function);
  module->functions.clear();
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  ENTER(kContext);
  const std::shared_ptr<Module> module = driver().modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  std::unique_ptr<Kernel> kernel = Kernel::make(module->program, name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  *function = driver().functions.add(std::make_shared<Function>(Function{module, std::move(kernel)}));
  module->functions.push_back(*function);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  ENTER(kContext);
  if (driver().functions.find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) return CUDA_ERROR_INVALID_VALUE;
  *value = 1024;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                        unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes,
                        CUstream handle, void** parameters, void** extra) {
  ENTER(kContext);
  if (shared_bytes != 0 || extra != nullptr) stop("a launch with shared memory or packed parameters");
  const auto launch = std::make_shared<Launch>(Launch{driver().functions.find(function),
                                                      {blocks_x, blocks_y, blocks_z},
                                                      {threads_x, threads_y, threads_z},
                                                      {},
                                                      function});
  const std::shared_ptr<Stream> stream = driver().stream_of(handle);
  if (launch->function == nullptr || stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) {
    if (const int code = driver().calls.enter("captured cuLaunchKernel", true)) return code;
  }
  if (const int code = Driver::check(*launch)) return code;
  for (const Kernel::Parameter& p : launch->function->kernel->parameters()) {
    launch->parameters.emplace_back(static_cast<const char*>(*parameters++), p.bytes);
  }
  Streams::give(
      *stream, [launch] { return driver().run(*launch); }, [launch] { return driver().can_run(*launch); });
  return CUDA_SUCCESS;
}

}  // extern "C"
