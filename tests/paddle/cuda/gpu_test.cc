// SPDX-License-Identifier: Apache-2.0
// Paddle's calls for a GPU on the stand-in for NVIDIA's driver.
#include <dlfcn.h>

#include <cstdlib>

#include "coracle/coracle.h"
#include "paddle/paddle_models.h"
#include "paddle/pd_inference_api.h"
#include "support/fake_cuda/fake_cuda.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using Floats = std::vector<float>;

constexpr int kWidth = 512;
constexpr int kRows = 64;

/// "y" = x[?, 512] w: large enough that it pays to copy what it takes and gives.
ModelBytes large_product() {
  BlockWriter b;
  add_feed(b, "x", kFloat32, {-1, kWidth}, 0);
  b.variables.push_back(variable("w", kFloat32, {kWidth, kWidth}, true));
  b.operators.push_back(OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}));
  add_fetch(b, "y", 0);
  Floats weights(static_cast<size_t>(kWidth * kWidth));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) * 0.01F;
  return {"large_product", program_file({b}), record<float>(kFloat32, {kWidth, kWidth}, weights), {}};
}
Floats rows() { return Floats(static_cast<size_t>(kRows * kWidth), 0.25F); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The stand-in, which counts what it is called for.
class PaddleCuda : public testing::Test {
 protected:
  void SetUp() override {
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(driver, nullptr) << ::dlerror();
    calls_ = reinterpret_cast<FakeCudaCalls>(::dlsym(driver, "fake_cuda_calls"));
    live_ = reinterpret_cast<FakeCudaLive>(::dlsym(driver, "fake_cuda_live"));
    if (calls_ == nullptr) GTEST_SKIP() << "NVIDIA's own driver came first";
    char* missing = nullptr;
    if (coracle_find_device("cuda", &missing) != CORACLE_OK) GTEST_SKIP() << coracle_last_error();
  }
  void TearDown() override {
    ::unsetenv("CORACLE_PADDLE_DEVICE");
    if (live_ == nullptr) return;
    EXPECT_EQ(live_(), 0) << "things are left on the device";
  }

  int64_t launches() const {
    return calls_("cuLaunchKernel") + calls_("cublasLtMatmul") + calls_("cudnnBackendExecute");
  }
  static Config with_gpu(const ModelOnDisk& model, int device = 0) {
    Config config = model.config();
    config.EnableUseGpu(200, device);
    return config;
  }
  static Floats product(paddle_infer::Predictor& predictor) {
    fill<float>(predictor, "x", {kRows, kWidth}, rows());
    EXPECT_TRUE(predictor.Run());
    return result<float>(predictor, "y");
  }

  const ModelOnDisk model_{large_product()};
  FakeCudaCalls calls_ = nullptr;
  FakeCudaLive live_ = nullptr;
};

void expect_near(const Floats& given, const Floats& expected) {
  ASSERT_EQ(given.size(), expected.size());
  for (size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-3F) << i;
}

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

TEST_F(PaddleCuda, MemoryOfTheDeviceIsNotTakenAsTheHosts) {
  const auto predictor = CreatePredictor(with_gpu(model_));
  const auto in = predictor->GetInputHandle("x");
  const Floats x = rows();
  in->Reshape({kRows, kWidth});
  const std::string instead = "use PlaceType::kCPU, or CopyFromCpu and CopyToCpu";
  expect_refused([&] { in->ShareExternalData(x.data(), {kRows, kWidth}, paddle_infer::PlaceType::kGPU); }, instead);
  expect_refused([&] { in->mutable_data<float>(paddle_infer::PlaceType::kGPU); }, instead);
}

TEST_F(PaddleCuda, CopiesAndStreamsAreDoneWhenTheCallReturns) {
  const Floats expected = product(*model_.predictor());
  Config config = with_gpu(model_);
  int stream = 0;
  config.SetExecStream(&stream);
  EXPECT_TRUE(config.external_stream_enabled());
  EXPECT_TRUE(has(config.Summary(), "runs on streams of its own; Run returns when all is done"));
  const auto predictor = CreatePredictor(config);
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
