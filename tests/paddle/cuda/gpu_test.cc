// SPDX-License-Identifier: Apache-2.0
// Paddle's calls for a GPU on the stand-in for NVIDIA's driver.
#include "paddle/cuda/paddle_cuda.h"
#include "paddle/pd_inference_api.h"

namespace coracle::internal::test {
namespace {

TEST_F(PaddleCuda, EnableUseGpuRunsTheModelThere) {
  const Floats expected = product(*model_.predictor());
  EXPECT_EQ(launches(), 0) << "nobody asked for it";
  Config config = with_gpu(model_);
  EXPECT_TRUE(config.use_gpu());
  EXPECT_EQ(config.gpu_device_id(), 0);
  EXPECT_EQ(config.memory_pool_init_size_mb(), 200);
  const std::string summary = config.Summary();
  EXPECT_TRUE(has(summary, "runs on cuda:0, and on the CPU what has no kernel there")) << summary;
  EXPECT_TRUE(has(summary, "200MB") && has(summary, "gpu_device_id")) << summary;
  const auto predictor = CreatePredictor(config);
  expect_near(product(*predictor), expected);
  const int64_t first = launches();
  EXPECT_GT(first, 0);
  const auto clone = predictor->Clone();
  expect_near(product(*clone), expected);
  EXPECT_GT(launches(), first) << "clones run where their predictor does";
  EXPECT_EQ(predictor->GetOutputHandle("y")->place(), paddle_infer::PlaceType::kCPU);
}

TEST_F(PaddleCuda, HalfAndBf16AllowLowerPrecision) {
  const Floats exact = product(*CreatePredictor(with_gpu(model_)));
  for (const auto& [precision, name] :
       {std::pair(Config::Precision::kFloat32, ""), std::pair(Config::Precision::kInt8, ""),
        std::pair(Config::Precision::kHalf, "fp16"), std::pair(Config::Precision::kBf16, "bf16")}) {
    Config config = model_.config();
    config.EnableUseGpu(200, 0, precision);
    EXPECT_EQ(config.engine_options().precision, name);
    const std::string summary = config.Summary();
    EXPECT_EQ(has(summary, "products are computed as precision " + std::string(name) + " allows"), *name != 0)
        << summary;
    EXPECT_EQ(product(*CreatePredictor(config)) == exact, *name == 0) << name;
    config.DisableGpu();
    EXPECT_EQ(config.engine_options().precision, "") << "products of the CPU are as they are";
  }
}

TEST_F(PaddleCuda, TensorRtMeansCuDnn) {
  Config config = model_.config();
  config.EnableTensorRtEngine(1 << 30, 1, 3, Config::Precision::kHalf, false, false);
  EXPECT_EQ(config.coracle_engines(), "tensorrt?") << "no GPU was asked for";
  EXPECT_FALSE(config.tensorrt_engine_enabled());
  config.EnableUseGpu(200, 0);
  EXPECT_EQ(config.coracle_engines(), "tensorrt?,cudnn?");
  EXPECT_TRUE(config.tensorrt_engine_enabled());
  EXPECT_TRUE(has(config.Summary(), "parts run on cudnn")) << config.Summary();
  EXPECT_EQ(config.engine_options().precision, "fp16");
  const int64_t before = launches();
  product(*CreatePredictor(config));
  EXPECT_GT(launches(), before);
  ASSERT_EQ(::setenv("CORACLE_PADDLE_DEVICE", "cpu", 1), 0);
  EXPECT_FALSE(config.tensorrt_engine_enabled());
}

TEST_F(PaddleCuda, DisableGpuAndTheEnvironmentTurnItOff) {
  Config config = with_gpu(model_);
  config.DisableGpu();
  EXPECT_FALSE(config.use_gpu());
  const int64_t before = launches();
  product(*CreatePredictor(config));
  config = with_gpu(model_);
  ASSERT_EQ(::setenv("CORACLE_PADDLE_DEVICE", "cpu", 1), 0);
  EXPECT_FALSE(config.use_gpu());
  EXPECT_TRUE(has(config.Summary(), "no effect: devices are turned off")) << config.Summary();
  product(*CreatePredictor(config));
  EXPECT_EQ(launches(), before);
  Config set = model_.config();
  set.SetCoracleDevice("cuda");
  EXPECT_TRUE(set.use_gpu());
  product(*CreatePredictor(set));
  EXPECT_GT(launches(), before) << "what is set goes before the environment";
}

TEST_F(PaddleCuda, AWrongIndexIsAnErrorOfThePredictor) {
  for (int index : {1, 7, -1}) {
    Config config = with_gpu(model_, index);
    EXPECT_TRUE(config.use_gpu()) << "there is no silent run on the CPU";
    const std::string text = "there is no device 'cuda:" + std::to_string(index) + "': there are: cpu";
    EXPECT_TRUE(has(config.Summary(), "no predictor can be made: " + text)) << config.Summary();
    expect_refused([&] { CreatePredictor(config); }, text);
    expect_refused([&] { CreatePredictor(config); }, "cuda:0 (fake GPU)");
    EXPECT_TRUE(config.is_valid());
  }
}

TEST_F(PaddleCuda, CopiesAreDoneWhenTheCallReturns) {
  const Floats expected = product(*model_.predictor());
  const auto predictor = CreatePredictor(with_gpu(model_));
  product(*predictor);
  const auto out = predictor->GetOutputHandle("y");
  Floats y(expected.size());
  int called = 0;
  out->CopyToCpuAsync(
      y.data(), [](void* times) { ++*static_cast<int*>(times); }, &called);
  EXPECT_EQ(called, 1);
  expect_near(y, expected);
  Floats given(expected.size());
  out->ShareExternalData(given.data(), out->shape(), paddle_infer::PlaceType::kCPU);
  ASSERT_TRUE(predictor->Run());
  expect_near(given, expected);
}

TEST_F(PaddleCuda, HooksSeeWhatIsThere) {
  const auto predictor = CreatePredictor(with_gpu(model_));
  const Floats expected = product(*predictor);
  Floats last;
  predictor->RegisterOutputHook([&](const std::string&, const std::string&, const paddle::Tensor& tensor) {
    if (tensor.dtype() != paddle::DataType::FLOAT32) return;
    last.assign(tensor.data<float>(), tensor.data<float>() + tensor.numel());
  });
  product(*predictor);
  EXPECT_EQ(last, expected);
}

TEST_F(PaddleCuda, TheOlderInterfaceTakesItToo) {
  paddle::NativeConfig native;
  native.prog_file = model_.program;
  native.param_file = model_.params;
  native.use_gpu = true;
  const int64_t before = launches();
  const auto predictor = paddle::CreatePaddlePredictor(native);
  const auto in = predictor->GetInputTensor("x");
  const Floats x = rows();
  in->Reshape({kRows, kWidth});
  in->copy_from_cpu(x.data());
  EXPECT_TRUE(predictor->ZeroCopyRun());
  EXPECT_GT(launches(), before);
  native.device = 5;
  expect_refused([&] { paddle::CreatePaddlePredictor(native); }, "there is no device 'cuda:5'");
  EXPECT_TRUE(with_gpu(model_).ToNativeConfig().use_gpu);
}

TEST_F(PaddleCuda, TheCInterface) {
  PD_Config* config = PD_ConfigCreate();
  PD_ConfigSetModel(config, model_.program.c_str(), model_.params.c_str());
  PD_ConfigEnableUseGpu(config, 200, 4, PD_PRECISION_FLOAT32);
  EXPECT_EQ(PD_ConfigGpuDeviceId(config), 4);
  EXPECT_EQ(PD_PredictorCreate(config), nullptr);
  EXPECT_TRUE(has(coracle_last_error(), "there is no device 'cuda:4'")) << coracle_last_error();
  PD_ConfigEnableUseGpu(config, 200, 0, PD_PRECISION_FLOAT32);
  EXPECT_EQ(PD_ConfigUseGpu(config), TRUE);
  EXPECT_EQ(PD_ConfigMemoryPoolInitSizeMb(config), 200);
  PD_Predictor* predictor = PD_PredictorCreate(config);
  ASSERT_NE(predictor, nullptr) << coracle_last_error();
  PD_Tensor* in = PD_PredictorGetInputHandle(predictor, "x");
  int32_t dims[] = {kRows, kWidth};
  const Floats x = rows();
  PD_TensorReshape(in, 2, dims);
  PD_TensorCopyFromCpuFloat(in, x.data());
  const int64_t before = launches();
  EXPECT_EQ(PD_PredictorRun(predictor), TRUE) << coracle_last_error();
  EXPECT_GT(launches(), before);
  PD_TensorDestroy(in);
  PD_PredictorDestroy(predictor);
  PD_ConfigDisableGpu(config);
  EXPECT_EQ(PD_ConfigUseGpu(config), FALSE);
  PD_ConfigDestroy(config);
}

/// The driver of the process is as the environment says: paddle.cuda.old_driver in ctest.
TEST(PaddleCudaOldDriver, IsAnErrorAndNoRunOnTheCpu) {
  if (std::getenv("FAKE_CUDA_VERSION") == nullptr) GTEST_SKIP() << "the driver is new";
  const ModelOnDisk model(product_model());
  Config config = model.config();
  config.EnableUseGpu(100, 0);
  EXPECT_TRUE(config.use_gpu());
  const std::string text =
      "there is no device 'cuda:0' on this machine: NVIDIA's driver knows CUDA 11.8; 12.0 or later";
  EXPECT_TRUE(has(config.Summary(), "no predictor can be made: " + text)) << config.Summary();
  expect_refused([&] { CreatePredictor(config); }, text);
  config.DisableGpu();
  EXPECT_NE(CreatePredictor(config), nullptr);
}

}  // namespace
}  // namespace coracle::internal::test
