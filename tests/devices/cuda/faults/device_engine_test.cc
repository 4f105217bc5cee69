// SPDX-License-Identifier: Apache-2.0
// The engine `cudnn`: the device, with its library.
#include "api/describe.h"
#include "blocks/choice.h"
#include "devices/cuda/api.h"
#include "devices/cuda/faults/graphs.h"

namespace coracle::internal::test {
namespace {

constexpr char kConvolution[] = R"(graph (%x "x": float32[?, 3, 6, 6]) {
  @v: float32[4, 3, 3, 3] = random(1)
  %a = conv2d(%x, @v) {paddings = [1, 1]}
  return %a "y"
})";

class CudaEngine : public CudaGraphs {
 protected:
  static std::shared_ptr<const Model> with(const char* engines, const char* device = "") {
    ModelOptions options;
    options.device = device;
    options.kernels.disabled = {"islands"};
    options.engines.engines = {used_engine(engines, Precision::kDefault)};
    return model_of(kConvolution, options);
  }
  static std::string error_of(const char* engines, const char* device = "") {
    try {
      with(engines, device);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
      return e.text();
    }
    return "";
  }
  int64_t executed() const { return calls_("cudnnBackendExecute"); }
  static bool has_cudnn() { return cuda::loaded_convolutions().api != nullptr; }
};

TEST_F(CudaEngine, GivesTheDevice) {
  if (!has_cudnn()) GTEST_SKIP() << cuda::loaded_convolutions().missing;
  const Tensor x = random_tensor({2, 3, 6, 6}, 1);
  const std::vector<Tensor> expected = run_fresh(model(kConvolution), {x}, {.threads = 1});
  for (const auto& [engines, device] :
       {std::pair("cudnn", ""), {"cudnn?", ""}, {"cudnn:0", ""}, {"cudnn", "cuda"}, {"cudnn:0", "cuda:0?"}}) {
    const int64_t before = executed();
    const auto made = with(engines, device);
    EXPECT_TRUE(same_bits(run_fresh(made, {x}, {.threads = 1}), expected)) << engines;
    EXPECT_EQ(executed() - before, 1) << engines;
    const std::string told = describe_engines(*made);
    EXPECT_NE(told.find(R"("version":"cuDNN 9.1.0, by the device cuda")"), std::string::npos) << told;
    EXPECT_EQ(told.find("missing"), std::string::npos) << told;
  }
  const std::string named = describe_engines(std::vector<std::string>{"cudnn"});
  EXPECT_NE(named.find("cuDNN 9.1.0"), std::string::npos) << named;
}

TEST_F(CudaEngine, AnotherDeviceIsAnError) {
  if (!has_cudnn()) GTEST_SKIP() << cuda::loaded_convolutions().missing;
  EXPECT_EQ(error_of("cudnn", "opencl"),
            "the engine 'cudnn' cannot be used: it runs on the device cuda, and the option device says 'opencl': leave "
            "one of the two out");
  EXPECT_EQ(
      error_of("cudnn:1", "cuda:0"),
      "the engine 'cudnn:1' cannot be used: it is to run on cuda:1, and the option device says 'cuda:0': leave one "
      "of the two out");
  EXPECT_NE(error_of("cudnn:7").find("the engine 'cudnn:7' cannot be used: there is no device 'cuda:7'"),
            std::string::npos);
  // Optional, it is left out with its reason.
  const auto made = with("cudnn?", "cpu");
  EXPECT_NE(describe_engines(*made).find("the option device says 'cpu'"), std::string::npos);
  const int64_t before = executed();
  run_fresh(made, {random_tensor({2, 3, 6, 6}, 1)}, {.threads = 1});
  EXPECT_EQ(executed(), before);
}

/// Run with CORACLE_CUDNN=0.
TEST_F(CudaEngine, WithoutItsLibraryIsAnError) {
  if (has_cudnn()) GTEST_SKIP() << "cuDNN is there";
  for (const char* device : {"", "cuda"}) {
    EXPECT_EQ(error_of("cudnn", device), "the engine 'cudnn' cannot be used: CORACLE_CUDNN is 0");
    const auto made = with("cudnn?", device);
    EXPECT_NE(describe_engines(*made).find(R"("missing":"CORACLE_CUDNN is 0")"), std::string::npos);
    const Tensor x = random_tensor({2, 3, 6, 6}, 1);
    const int64_t before = single();
    run_fresh(made, {x}, {.threads = 1});
    EXPECT_EQ(single() == before, *device == 0) << "natively, where device says";
  }
}

}  // namespace
}  // namespace coracle::internal::test
