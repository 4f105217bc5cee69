// SPDX-License-Identifier: Apache-2.0
// What is chosen of the ways of cuDNN and cuBLASLt is chosen once, and kept under all that it was made of.
#include <stdlib.h>

#include <algorithm>
#include <thread>

#include "devices/cuda/cublaslt.h"
#include "devices/cuda/cudnn.h"
#include "devices/cuda/faults/open_stand_in.h"
#include "devices/gpu/on_device/convolutions.h"
#include "devices/gpu/on_device/products.h"
#include "support/fake_cuda/convolutions.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes
using fake_cuda::ConvolutionEngine;
using gpu::ImageConvolution;
using gpu::Product;

constexpr double kLong = 1e7;  // ms, of what is not the fastest

class CudaChoices : public Convolutions<OpenStandIn> {
 protected:
  void TearDown() override {
    ::unsetenv("CORACLE_CUDA_MEASURE");
    ::unsetenv("NVIDIA_TF32_OVERRIDE");
    ::unsetenv("FAKE_CUDA_ARCHITECTURE");
    ::setenv("CORACLE_CUDA_CACHE", "", 1);
    if (takes_ != nullptr) {
      for (int64_t way = -64; way < 64; ++way) takes_(way, 0);
    }
    OpenStandIn::TearDown();
  }
  static ImageConvolution plain_convolution(int64_t batch = 1) {
    return images(batch, 5, 4, windows(7, 3, 1, 1, 1), windows(7, 3, 1, 1, 1));
  }
  void reopen(const std::string& folder) {
    close();
    ::setenv("CORACLE_CUDA_CACHE", folder.c_str(), 1);
    open();
  }
  void measure(const std::string& folder = "") {
    ::setenv("CORACLE_CUDA_MEASURE", "1", 1);
    reopen(folder);
  }
  int64_t asked() const { return calls_("heuristics of cuDNN") + calls_("cublasLtMatmulAlgoGetHeuristic"); }
  int64_t timed() const { return calls_("cuEventElapsedTime"); }
  /// How often libraries are asked for a choice meanwhile.
  template <class F>
  int64_t asked_in(const F& f) const {
    const int64_t before = asked();
    f();
    return asked() - before;
  }
  std::shared_ptr<const gpu::Function> product(const Product& p) { return gpu().product(p); }
  std::vector<float> run_product(const Product& p) {
    const gpu::Matrices& m = p.matrices;
    std::vector<std::vector<float>> all = {numbers(m.rows * m.depth, 1), numbers(m.depth * m.columns, 2)};
    if (p.has_bias) all.push_back(numbers(m.columns, 3));
    return run(product(p), m.rows * m.columns, all);
  }
};

TEST_F(CudaChoices, AreMadeOnce) {
  EXPECT_EQ(asked_in([&] { EXPECT_NE(made(plain_convolution()), nullptr); }), 1);
  EXPECT_EQ(asked_in([&] {
              for (const int64_t batch : {1, 2, 9}) EXPECT_NE(made(plain_convolution(batch)), nullptr);
            }),
            0);
  EXPECT_EQ(asked_in([&] { EXPECT_NE(product(plain(3, 4, 5)), nullptr); }), 1);
  EXPECT_EQ(asked_in([&] {
              for (const int64_t rows : {3, 8, 200}) EXPECT_NE(product(plain(rows, 4, 5)), nullptr);
            }),
            0);
  // That nothing takes it is an answer.
  ImageConvolution none = plain_convolution();
  none.relu = true;
  EXPECT_GT(asked_in([&] { EXPECT_EQ(made(none), nullptr); }), 0);
  EXPECT_EQ(asked_in([&] { EXPECT_EQ(made(none), nullptr); }), 0);
}

/// Each kept choice is made again, and is the same.
TEST_F(CudaChoices, AreKeptOnDisk) {
  const TemporaryFolder folder;
  const ImageConvolution c[] = {plain_convolution(), images(3, 2, 4, windows(5, 3, 2, 0, 1), windows(6, 3, 1, 1, 1))};
  Product p[] = {plain(3, 4, 5), plain(70, 9, 33)};
  p[1].has_bias = true;
  ImageConvolution none = plain_convolution();
  none.relu = true;
  std::vector<std::vector<std::vector<float>>> results;
  const auto run_all = [&] {
    std::vector<std::vector<float>>& all = results.emplace_back();
    for (const ImageConvolution& convolution : c) {
      for (const bool workspace : {false, true}) {
        ImageConvolution one = convolution;
        one.may_have_workspace = workspace;
        all.push_back(run(one));
        EXPECT_EQ(error_, "");
      }
    }
    for (const Product& one : p) {
      all.push_back(run_product(one));
      EXPECT_EQ(error_, "");
    }
    EXPECT_EQ(made(none), nullptr);
  };
  reopen(folder.path("cache"));
  EXPECT_GE(asked_in(run_all), 7);
  reopen(folder.path("cache"));
  EXPECT_EQ(asked_in(run_all), 0);
  reopen("");
  EXPECT_GE(asked_in(run_all), 7);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

/// Whatever is changed, the choice is made for it.
TEST_F(CudaChoices, AreKnownByAllThatTheyAreMadeOf) {
  const TemporaryFolder folder;
  reopen(folder.path("cache"));
  std::vector<ImageConvolution> convolutions = {plain_convolution()};
  const auto with = [&](auto change) {
    convolutions.push_back(plain_convolution());
    change(convolutions.back());
  };
  with([](ImageConvolution& c) { c.type = DType::kFloat16; });
  with([](ImageConvolution& c) { c.precision = Precision::kTf32; });
  with([](ImageConvolution& c) { c.has_bias = true; });
  with([](ImageConvolution& c) { c.has_bias = c.has_added = true; });
  with([](ImageConvolution& c) { c.has_bias = c.relu = true; });
  with([](ImageConvolution& c) { c.may_have_workspace = true; });
  with([](ImageConvolution& c) { c.sizes.in_channels = 6; });
  with([](ImageConvolution& c) { c.sizes.out_channels = 8; });
  with([](ImageConvolution& c) { c.sizes.in_channels = 6, c.sizes.groups = 2; });
  for (const size_t axis : {1, 2}) {
    const auto with_window = [&](const WindowAxis& window) {
      with([&](ImageConvolution& c) { c.sizes.axes[axis] = window; });
    };
    with_window(windows(8, 3, 1, 1, 1));
    with_window(windows(7, 5, 1, 2, 2));
    with_window(windows(7, 3, 2, 1, 1));
    with_window(windows(7, 3, 1, 2, 2, 2));
    with_window(windows(7, 3, 1, 2, 0));
    with_window(windows(7, 3, 1, 0, 2));
  }
  std::vector<Product> products = {plain(16, 8, 4)};
  const auto with_product = [&](auto change) {
    products.push_back(plain(16, 8, 4));
    change(products.back());
  };
  with_product([](Product& p) { p.type = DType::kFloat16; });
  with_product([](Product& p) { p.precision = Precision::kTf32; });
  with_product([](Product& p) { p.has_bias = true; });
  with_product([](Product& p) { p.activation = Product::Activation::kRelu; });
  with_product([](Product& p) { p.activation = Product::Activation::kGeluTanh; });
  with_product([](Product& p) { p = plain(16, 12, 4); });
  with_product([](Product& p) { p = plain(16, 8, 8); });
  with_product([](Product& p) { p.matrices.a_row = 8; });
  with_product([](Product& p) { p.matrices.b_depth = 16; });
  with_product([](Product& p) { p.matrices.b_depth = 9; });
  with_product([](Product& p) { p.matrices.a_row = 1, p.matrices.a_depth = 16; });
  with_product([](Product& p) { p.matrices.b_depth = 1, p.matrices.b_column = 4; });
  with_product([](Product& p) { p.matrices.batch = {{2, 65, 0}}; });  // less aligned
  for (size_t i = 0; i < convolutions.size(); ++i) {
    EXPECT_GT(asked_in([&] { EXPECT_NE(made(convolutions[i]), nullptr); }), 0) << i;
  }
  for (size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(asked_in([&] { EXPECT_NE(product(products[i]), nullptr); }), 1) << i;
  }
  const auto all_again = [&] {
    reopen(folder.path("cache"));
    return asked_in([&] {
      for (const ImageConvolution& c : convolutions) EXPECT_NE(made(c), nullptr);
      for (const Product& p : products) EXPECT_NE(product(p), nullptr);
    });
  };
  EXPECT_EQ(all_again(), 0);
  const auto count = static_cast<int64_t>(convolutions.size() + products.size());
  for (const auto& [variable, value] :
       {std::pair("FAKE_CUDA_ARCHITECTURE", "86"), {"NVIDIA_TF32_OVERRIDE", "0"}, {"CORACLE_CUDA_MEASURE", "1"}}) {
    ::setenv(variable, value, 1);
    EXPECT_GE(all_again(), count) << variable;
    EXPECT_EQ(all_again(), 0) << variable;
    ::unsetenv(variable);
  }
}

/// cuDNN has no memory for the engine that it would choose: the next one is used for now.
TEST_F(CudaChoices, MadeInNeedAreNotKept) {
  const TemporaryFolder folder;
  const auto expected = run(plain_convolution());
  for (const char* call : {"cudnnBackendCreateDescriptor", "cudnnBackendFinalize", "cudnnBackendGetAttribute",
                           "heuristics of cuDNN", "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatrixLayoutCreate",
                           "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute"}) {
    const bool is_product = std::string_view(call).starts_with("cublas");
    for (int64_t skipped = 0; skipped < 40; skipped += 7) {
      reopen(folder.path(text(call, skipped)));
      fail_(call,
            is_product ? int{CUBLAS_STATUS_ALLOC_FAILED} : int{CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED},
            skipped);
      made(plain_convolution());
      product(plain(3, 4, 5));
      fail_("", 0, 0);
      for (const bool again : {false, true}) {
        if (again) reopen(folder.path(text(call, skipped)));
        EXPECT_EQ(run(plain_convolution()), expected) << call << " " << skipped;
        EXPECT_NE(product(plain(3, 4, 5)), nullptr) << call << " " << skipped;
      }
    }
  }
}

/// The fastest of the engines that may be used, on a device that has none yet.
TEST_F(CudaChoices, MayBeMeasured) {
  const TemporaryFolder folder;
  const ImageConvolution c = plain_convolution(2);
  ImageConvolution fused = c;
  fused.has_added = fused.has_bias = fused.relu = fused.may_have_workspace = true;
  const auto tiled = run(c);
  takes_(ConvolutionEngine::kTiled, kLong);
  EXPECT_EQ(run(c), tiled) << "heuristics know nothing of it";
  const int64_t none = timed();
  measure(folder.path("cache"));
  const auto fast = run(c);
  EXPECT_NE(fast, tiled);
  EXPECT_GT(timed(), none);
  EXPECT_EQ(run(fused), run(fused));
  // It is kept, also where it would be another one now.
  takes_(ConvolutionEngine::kPlain, 10 * kLong);
  const int64_t before = timed();
  EXPECT_EQ(run(c), fast);
  const auto five = run(plain_convolution(5));
  EXPECT_TRUE(std::equal(five.begin(), five.begin() + 4, fast.begin())) << "for any number of images";
  reopen(folder.path("cache"));
  EXPECT_EQ(run(c), fast);
  EXPECT_EQ(timed(), before);
  // Elsewhere it is measured anew.
  measure(folder.path("other"));
  EXPECT_EQ(run(c), tiled);
  EXPECT_GT(timed(), before);
  // By default nothing is.
  ::unsetenv("CORACLE_CUDA_MEASURE");
  takes_(ConvolutionEngine::kTiled, 100 * kLong);
  reopen(folder.path("cache"));
  EXPECT_EQ(run(c), tiled);
}

/// None of those that give other bits in another run or beside others, however fast they are.
TEST_F(CudaChoices, OnlyWaysWithTheSameBitsAreMeasured) {
  measure();
  takes_(ConvolutionEngine::kTiled, kLong);
  takes_(ConvolutionEngine::kPlain, kLong);
  takes_(ConvolutionEngine::kWorkspace, kLong);
  ImageConvolution c = plain_convolution(2);
  c.may_have_workspace = true;
  const auto first = run(c);
  EXPECT_EQ(run(c), first);
  reopen("");
  const auto one = run(plain_convolution(1));
  const auto many = run(plain_convolution(8));
  EXPECT_TRUE(std::equal(one.begin(), one.end(), many.begin()));
}

TEST_F(CudaChoices, ProductsAreMeasuredToo) {
  const TemporaryFolder folder;
  Product p = plain(3, 4, 48);
  for (const bool bias : {false, true}) {
    SCOPED_TRACE(bias);
    p.has_bias = bias;
    ::unsetenv("CORACLE_CUDA_MEASURE");
    reopen("");
    const auto by_heuristics = run_product(p);
    for (const int64_t slow : {-2, -32}) takes_(slow, kLong);
    takes_(-3, 0);
    measure(folder.path(text("cache", bias)));
    const auto fast = run_product(p);
    EXPECT_EQ(error_, "");
    EXPECT_NE(fast, by_heuristics);
    takes_(-3, 10 * kLong);
    const int64_t before = timed();
    reopen(folder.path(text("cache", bias)));
    EXPECT_EQ(run_product(p), fast);
    EXPECT_EQ(timed(), before);
    measure("");
    takes_(-32, 0);
    EXPECT_EQ(run_product(p), by_heuristics);
  }
}

/// What cannot be measured is chosen by heuristics, and another time again.
TEST_F(CudaChoices, EachCallOfMeasuringMayFail) {
  Product p = plain(3, 4, 48);
  p.has_bias = true;
  const auto convolution = run(plain_convolution());
  const auto product_result = run_product(p);
  takes_(ConvolutionEngine::kTiled, kLong);
  for (const int64_t slow : {-2, -32}) takes_(slow, kLong);
  measure();
  const auto fast_convolution = run(plain_convolution());
  const auto fast_product = run_product(p);
  ASSERT_NE(fast_convolution, convolution);
  ASSERT_NE(fast_product, product_result);
  reopen("");
  run(plain_convolution());  // what it has then stays
  reopen("");
  const int64_t live = live_();
  for (const char* call :
       {"cuStreamCreate", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime", "cuMemAlloc_v2",
        "cuMemsetD8Async", "cudnnBackendExecute", "cublasLtMatmul"}) {
    for (const int64_t skipped : {0, 1, 2, 5, 13}) {
      reopen("");
      fail_(call,
            std::string_view(call).starts_with("cu") && call[2] >= 'A' && call[2] <= 'Z'
                ? int{CUDA_ERROR_OUT_OF_MEMORY}
                : int{CUBLAS_STATUS_INTERNAL_ERROR},
            skipped);
      made(plain_convolution());
      product(p);
      fail_("", 0, 0);
      const auto c = run(plain_convolution());
      EXPECT_TRUE(c == fast_convolution || c == convolution) << call << " " << skipped;
      const auto y = run_product(p);
      EXPECT_TRUE(y == fast_product || y == product_result) << call << " " << skipped;
      EXPECT_FALSE(device_->lost()) << call;
    }
  }
  reopen("");
  EXPECT_EQ(live_(), live);
}

TEST_F(CudaChoices, AreOneForAllThreads) {
  measure();
  takes_(ConvolutionEngine::kTiled, kLong);
  const int64_t before = timed();
  made(plain_convolution());
  const int64_t once = timed() - before;
  reopen("");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_NE(made(plain_convolution()), nullptr); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(timed() - before, 2 * once);
}

TEST_F(CudaChoices, TheDeviceMayGoWhileTheyAreMeasured) {
  ::setenv("CORACLE_CUDA_MEASURE", "1", 1);
  Product p = plain(3, 4, 48);
  expect_the_device_to_go([&] {
    run(plain_convolution());
    if (error_.empty()) run_product(p);
    return error_;
  });
}

}  // namespace
}  // namespace coracle::internal::test
