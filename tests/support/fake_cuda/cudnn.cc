// SPDX-License-Identifier: Apache-2.0
// The stand-in for libcudnn.so: the functions that devices/cuda/cudnn.h declares, on the device of the stand-in for the
// driver. What they are given wrongly ends the process or fails, as the real ones check less.
#include "devices/cuda/cudnn.h"

#include <algorithm>
#include <thread>

#include "support/fake_cuda/cudnn_descriptors.h"
#include "support/fake_cuda/driver_state.h"

using namespace coracle::internal::cuda;       // NOLINT(google-build-using-namespace): the names that it exports
using namespace coracle::internal::fake_cuda;  // NOLINT(google-build-using-namespace)

namespace coracle::internal::cuda {

/// For one thread at a time.
struct cudnnContext {
  CUstream stream = nullptr;
  std::thread::id thread;  ///< that has set it
};

}  // namespace coracle::internal::cuda

/// Counts the call, and returns where it fails: with a status of the test's, or as with a context that is spoilt.
#define ENTER_CONVOLUTIONS(needs)                \
  const Call call(__func__, Call::Needs::needs); \
  if (call.code() != 0) return call.code() >= 1000 ? call.code() : CUDNN_STATUS_EXECUTION_FAILED

extern "C" {

size_t cudnnGetVersion() { return static_cast<size_t>(setting("FAKE_CUDNN_VERSION", 90100)); }
size_t cudnnGetCudartVersion() { return static_cast<size_t>(setting("FAKE_CUDNN_CUDA", 12000)); }

const char* cudnnGetErrorString(cudnnStatus_t status) {
#define NAME_OF(constant, value) \
  if (status == (value)) return #constant;
  CORACLE_CUDNN_RESULTS(NAME_OF)
#undef NAME_OF
  return "CUDNN_UNKNOWN_STATUS";
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  ENTER_CONVOLUTIONS(kContext);
  *handle = new cudnnContext;
  ++Driver::get().described;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  const Call call(__func__, Call::Needs::kNothing);
  if (handle == nullptr) stop("a handle of cuDNN is given back that there is not");
  delete handle;
  --Driver::get().described;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
  ENTER_CONVOLUTIONS(kContext);
  *handle = {stream, std::this_thread::get_id()};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(int type, cudnnBackendDescriptor_t* descriptor) {
  ENTER_CONVOLUTIONS(kNothing);
  *descriptor = new CudnnDescriptor(type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  const Call call(__func__, Call::Needs::kNothing);
  delete &CudnnDescriptor::of(descriptor);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count,
                                       const void* values) {
  ENTER_CONVOLUTIONS(kNothing);
  return CudnnDescriptor::of(descriptor).set(name, type, count, values);
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t wanted,
                                       int64_t* count, void* values) {
  ENTER_CONVOLUTIONS(kNothing);
  return CudnnDescriptor::of(descriptor).get(name, type, wanted, count, values);
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  ENTER_CONVOLUTIONS(kContext);
  return CudnnDescriptor::of(descriptor).finalize();
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t tensors) {
  ENTER_CONVOLUTIONS(kContext);
  const CudnnDescriptor& planned = CudnnDescriptor::whole(plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  const CudnnDescriptor& pack = CudnnDescriptor::whole(tensors, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  if (handle->thread != std::this_thread::get_id()) stop("two threads use a handle of cuDNN at a time");
  const std::shared_ptr<Stream> stream = Driver::get().stream_handles.find(handle->stream);
  if (stream == nullptr) stop("a convolution without a stream");
  ConvolutionCall given{*planned.problem, planned.engine, {}, pack.value<uint64_t>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE)};
  const auto ids = pack.values<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto addresses = pack.values<uint64_t>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const std::vector<ImageTensor> needed = given.problem.tensors();
  if (ids.size() != addresses.size() || ids.size() != needed.size()) stop("a convolution has too few or many tensors");
  for (const ImageTensor& tensor : needed) {
    const auto at = std::find(ids.begin(), ids.end(), tensor.id);
    if (at == ids.end()) stop("a tensor of a convolution has no address");
    given.addresses.push_back(addresses[static_cast<size_t>(at - ids.begin())]);
  }
  check_places(given);
  Streams::give(
      *stream, [given] { return run(given); }, [given] { return can_run(given); });
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
