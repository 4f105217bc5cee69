// SPDX-License-Identifier: Apache-2.0
// Every call of cuDNN may fail: kernels compute what it cannot while planning, and a run says what failed.
#include "devices/gpu/on_device/convolutions.h"

#include "devices/cuda/cudnn.h"
#include "devices/cuda/faults/graphs.h"
#include "devices/cuda/faults/open_stand_in.h"
#include "support/fake_cuda/convolutions.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes
using fake_cuda::ConvolutionEngine;
using gpu::ImageConvolution;

class CudaConvolutions : public Convolutions<OpenStandIn> {
 protected:
  static ImageConvolution fused(int64_t batch) {
    ImageConvolution c = images(batch, 3, 4, windows(5, 3, 1, 1, 1), windows(5, 3, 1, 1, 1));
    c.has_added = c.has_bias = c.relu = true;
    return c;
  }
};

/// What its heuristics name first is not deterministic, splits sums, rounds or needs memory: each of these would show
/// in the bits, or end the process.
TEST_F(CudaConvolutions, OnlyEnginesWithTheSameBitsAreChosen) {
  for (const int64_t batch : {1, 3, 8}) {
    for (const int64_t after : {1, 2}) {  // the tiled engine takes the same before and after alone
      const auto c = images(batch, 5, 4, windows(7, 3, 1, 1, after), windows(7, 3, 1, 1, after));
      const auto given = operands(c);
      const auto y = run(c, given);
      ASSERT_EQ(error_, "");
      const WindowAxis& h = c.sizes.height();
      const int64_t tile = after == 1 ? 16 : 45;
      for (size_t i = 0; i < y.size(); ++i) {
        const auto position = static_cast<int64_t>(i);
        const int64_t ox = position % h.out;
        const int64_t oy = position / h.out % h.out;
        const int64_t channel = position / h.out / h.out % 4;
        const int64_t image = position / h.out / h.out / 4;
        float sum = 0;
        float part = 0;
        for (int64_t t = 0; t < 45; ++t) {
          const int64_t iy = oy - 1 + t % 9 / 3;
          const int64_t ix = ox - 1 + t % 3;
          if (iy >= 0 && iy < 7 && ix >= 0 && ix < 7) {
            part += given[0][static_cast<size_t>(((image * 5 + t / 9) * 7 + iy) * 7 + ix)] *
                    given[1][static_cast<size_t>(channel * 45 + t)];
          }
          if (t % tile != tile - 1 && t != 44) continue;
          sum += part;
          part = 0;
        }
        ASSERT_EQ(y[i], sum) << i << ", " << batch << " images, " << after << " after";
      }
    }
  }
}

TEST_F(CudaConvolutions, MatrixUnitsAreUsedWhereThePrecisionAllowsThem) {
  ImageConvolution c = images(2, 5, 4, windows(7, 3, 1, 1, 1), windows(7, 3, 1, 1, 1));
  const auto exact = run(c);
  for (const Precision precision : {Precision::kStrict, Precision::kHigh, Precision::kInt8}) {
    c.precision = precision;
    EXPECT_EQ(run(c), exact) << name_of(precision);
  }
  float largest = 0;
  for (const float y : exact) largest = std::max(largest, std::abs(y));
  for (const Precision precision : {Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    c.precision = precision;
    const auto rounded = run(c);
    EXPECT_NE(rounded, exact) << name_of(precision);
    for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded[i], exact[i], 2e-3F * largest) << i;
  }
}

/// Which is another engine, with memory that is as large as it says.
TEST_F(CudaConvolutions, AWorkspaceIsUsedWhereItMayBe) {
  ImageConvolution c = images(2, 5, 4, windows(7, 3, 1, 1, 1), windows(7, 3, 1, 1, 1));
  const auto without = made(c);
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(without->workspace(), 0U);
  c.may_have_workspace = true;
  const auto with = made(c);
  ASSERT_NE(with, nullptr);
  EXPECT_EQ(with->workspace(), 1024U + 2 * 256U);
  const auto expected = run(without, count_y(c), operands(c));
  const auto y = run(with, count_y(c), operands(c));
  EXPECT_EQ(error_, "");
  EXPECT_NE(y, expected) << "its sums are in another order";
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 0.05) << i;
}

TEST_F(CudaConvolutions, AnEngineThatDoesNotTakeTheBatchIsLeftToKernels) {
  const auto of_batch = [](int64_t batch) {
    return images(batch, 1, 4, windows(3, 3, 1, 1, 1), windows(3, 3, 1, 1, 1));
  };
  EXPECT_NE(made(of_batch(ConvolutionEngine::kMostImages)), nullptr);
  EXPECT_EQ(made(of_batch(ConvolutionEngine::kMostImages + 1)), nullptr);
}

TEST_F(CudaConvolutions, OtherStepsGoAlongWithABiasAlone) {
  ImageConvolution c = fused(2);
  EXPECT_NE(made(c), nullptr);
  c.has_bias = false;
  EXPECT_EQ(made(c), nullptr);
  c.has_added = false;
  EXPECT_EQ(made(c), nullptr);
  c.relu = false;
  EXPECT_NE(made(c), nullptr);
}

TEST_F(CudaConvolutions, WhatFailsWhilePlanningIsLeftToKernels) {
  expect_planning_to_fail(
      {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendGetAttribute"},
      CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED,
      [&] { return made(fused(2)) != nullptr; });
}

TEST_F(CudaConvolutions, WithoutAHandleKernelsComputeAll) {
  close();
  fail_("cudnnCreate", CUDNN_STATUS_NOT_INITIALIZED, 0);
  open();
  EXPECT_EQ(made(fused(1)), nullptr);
  fail_("", 0, 0);
  EXPECT_EQ(made(fused(1)), nullptr) << "all convolutions of an open device are computed in one way";
}

TEST_F(CudaConvolutions, WhatFailsInARunIsItsError) {
  const ImageConvolution c = fused(2);
  const auto expected = run(c);
  const auto function = made(c);
  const int64_t live = live_();
  for (const char* call : {"cudnnSetStream", "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute",
                           "cudnnBackendFinalize", "cudnnBackendExecute"}) {
    fail_(call, CUDNN_STATUS_EXECUTION_FAILED, 0);
    run(function, count_y(c), operands(c));
    EXPECT_EQ(error_,
              "the device failed: the device fake GPU failed: convolution of 2 x 3 x 5 x 5 by 4 x 3 x 3 x 3: "
              "CUDNN_STATUS_EXECUTION_FAILED (5000)")
        << call;
    fail_(call, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 0);
    run(function, count_y(c), operands(c));
    EXPECT_EQ(error_,
              "the operator needs more memory than there is: the device fake GPU failed: convolution of "
              "2 x 3 x 5 x 5 by 4 x 3 x 3 x 3: CUDA_ERROR_OUT_OF_MEMORY (2)")
        << call;
    fail_("", 0, 0);
  }
  EXPECT_EQ(live_(), live);
  EXPECT_EQ(run(function, count_y(c), operands(c)), expected);
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaConvolutions, TheDeviceMayGoWithEachCall) {
  expect_the_device_to_go([&] {
    run(fused(1));
    return error_;
  });
}

TEST_F(CudaConvolutions, ForkedProcessesUseThemNoMore) {
  const auto function = made(images(1, 1, 4, windows(2, 1), windows(2, 1)));
  const Block y = block(std::vector<float>(16));
  const Block x = block(std::vector<float>(4, 1));
  ASSERT_EQ(finish(), "");
  expect_to_fail_after_a_fork(*function, {y.argument, x.argument, x.argument});
}

class CudaConvolutionGraphs : public CudaGraphs {};

/// A convolution with its bias and `relu` in one call, and one whose steps are a kernel: two of cuDNN's, one of ours.
TEST_F(CudaConvolutionGraphs, TheyAreCaptured) {
  const auto made = model(R"(graph (%x "x": float32[?, 3, 6, 6]) {
  @v: float32[4, 3, 3, 3] = random(1)
  @w: float32[5, 4, 3, 3] = random(2)
  %a = conv2d(%x, @v) {paddings = [1, 1]}
  %b = relu(%a)
  %c = conv2d(%b, @w) {paddings = [0, 1, 0, 1]}
  return %c "y"
})");
  Session session(made, {.threads = 1});
  for (const int64_t batch : {1, 3}) {
    const std::vector<Tensor> inputs = {random_tensor({batch, 3, 6, 6}, static_cast<unsigned>(batch))};
    const auto expected = singly(made, inputs);
    const int64_t before = calls_("cudnnBackendExecute");
    const int64_t captures = captured();
    run(session, inputs);
    EXPECT_EQ(calls_("cudnnBackendExecute") - before, 2);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(run(session, inputs), expected));
    EXPECT_EQ(captured() - captures, 1);
    EXPECT_EQ(calls_("cudnnBackendExecute") - before, 4) << "into the capture, and no more";
  }
}

}  // namespace
}  // namespace coracle::internal::test
