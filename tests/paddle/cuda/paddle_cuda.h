// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "coracle/coracle.h"
#include "paddle/paddle_models.h"
#include "support/fake_cuda/fake_cuda.h"

namespace coracle::internal::test {

using paddle_infer::Config;
using paddle_infer::CreatePredictor;
using Floats = std::vector<float>;

inline constexpr int kWidth = 512;
inline constexpr int kRows = 64;

/// "y" = x[?, 512] w: large enough that it pays to copy what it takes and gives.
inline ModelBytes large_product() {
  BlockWriter b;
  add_feed(b, "x", kFloat32, {-1, kWidth}, 0);
  b.variables.push_back(variable("w", kFloat32, {kWidth, kWidth}, true));
  b.operators.push_back(OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}));
  add_fetch(b, "y", 0);
  Floats weights(static_cast<size_t>(kWidth * kWidth));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) * 0.01F;
  return {"large_product", program_file({b}), record<float>(kFloat32, {kWidth, kWidth}, weights), {}};
}
inline Floats rows() { return Floats(static_cast<size_t>(kRows * kWidth), 0.25F); }

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

inline void expect_near(const Floats& given, const Floats& expected) {
  ASSERT_EQ(given.size(), expected.size());
  for (size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-3F) << i;
}

}  // namespace coracle::internal::test
