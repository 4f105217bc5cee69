// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/matmul/bmm.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "support/device_kernel_runner.h"
#include "support/model_cases.h"

/// Kernels of convolutions and products, on shapes that cross tiles, panels and vectors of every instruction set.
namespace coracle::internal::test {
namespace {

constexpr EpilogueStep kMultiplyTensor{EpilogueKind::kMultiplyTensor};
constexpr EpilogueStep kSigmoid{EpilogueKind::kSigmoid};
constexpr EpilogueStep kHardSwish{EpilogueKind::kHardSwish, 3, 6, 6};
constexpr EpilogueStep kScaleShift{EpilogueKind::kScaleShift, 1.25F, -0.5F};

const Steps kChains[] = {
    {},
    {kAddChannel},
    {kAddChannel, kRelu},
    {kAddChannel, kSigmoid},
    {kHardSwish, kScaleShift},
    {kAddChannel, kHardSwish, kMultiplyChannel, kAddChannel},
    {kAddChannel, kAddTensor, kRelu},
    {kMultiplyTensor, kAddChannel},
};

using Families = std::vector<std::string>;

int check(KernelCase c, double tolerance, Families rows) {
  c.relative = tolerance;
  c.absolute = tolerance;
  c.kernels = std::move(rows);
  return check_on_every_kernel(c);
}

int check(const Convolution& p, const Steps& steps, double tolerance = 2e-5, Families rows = {"conv2d.indirect"}) {
  return check(convolution_case(p, steps), tolerance, std::move(rows));
}

TEST(ConvolutionKernels, Shapes) {
  const Convolution cases[] = {
      {1, 3, 16, 9, 11, 3, 3, 2, 1, 1, 1},  {2, 24, 33, 7, 13, 1, 1, 1, 0, 1, 1},
      {1, 17, 40, 5, 6, 3, 3, 1, 1, 1, 1},  {1, 32, 64, 14, 14, 3, 3, 1, 1, 1, 1},
      {1, 5, 1, 8, 9, 3, 3, 1, 1, 1, 1},    {1, 20, 24, 12, 5, 3, 3, 1, 2, 2, 1},
      {1, 12, 18, 6, 7, 1, 3, 1, 1, 1, 1},  {2, 8, 6, 1, 1, 1, 1, 1, 0, 1, 1},
      {1, 16, 12, 9, 9, 3, 3, 2, 1, 1, 4},  {3, 48, 72, 4, 3, 5, 5, 1, 2, 1, 1},
      {1, 3, 8, 20, 17, 7, 7, 2, 3, 1, 1},  {1, 96, 24, 21, 23, 3, 3, 1, 1, 1, 1},
      {1, 600, 20, 2, 3, 1, 1, 1, 0, 1, 1}, {1, 4, 7, 3, 3, 9, 9, 1, 4, 1, 1},
  };
  for (const Convolution& p : cases) EXPECT_GT(check(p, {kAddChannel, kRelu}), 0);
}

TEST(ConvolutionKernels, Epilogues) {
  for (const Steps& steps : kChains) {
    check({1, 11, 37, 6, 9, 3, 3, 1, 1, 1, 1}, steps);
    check({2, 9, 5, 7, 9, 1, 1, 1, 0, 1, 1}, steps);
    check({1, 9, 1, 7, 9, 1, 1, 1, 0, 1, 1}, steps);
    check({1, 9, 48, 7, 9, 1, 1, 2, 0, 1, 1}, steps);
    check({1, 29, 29, 7, 9, 3, 3, 1, 1, 1, 29}, steps, 2e-5, {"conv2d.depthwise"});
  }
}

TEST(ConvolutionKernels, Winograd) {
  if (DeviceKernelRunner::under_test() != nullptr) GTEST_SKIP() << "about kernels of the CPU";
  // The transformed filter and inputs have fractions and factors up to 24, so that rounding weighs more than in a plain
  // sum.
  constexpr double kTolerance = 1e-4;
  struct Case {
    int rows;  // of each instruction set that take it
    Convolution convolution;
    double tolerance = kTolerance;
  };
  const Case cases[] = {
      // Tiles of 4x4 pixels, with few channels, cut tiles, several chunks
      {2, {1, 24, 12, 28, 28, 3, 3, 1, 1, 1, 1}},
      {2, {2, 33, 37, 27, 29, 3, 3, 1, 1, 1, 1}},
      {2, {2, 40, 24, 26, 22, 3, 3, 1, 2, 1, 1}},
      {2, {1, 25, 70, 25, 25, 3, 3, 1, 1, 1, 1}},
      {2, {1, 130, 16, 24, 60, 3, 3, 1, 1, 1, 1}},
      // Tiles of 2x2 pixels: all in one chunk, or several images in many
      {2, {1, 64, 64, 14, 14, 3, 3, 1, 1, 1, 1}},
      {2, {1, 130, 70, 7, 9, 3, 3, 1, 1, 1, 1}},
      {2, {5, 70, 97, 13, 11, 3, 3, 1, 1, 1, 1}},
      // Both
      {3, {1, 64, 64, 29, 31, 3, 3, 1, 0, 1, 1}},
      {3, {1, 128, 129, 28, 28, 3, 3, 1, 1, 1, 1}, 2e-4},  // sums of 1152 terms
      // Neither, whatever the size of the batch
      {1, {6, 32, 16, 12, 12, 3, 3, 1, 1, 1, 1}},
      {1, {6, 64, 64, 5, 5, 3, 3, 1, 1, 1, 1}},
  };
  const int one = check({1, 32, 16, 1, 1, 1, 1, 1, 0, 1, 1}, {});
  for (const Case& c : cases) EXPECT_EQ(check(c.convolution, {kAddChannel, kRelu}, c.tolerance), c.rows * one);
  for (const Steps& steps : kChains) {
    EXPECT_EQ(check({1, 26, 35, 26, 27, 3, 3, 1, 1, 1, 1}, steps, kTolerance), 2 * one);
    EXPECT_EQ(check({1, 64, 70, 9, 10, 3, 3, 1, 1, 1, 1}, steps, kTolerance), 2 * one);
  }
}

TEST(ConvolutionKernels, WinogradWithParts) {
  if (DeviceKernelRunner::under_test() != nullptr) GTEST_SKIP() << "about kernels of the CPU";
  constexpr double kTolerance = 1e-4;
  const int one = check({1, 32, 16, 1, 1, 1, 1, 1, 0, 1, 1}, {});
  const Convolution taken[] = {
      {1, 16, 16, 12, 12, 5, 5, 1, 2, 1, 1},  // two by two parts with zeros
      {1, 32, 48, 13, 17, 9, 9, 1, 4, 1, 1},  // three by three parts, cut tiles
      {2, 48, 16, 18, 15, 7, 7, 1, 3, 1, 1},  // two images
      {1, 16, 32, 20, 24, 9, 9, 1, 0, 1, 1},  // no padding
      {1, 16, 16, 15, 15, 3, 6, 1, 2, 1, 1},  // more parts in a row than in a column
      {1, 16, 16, 15, 15, 9, 3, 1, 1, 1, 1},  // the other way round
      {1, 16, 16, 21, 20, 12, 11, 1, 5, 1, 1},
      {1, 64, 16, 80, 400, 6, 3, 1, 2, 1, 1},  // rows of tiles in several bands
  };
  for (const Convolution& p : taken) EXPECT_EQ(check(p, {kAddChannel, kRelu}, kTolerance), 2 * one);
  for (const Steps& steps : kChains) {
    EXPECT_EQ(check({1, 16, 32, 14, 16, 5, 5, 1, 2, 1, 1}, steps, kTolerance), 2 * one);
  }
  const Convolution not_taken[] = {
      {1, 16, 16, 14, 14, 4, 4, 1, 2, 1, 1},  // too many zeros
      {1, 17, 16, 14, 14, 5, 5, 1, 2, 1, 1},  // channels within a vector
      {1, 16, 16, 28, 28, 5, 5, 2, 2, 1, 1},  // a stride
      {1, 16, 16, 20, 20, 5, 5, 1, 4, 2, 1},  // dilation
      {1, 32, 32, 14, 14, 5, 5, 1, 2, 1, 2},  // groups
      {6, 16, 16, 7, 7, 5, 5, 1, 2, 1, 1},    // few tiles, whatever the size of the batch
      {1, 16, 16, 14, 14, 1, 9, 1, 4, 1, 1},  // one row of taps
  };
  for (const Convolution& p : not_taken) EXPECT_EQ(check(p, {kAddChannel, kRelu}), one);
}

TEST(ConvolutionKernels, OneFilterPerChannel) {
  const Families kDepthwise{"conv2d.depthwise"};
  for (int64_t channels : {2, 8, 16, 19, 32, 70, 96}) {
    for (int64_t kernel : {3, 5}) {
      for (int64_t stride : {1, 2}) {
        for (int64_t w : {1, 4, 11, 34}) {
          const int64_t pad = kernel / 2;
          check({1, channels, channels, 7, w, kernel, kernel, stride, pad, 1, channels}, {kAddChannel, kHardSwish},
                2e-5, kDepthwise);
        }
      }
    }
  }
  check({2, 21, 21, 9, 8, 3, 3, 1, 2, 2, 21}, {kAddChannel}, 2e-5, kDepthwise);
  check({1, 6, 6, 3, 9, 1, 7, 1, 3, 1, 6}, {}, 2e-5, kDepthwise);
  check({1, 40, 40, 2, 2, 9, 9, 1, 4, 1, 40}, {kRelu}, 2e-5, kDepthwise);
}

int check(const Transposed& p, const Steps& steps, Families rows = {"conv2d_transpose.phases"}) {
  return check(transposed_case(p, steps), 2e-5, std::move(rows));
}

TEST(TransposedConvolutionKernels, Shapes) {
  const Transposed cases[] = {
      {1, 24, 24, 5, 7, 2, 2, 0, 1, 0, 1}, {2, 24, 1, 5, 13, 2, 2, 0, 1, 0, 1}, {1, 7, 19, 3, 4, 3, 3, 0, 1, 0, 1},
      {1, 8, 12, 6, 5, 4, 2, 1, 1, 0, 1},  {1, 8, 12, 6, 5, 3, 2, 1, 1, 1, 1},  {1, 6, 4, 5, 5, 3, 1, 1, 1, 0, 1},
      {1, 8, 8, 4, 4, 2, 2, 0, 1, 0, 2},   {2, 16, 40, 1, 1, 2, 2, 0, 1, 0, 1}, {1, 5, 3, 4, 6, 3, 1, 2, 2, 0, 1},
  };
  for (const Transposed& p : cases) check(p, {kAddChannel, kRelu});
}

TEST(TransposedConvolutionKernels, Epilogues) {
  const Families kBoth{"conv2d_transpose.blocks", "conv2d_transpose.phases"};
  for (const Steps& steps : kChains) {
    check(Transposed{2, 10, 1, 3, 9, 2, 2, 0, 1, 0, 1}, steps, kBoth);
    check(Transposed{1, 7, 1, 1, 13, 3, 3, 0, 1, 0, 1}, steps, kBoth);
    check(Transposed{2, 24, 4, 2, 15, 2, 2, 0, 1, 0, 1}, steps, kBoth);
    check(Transposed{1, 10, 21, 4, 5, 2, 2, 0, 1, 0, 1}, steps, kBoth);
    check(Transposed{1, 10, 5, 4, 5, 4, 2, 1, 1, 0, 1}, steps);
  }
}

TEST(TransposedConvolutionKernels, StridesThatAreFarApartCostNothing) {
  if (DeviceKernelRunner::under_test() != nullptr) GTEST_SKIP() << "about kernels of the CPU";
  constexpr int64_t kFar = int64_t{1} << 30;
  EXPECT_EQ(check(Transposed{1, 7, 5, 1, 1, 3, kFar, 0, 1, 0, 1}, {kRelu}, {}), 0) << "the reference takes it";
}

TEST(LinearKernels, MatchTheReference) {
  for (const Shape& x : {Shape{1, 1}, Shape{1, 40}, Shape{3, 33}, Shape{2, 7, 64}, Shape{27, 300}, Shape{130, 17}}) {
    for (int64_t n : {1, 7, 16, 24, 33, 100}) {
      for (bool transposed : {false, true}) {
        Linear op;
        op.transpose_w = transposed;
        op.epilogue = {kAddChannel, kHardSwish};
        const int64_t k = x.back();
        KernelCase c{
            .op = op,
            .in = {random_floats(x, -1, 1, 1), random_floats(transposed ? Shape{n, k} : Shape{k, n}, -0.5, 0.5, 2)},
            .relative = 2e-5,
            .absolute = 2e-5,
            .kernels = {"linear"}};
        add_epilogue(c, op.epilogue, {}, n);
        check_on_every_kernel(c);
      }
    }
  }
}

TEST(LinearKernels, OnMatrixTiles) {
  KernelCase c{.op = Linear{},
               .in = {random_floats({2, 64, 128}, -1, 1, 1), random_floats({128, 128}, -0.5, 0.5, 2)},
               .relative = 2e-5,
               .absolute = 2e-5,
               .kernels = {"linear"},
               .tiles = true};
  add_epilogue(c, {}, {}, 128);
  check_on_every_kernel(c);
}

TEST(MatmulKernels, MatchTheReference) {
  const std::pair<Shape, Shape> shapes[] = {
      {{5, 7}, {7, 9}},        {{1, 40}, {40, 1}},          {{3, 25, 33}, {3, 33, 40}},
      {{2, 3, 8, 5}, {5, 19}}, {{2, 1, 13, 4}, {3, 4, 24}}, {{1, 4, 40, 15}, {1, 4, 15, 40}},
      {{14, 200}, {200, 50}},
  };
  for (const auto& [x, y] : shapes) {
    for (bool transposed : {false, true}) {
      Matmul op;
      op.transpose_y = transposed;
      Shape right = y;
      if (transposed) std::swap(right[right.rank() - 1], right[right.rank() - 2]);
      check_on_every_kernel({.op = op,
                             .in = {random_floats(x, -1, 1, 1), random_floats(right, -1, 1, 2)},
                             .relative = 2e-5,
                             .absolute = 2e-5,
                             .kernels = {"matmul"}});
    }
  }
  check_on_every_kernel({.op = Bmm{},
                         .in = {random_floats({3, 9, 31}, -1, 1, 1), random_floats({3, 31, 17}, -1, 1, 2)},
                         .relative = 2e-5,
                         .absolute = 2e-5,
                         .kernels = {"bmm"}});
}

}  // namespace
}  // namespace coracle::internal::test
