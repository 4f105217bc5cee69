// SPDX-License-Identifier: Apache-2.0
// What addresses and streams are of, for those who share them.
#include <algorithm>

#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/fake_cuda.h"

using namespace coracle::internal::cuda;       // NOLINT(google-build-using-namespace): the names that it exports
using namespace coracle::internal::fake_cuda;  // NOLINT(google-build-using-namespace)

extern "C" {

void fake_cuda_elsewhere(int device) {
  const std::lock_guard lock(Driver::get().mutex);
  Driver::get().elsewhere = device;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  ENTER(kDevice);
  if (context_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context_stack().back() == kOtherContext && Driver::get().elsewhere > 0 ? Driver::get().elsewhere : 0;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned count, int* attributes, void** data, CUdeviceptr address) {
  ENTER(kContext);
  const Driver& driver = Driver::get();
  const DeviceMemory::Spot spot = driver.memory->find(address, 0);
  const bool is_pinned = driver.is_pinned(reinterpret_cast<const void*>(address), 1);
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<int*>(data[i]) = spot.block != nullptr ? CU_MEMORYTYPE_DEVICE : is_pinned ? CU_MEMORYTYPE_HOST : 0;
        break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned*>(data[i]) = 0; break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(data[i]) = spot.block == nullptr && !is_pinned ? -2 : std::max(0, driver.elsewhere);
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(data[i]) = spot.block == nullptr ? 0 : spot.block->begin;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<size_t*>(data[i]) = spot.block == nullptr ? 0 : spot.block->bytes;
        break;
      default: return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  ENTER(kContext);
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *context = Driver::get().elsewhere == 0 ? Driver::get().context : kOtherContext;
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, int* status) {
  ENTER(kContext);
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *status = stream->capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

}  // extern "C"
