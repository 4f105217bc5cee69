// SPDX-License-Identifier: Apache-2.0
// Calls for a GPU on a machine without NVIDIA's driver; those on a device are in cuda/.
#include <dlfcn.h>

#include <cstdlib>

#include "coracle/coracle.h"
#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using Floats = std::vector<float>;

class PaddleWithoutGpu : public testing::Test {
 protected:
  void SetUp() override {
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return;
    ::dlclose(driver);
    GTEST_SKIP() << "this machine has NVIDIA's driver";
  }
  void TearDown() override {
    ::unsetenv("CORACLE_PADDLE_DEVICE");
    coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr);
  }
  static Floats product_of(const Config& config) {
    const auto predictor = CreatePredictor(config);
    fill<float>(*predictor, "x", {1, 2}, {1, 2});
    predictor->Run();
    return result<float>(*predictor, "product");
  }

  const ModelOnDisk model_{product_model()};
};

TEST_F(PaddleWithoutGpu, TheModelRunsOnTheCpuAndTheUserIsTold) {
  std::string warned;
  const auto log = [](void* to, coracle_log_level level, const char* message) {
    if (level == CORACLE_LOG_WARNING) *static_cast<std::string*>(to) += message;
  };
  coracle_set_logger(CORACLE_LOG_WARNING, log, &warned);
  Config config = model_.config();
  config.EnableUseGpu(250, 3, Config::Precision::kHalf);
  EXPECT_FALSE(config.use_gpu());
  EXPECT_EQ(config.gpu_device_id(), 3);
  EXPECT_EQ(config.memory_pool_init_size_mb(), 250);
  const std::string summary = config.Summary();
  for (const char* part :
       {"| use_gpu ", "runs on the CPU: NVIDIA's driver was not loaded", "install it", "EnableUseGpu(precision)"}) {
    EXPECT_NE(summary.find(part), std::string::npos) << part << " in\n" << summary;
  }
  EXPECT_EQ(summary.find("memory_pool_init_size"), std::string::npos) << "as in Paddle where it is off";
  EXPECT_EQ(warned, "") << "asking loads no model";
  EXPECT_EQ(product_of(config), (Floats{7, 10}));
  EXPECT_NE(warned.find("there is no device 'cuda:3', the model runs on the processor: NVIDIA's driver was not"),
            std::string::npos)
      << warned;
}

TEST_F(PaddleWithoutGpu, AProgramThatMustHaveOneIsRefused) {
  Config config = model_.config();
  config.EnableUseGpu(100, 0);
  ASSERT_EQ(::setenv("CORACLE_PADDLE_DEVICE", "cuda", 1), 0);
  EXPECT_TRUE(config.use_gpu()) << "there will be no predictor on the CPU";
  EXPECT_NE(config.Summary().find("no predictor can be made: NVIDIA's driver"), std::string::npos);
  expect_refused([&] { CreatePredictor(config); },
                 "there is no device 'cuda' on this machine: NVIDIA's driver was not");
  EXPECT_TRUE(config.is_valid());
  config.SetCoracleDevice("abacus");
  EXPECT_NE(config.Summary().find("no predictor can be made: there is no device 'abacus'"), std::string::npos);
  expect_refused([&] { CreatePredictor(config); }, "there is no device 'abacus'");
  config.SetCoracleDevice("");
  EXPECT_FALSE(config.use_gpu());
  EXPECT_EQ(product_of(config), (Floats{7, 10})) << "what is set goes before the environment";
}

TEST_F(PaddleWithoutGpu, WhoAsksForNoneIsNotTold) {
  ASSERT_EQ(::setenv("CORACLE_PADDLE_DEVICE", "cuda", 1), 0);
  Config config = model_.config();
  EXPECT_EQ(config.Summary().find("EnableUseGpu"), std::string::npos);
  config.EnableUseGpu(100, 0);
  config.DisableGpu();
  EXPECT_FALSE(config.use_gpu());
  EXPECT_EQ(config.Summary().find("EnableUseGpu"), std::string::npos);
  EXPECT_EQ(product_of(config), (Floats{7, 10}));
}

}  // namespace
}  // namespace coracle::internal::test
