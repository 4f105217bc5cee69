// SPDX-License-Identifier: Apache-2.0
// Memory of the GPU and streams that Paddle's calls are given, on the stand-in for NVIDIA's driver.
#include <cstring>

#include "devices/cuda/api.h"
#include "paddle/cuda/paddle_cuda.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::PlaceType;

constexpr size_t kBytes = sizeof(float) * kRows * kWidth;
constexpr size_t kCount = size_t{kRows} * kWidth;
const std::vector<int> kShape = {kRows, kWidth};

/// The program's own memory and stream on the GPU.
class PaddleCudaMemory : public PaddleCuda {
 protected:
  void SetUp() override {
    PaddleCuda::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    api_ = cuda::loaded_driver().api;
    seed_ = reinterpret_cast<FakeCudaSeed>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "fake_cuda_seed"));
    cuda::CUcontext context = nullptr;
    ASSERT_EQ(api_->cuDevicePrimaryCtxRetain(&context, 0), 0);
    ASSERT_EQ(api_->cuCtxPushCurrent_v2(context), 0);
    ASSERT_EQ(api_->cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING), 0);
    for (cuda::CUdeviceptr* block : {&x_, &y_}) ASSERT_EQ(api_->cuMemAlloc_v2(block, kBytes), 0);
    for (float** host : {&from_, &to_}) {
      void* made = nullptr;
      ASSERT_EQ(api_->cuMemHostAlloc(&made, kBytes, 0), 0);
      *host = static_cast<float*>(made);
    }
  }
  void TearDown() override {
    if (api_ != nullptr) {
      api_->cuStreamDestroy_v2(stream_);
      for (const cuda::CUdeviceptr block : {x_, y_}) api_->cuMemFree_v2(block);
      for (float* host : {from_, to_}) api_->cuMemFreeHost(host);
      cuda::CUcontext context = nullptr;
      api_->cuCtxPopCurrent_v2(&context);
      api_->cuDevicePrimaryCtxRelease_v2(0);
    }
    PaddleCuda::TearDown();
  }
  float* x() const { return reinterpret_cast<float*>(x_); }
  float* y() const { return reinterpret_cast<float*>(y_); }
  /// Runs with the input, and reads the output, on a stream of the program's.
  Floats product_there(paddle_infer::Predictor& predictor, float element, cuda::CUstream stream) const {
    std::fill_n(from_, kCount, element);
    EXPECT_EQ(api_->cuMemcpyHtoDAsync_v2(x_, from_, kBytes, stream), 0);
    EXPECT_TRUE(predictor.Run());
    EXPECT_EQ(api_->cuMemcpyDtoHAsync_v2(to_, y_, kBytes, stream), 0);
    EXPECT_EQ(api_->cuStreamSynchronize(stream), 0);
    return {to_, to_ + kCount};
  }
  Floats product_of(float element) const {
    const auto predictor = CreatePredictor(with_gpu(model_));
    fill<float>(*predictor, "x", kShape, Floats(kCount, element));
    EXPECT_TRUE(predictor->Run());
    return result<float>(*predictor, "y");
  }

  const cuda::DriverApi* api_ = nullptr;
  FakeCudaSeed seed_ = nullptr;
  cuda::CUstream stream_ = nullptr;
  cuda::CUdeviceptr x_ = 0;
  cuda::CUdeviceptr y_ = 0;
  float* from_ = nullptr;
  float* to_ = nullptr;
};

TEST_F(PaddleCudaMemory, IsReadAndWrittenInTheOrderOfTheStream) {
  const Floats expected[] = {product_of(0.25F), product_of(-0.5F)};
  const auto legacy = reinterpret_cast<cuda::CUstream>(uintptr_t{1});
  for (const bool has_stream : {true, false}) {
    Config config = with_gpu(model_);
    if (has_stream) config.SetExecStream(stream_);
    EXPECT_EQ(config.external_stream_enabled(), has_stream);
    const auto predictor = CreatePredictor(config);
    EXPECT_EQ(predictor->GetExecStream(), has_stream ? stream_ : nullptr);
    const auto in = predictor->GetInputHandle("x");
    const auto out = predictor->GetOutputHandle("y");
    in->ShareExternalData<float>(x(), kShape, PlaceType::kGPU);
    out->ShareExternalData<float>(y(), kShape, PlaceType::kGPU);
    EXPECT_EQ(in->place(), PlaceType::kGPU);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      seed_(seed);
      const bool half = seed % 2 == 0;
      EXPECT_EQ(product_there(*predictor, half ? -0.5F : 0.25F, has_stream ? stream_ : legacy), expected[half ? 1 : 0])
          << seed;
    }
    PlaceType place = PlaceType::kUNK;
    int size = 0;
    EXPECT_EQ(out->data<float>(&place, &size), y());
    EXPECT_EQ(place, PlaceType::kGPU);
    EXPECT_EQ(size, static_cast<int>(kCount));
    EXPECT_EQ(out->shape(), kShape);
    Floats copy(kCount);
    out->CopyToCpu(copy.data());
    EXPECT_EQ(copy, expected[1]);
    int called = 0;
    out->CopyToCpuAsync(
        copy.data(), [](void* times) { ++*static_cast<int*>(times); }, &called);
    EXPECT_EQ(called, 1);
    // Back to the host.
    in->CopyFromCpu(Floats(kCount, 0.25F).data());
    Floats given(kCount);
    out->ShareExternalData<float>(given.data(), kShape, PlaceType::kCPU);
    EXPECT_EQ(in->place(), PlaceType::kCPU);
    EXPECT_TRUE(predictor->Run());
    EXPECT_EQ(given, expected[0]);
  }
}

TEST_F(PaddleCudaMemory, AStreamMayBeGivenWithTheRunOrTheClone) {
  const Floats expected = product_of(0.25F);
  Config config = with_gpu(model_);
  config.SetExecStream(stream_);
  const auto first = CreatePredictor(config);
  cuda::CUstream other = nullptr;
  ASSERT_EQ(api_->cuStreamCreate(&other, cuda::CU_STREAM_NON_BLOCKING), 0);
  {
    const auto clone = first->Clone(other);
    EXPECT_EQ(clone->GetExecStream(), other);
    EXPECT_EQ(first->Clone()->GetExecStream(), stream_);
    fill<float>(*clone, "x", kShape, Floats(kCount, 0.25F));
    EXPECT_TRUE(paddle_infer::experimental::InternalUtils::RunWithExternalStream(
        clone.get(), reinterpret_cast<cudaStream_t>(stream_)));
    EXPECT_EQ(clone->GetExecStream(), stream_);
    EXPECT_EQ(result<float>(*clone, "y"), expected);
  }
  EXPECT_EQ(api_->cuStreamDestroy_v2(other), 0);
  int none = 0;
  config = with_gpu(model_);
  config.SetExecStream(&none);
  expect_refused([&] { CreatePredictor(config); }, "is not a stream of the device cuda:0");
}

TEST_F(PaddleCudaMemory, OfTheHostIsNotTakenForIt) {
  const auto predictor = CreatePredictor(with_gpu(model_));
  const auto in = predictor->GetInputHandle("x");
  const Floats x = rows();
  in->Reshape(kShape);
  expect_refused([&] { in->ShareExternalData(x.data(), kShape, PlaceType::kGPU); },
                 "is of the host, expected memory of the device cuda:0");
  expect_refused([&] { predictor->GetOutputHandle("y")->ShareExternalData(x.data(), kShape, PlaceType::kGPU); },
                 "output 'y': the pointer ");
  expect_refused([&] { in->mutable_data<float>(PlaceType::kGPU); }, "or give memory of a GPU by ShareExternalData");
}

}  // namespace
}  // namespace coracle::internal::test
