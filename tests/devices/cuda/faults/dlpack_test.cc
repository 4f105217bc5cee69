// SPDX-License-Identifier: Apache-2.0
// Tensors by DLPack: what others give and take.
#include "api/dlpack.h"

#include "devices/cuda/faults/sharing.h"

namespace coracle::internal::test {
namespace {

using namespace dlpack;  // NOLINT(google-build-using-namespace): names as DLPack has them

class CudaDlpack : public CudaSharing {
 protected:
  /// What another library would give: its own count of who has it.
  template <class Managed>
  struct Given {
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    int deleted = 0;
    Managed managed{};
  };
  template <class Managed>
  static std::unique_ptr<Given<Managed>> given(const Tensor& like, cuda::CUdeviceptr data) {
    auto made = std::make_unique<Given<Managed>>();
    made->shape.assign(like.shape().begin(), like.shape().end());
    DLTensor& t = made->managed.dl_tensor;
    t.data = reinterpret_cast<void*>(data);
    t.device = {kDLCUDA, 0};
    t.ndim = like.shape().rank();
    t.dtype = {kDLFloat, 32, 1};
    t.shape = made->shape.data();
    made->managed.manager_ctx = made.get();
    made->managed.deleter = [](Managed* self) { ++static_cast<Given<Managed>*>(self->manager_ctx)->deleted; };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) made->managed.version = {1, 2};
    return made;
  }
  template <class Managed>
  static coracle_status take(Given<Managed>& from, DeviceTensorHandle& to, void* stream = nullptr) {
    coracle_device_tensor* tensor = nullptr;
    const coracle_status status = coracle_device_tensor_from_dlpack(
        &from.managed, std::is_same_v<Managed, DLManagedTensorVersioned> ? 1 : 0, stream, &tensor);
    to.reset(tensor);
    return status;
  }
};

TEST_F(CudaDlpack, TensorsOfOthersAreInputsAndOutputs) {
  const auto on_device = model(kChain);
  const Tensor x = rows(4);
  const Tensor expected = singly(on_device, {x})[0];
  const cuda::CUdeviceptr from = block_of(x, 32);
  const cuda::CUdeviceptr to = block(x.bytes());
  const auto in = given<DLManagedTensor>(x, from - 32);
  in->managed.dl_tensor.byte_offset = 32;
  const auto out = given<DLManagedTensorVersioned>(x, to);
  out->strides = {8, 1};
  out->managed.dl_tensor.strides = out->strides.data();
  {
    const SessionHandle session = session_of(on_device);
    DeviceTensorHandle tensor;
    ASSERT_EQ(take(*in, tensor), CORACLE_OK) << coracle_last_error();
    set(session, tensor);
    ASSERT_EQ(take(*out, tensor), CORACLE_OK) << coracle_last_error();
    bind(session, 0, tensor);
    tensor.reset();
    run_once(session);
    EXPECT_TRUE(same_bits({read(x, to)}, {expected}));
    EXPECT_EQ(in->deleted + out->deleted, 0);
  }
  EXPECT_EQ(in->deleted, 1);
  EXPECT_EQ(out->deleted, 1);
}

TEST_F(CudaDlpack, WhatDoesNotFitIsRefused) {
  const Tensor x = rows(4);
  const cuda::CUdeviceptr there = block(x.bytes());
  DeviceTensorHandle tensor;
  const auto in = given<DLManagedTensor>(x, there);
  const auto refused = [&](coracle_status status, const std::string& part) {
    expect_error(take(*in, tensor), status, part);
  };
  DLTensor& t = in->managed.dl_tensor;
  in->strides = {1, 4};
  t.strides = in->strides.data();
  refused(CORACLE_INVALID_ARGUMENT, "the tensor float32[4, 8] has stride 4 in dimension 1, expected 1");
  t.strides = nullptr;
  t.dtype = {kDLFloat, 32, 4};
  refused(CORACLE_INVALID_ARGUMENT, "type code 2 with 32 bits in 4 lanes");
  t.dtype = {7, 8, 1};
  refused(CORACLE_INVALID_ARGUMENT, "type code 7 with 8 bits");
  t.dtype = {kDLFloat, 32, 1};
  t.ndim = 10;
  refused(CORACLE_INVALID_ARGUMENT, "a tensor has 0 to 9 dimensions, given 10");
  t.ndim = 2;
  t.device = {kDLCPU, 0};
  refused(CORACLE_INVALID_ARGUMENT, "the tensor is in memory of the host");
  t.device = {kDLOpenCL, 0};
  refused(CORACLE_UNSUPPORTED, "the tensor is on a device of DLPack's type 4, expected CUDA's, 2");
  t.device = {kDLCUDA, 5};
  refused(CORACLE_INVALID_ARGUMENT, "the device that cuda numbers 5 is not used here, there are: cpu");
  t.device = {kDLCUDA, 0};
  t.data = const_cast<void*>(x.raw());
  refused(CORACLE_INVALID_ARGUMENT, "is of the host");
  EXPECT_EQ(in->deleted, 0) << "it is the caller's";
  const auto newer = given<DLManagedTensorVersioned>(x, there);
  newer->managed.version = {2, 0};
  expect_error(take(*newer, tensor), CORACLE_UNSUPPORTED, "the tensor is given by DLPack 2.0, expected version 1");
  newer->managed.version = {1, 0};
  newer->managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  ASSERT_EQ(take(*newer, tensor), CORACLE_OK) << coracle_last_error();
  const SessionHandle session = session_of(model(kChain));
  set(session, tensor);
  expect_error(coracle_session_bind_output_on_device(session.get(), 0, tensor.get()), CORACLE_INVALID_ARGUMENT,
               "output 0 cannot be bound to a tensor that is read-only");
}

TEST_F(CudaDlpack, EachElementTypeGoesBothWays) {
  for (int i = 0; i < static_cast<int>(DType::kUnknown); ++i) {
    const Tensor like = Tensor::make(static_cast<DType>(i), {2, 3});
    const cuda::CUdeviceptr there = block(like.bytes());
    const DeviceTensorHandle tensor = wrapped(like, there);
    for (const int32_t versioned : {0, 1}) {
      void* managed = nullptr;
      ASSERT_EQ(coracle_device_tensor_to_dlpack(tensor.get(), versioned, nullptr, &managed), CORACLE_OK);
      coracle_device_tensor* again = nullptr;
      ASSERT_EQ(coracle_device_tensor_from_dlpack(managed, versioned, nullptr, &again), CORACLE_OK)
          << coracle_last_error();
      EXPECT_EQ(again->tensor.dtype(), like.dtype());
      EXPECT_TRUE(again->tensor.shape() == like.shape());
      EXPECT_EQ(address(DeviceTensorHandle(again)), there);
    }
  }
}

TEST_F(CudaDlpack, ResultsLiveAsLongAsTheirConsumers) {
  const Tensor x = rows(4);
  Tensor expected;
  void* managed[2] = {nullptr, nullptr};
  {
    const auto on_device = model(kChain);
    expected = singly(on_device, {x})[0];
    const SessionHandle session = session_of(on_device);
    EXPECT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK);
    session->session.set_input(0, x);
    run_once(session);
    const DeviceTensorHandle y = result(session, 0);
    for (const int32_t versioned : {0, 1}) {
      EXPECT_EQ(coracle_device_tensor_to_dlpack(y.get(), versioned, stream_, &managed[versioned]), CORACLE_OK);
    }
  }
  auto* const old = static_cast<DLManagedTensor*>(managed[0]);
  auto* const now = static_cast<DLManagedTensorVersioned*>(managed[1]);
  EXPECT_EQ(now->version.major, 1U);
  EXPECT_EQ(now->flags, 0U);
  for (const DLTensor& t : {old->dl_tensor, now->dl_tensor}) {
    EXPECT_EQ(t.device.device_type, kDLCUDA);
    EXPECT_EQ(t.device.device_id, 0);
    ASSERT_EQ(t.ndim, 2);
    EXPECT_EQ(t.shape[0], 4);
    EXPECT_EQ(t.strides[0], 8);
    EXPECT_EQ(t.strides[1], 1);
    EXPECT_EQ(t.byte_offset, 0U);
    EXPECT_TRUE(same_bits({read(x, reinterpret_cast<cuda::CUdeviceptr>(t.data))}, {expected}));
  }
  const int64_t live = live_();
  old->deleter(old);
  EXPECT_EQ(live_(), live);
  EXPECT_TRUE(same_bits({read(x, reinterpret_cast<cuda::CUdeviceptr>(now->dl_tensor.data))}, {expected}));
  const int64_t with_buffers = live_();
  now->deleter(now);
  EXPECT_LT(live_(), with_buffers) << "its block is freed";
}

TEST_F(CudaDlpack, AConsumerOnAnotherStreamIsWaitedFor) {
  const auto on_device = model(kChain);
  const Tensor x[] = {random_tensor({4, 8}, 1), random_tensor({4, 8}, 2)};
  const Tensor expected = singly(on_device, {x[0]})[0];
  const cuda::CUdeviceptr copy = block(x[0].bytes());
  const cuda::CUstream streams[] = {stream_, make_stream()};
  const SessionHandle session = session_of(on_device);
  EXPECT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK);
  order_by(session, stream_);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    seed_(seed);
    const cuda::CUstream stream = streams[seed % 2];
    session->session.set_input(0, x[0]);
    run_once(session);
    void* managed = nullptr;
    EXPECT_EQ(coracle_device_tensor_to_dlpack(result(session, 0).get(), 1, stream, &managed), CORACLE_OK);
    auto* const there = static_cast<DLManagedTensorVersioned*>(managed);
    over(copy, reinterpret_cast<cuda::CUdeviceptr>(there->dl_tensor.data), x[0].bytes(), stream);
    there->deleter(there);
    session->session.set_input(0, x[1]);
    run_once(session);
    finish(stream);
    EXPECT_TRUE(same_bits({read(x[0], copy)}, {expected})) << seed;
  }
}

}  // namespace
}  // namespace coracle::internal::test
