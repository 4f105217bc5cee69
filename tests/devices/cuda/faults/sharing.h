// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "api/handles.h"
#include "api/loaded.h"
#include "devices/cuda/api.h"
#include "devices/cuda/faults/graphs.h"

namespace coracle::internal::test {

struct FreeDeviceTensor {
  void operator()(coracle_device_tensor* tensor) const { coracle_device_tensor_free(tensor); }
};
using DeviceTensorHandle = std::unique_ptr<coracle_device_tensor, FreeDeviceTensor>;

/// Another user of the stand-in's device in this process, as torch or cupy would be: memory and streams of its own.
class CudaSharing : public CudaGraphs {
 protected:
  void SetUp() override {
    CudaGraphs::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    api_ = cuda::loaded_driver().api;
    cuda::CUdevice device = 0;
    ASSERT_EQ(api_->cuDeviceGet(&device, 0), 0);
    ASSERT_EQ(api_->cuDevicePrimaryCtxRetain(&context_, device), 0);
    ASSERT_EQ(api_->cuCtxPushCurrent_v2(context_), 0);
    stream_ = make_stream();
  }
  void TearDown() override {
    if (api_ != nullptr) {
      fail_("", 0, 0);
      elsewhere_(0);
      for (const cuda::CUstream stream : streams_) api_->cuStreamDestroy_v2(stream);
      for (const cuda::CUdeviceptr block : blocks_) api_->cuMemFree_v2(block);
      for (void* block : pinned_) api_->cuMemFreeHost(block);
      cuda::CUcontext context = nullptr;
      api_->cuCtxPopCurrent_v2(&context);
      api_->cuDevicePrimaryCtxRelease_v2(0);
    }
    CudaGraphs::TearDown();
  }

  cuda::CUstream make_stream() {
    cuda::CUstream stream = nullptr;
    EXPECT_EQ(api_->cuStreamCreate(&stream, cuda::CU_STREAM_NON_BLOCKING), 0);
    streams_.push_back(stream);
    return stream;
  }
  cuda::CUdeviceptr block(size_t bytes) {
    cuda::CUdeviceptr made = 0;
    EXPECT_EQ(api_->cuMemAlloc_v2(&made, bytes), 0);
    blocks_.push_back(made);
    return made;
  }
  char* pinned(size_t bytes) {
    void* made = nullptr;
    EXPECT_EQ(api_->cuMemHostAlloc(&made, bytes, 0), 0);
    pinned_.push_back(made);
    return static_cast<char*>(made);
  }
  /// Copies on a stream, to and from memory that is pinned: done later.
  void up(cuda::CUdeviceptr to, const void* from, size_t bytes, cuda::CUstream stream) const {
    EXPECT_EQ(api_->cuMemcpyHtoDAsync_v2(to, from, bytes, stream), 0);
  }
  void down(void* to, cuda::CUdeviceptr from, size_t bytes, cuda::CUstream stream) const {
    EXPECT_EQ(api_->cuMemcpyDtoHAsync_v2(to, from, bytes, stream), 0);
  }
  void over(cuda::CUdeviceptr to, cuda::CUdeviceptr from, size_t bytes, cuda::CUstream stream) const {
    EXPECT_EQ(api_->cuMemcpyDtoDAsync_v2(to, from, bytes, stream), 0);
  }
  void finish(cuda::CUstream stream) const { EXPECT_EQ(api_->cuStreamSynchronize(stream), 0); }
  /// A block with the elements of a tensor, at some bytes from its begin.
  cuda::CUdeviceptr block_of(const Tensor& tensor, size_t offset = 0) {
    const cuda::CUdeviceptr made = block(tensor.bytes() + offset) + offset;
    char* const from = pinned(tensor.bytes());
    std::memcpy(from, tensor.raw(), tensor.bytes());
    up(made, from, tensor.bytes(), stream_);
    finish(stream_);
    return made;
  }
  /// A tensor of that type in a block.
  Tensor read(const Tensor& like, cuda::CUdeviceptr from) {
    Tensor got = Tensor::make(like.dtype(), like.shape());
    char* const to = pinned(like.bytes());
    down(to, from, like.bytes(), stream_);
    finish(stream_);
    std::memcpy(got.raw(), to, like.bytes());
    return got;
  }

  static coracle_status wrap(const Tensor& like, cuda::CUdeviceptr data, void* stream, DeviceTensorHandle& to,
                             int* released = nullptr) {
    coracle_device_tensor* tensor = nullptr;
    const std::vector<int64_t> dims(like.shape().begin(), like.shape().end());
    const coracle_release_function release = [](void* user) { ++*static_cast<int*>(user); };
    const coracle_status status = coracle_device_tensor_wrap(
        "cuda:0", static_cast<coracle_dtype>(like.dtype()), like.shape().rank(), dims.data(),
        reinterpret_cast<void*>(data), stream, released == nullptr ? nullptr : release, released, &tensor);
    to.reset(tensor);
    return status;
  }
  static DeviceTensorHandle wrapped(const Tensor& like, cuda::CUdeviceptr data, void* stream = nullptr,
                                    int* released = nullptr) {
    DeviceTensorHandle tensor;
    EXPECT_EQ(wrap(like, data, stream, tensor, released), CORACLE_OK) << coracle_last_error();
    return tensor;
  }
  static SessionHandle session_of(const std::shared_ptr<const Model>& model) {
    return SessionHandle(new coracle_session(model, SessionOptions{.threads = 1}));
  }
  static void set(const SessionHandle& session, const DeviceTensorHandle& x) {
    EXPECT_EQ(coracle_session_set_input_on_device(session.get(), 0, x.get()), CORACLE_OK) << coracle_last_error();
  }
  static void bind(const SessionHandle& session, size_t output, const DeviceTensorHandle& y) {
    EXPECT_EQ(coracle_session_bind_output_on_device(session.get(), output, y.get()), CORACLE_OK)
        << coracle_last_error();
  }
  static void order_by(const SessionHandle& session, cuda::CUstream stream) {
    EXPECT_EQ(coracle_session_set_stream(session.get(), stream), CORACLE_OK) << coracle_last_error();
  }
  static void run_once(const SessionHandle& session) {
    EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  }
  static DeviceTensorHandle result(const SessionHandle& session, size_t output) {
    coracle_device_tensor* tensor = nullptr;
    EXPECT_EQ(coracle_session_output_on_device(session.get(), output, &tensor), CORACLE_OK) << coracle_last_error();
    return DeviceTensorHandle(tensor);
  }
  static cuda::CUdeviceptr address(const DeviceTensorHandle& tensor) {
    coracle_device_address found{};
    EXPECT_EQ(coracle_device_tensor_address(tensor.get(), &found), CORACLE_OK) << coracle_last_error();
    EXPECT_STREQ(found.device, "cuda:0");
    EXPECT_EQ(found.number, 0);
    return reinterpret_cast<cuda::CUdeviceptr>(found.data);
  }

  const cuda::DriverApi* api_ = nullptr;
  cuda::CUcontext context_ = nullptr;
  cuda::CUstream stream_ = nullptr;

 private:
  std::vector<cuda::CUstream> streams_;
  std::vector<cuda::CUdeviceptr> blocks_;
  std::vector<void*> pinned_;
};

}  // namespace coracle::internal::test
