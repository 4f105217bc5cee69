// SPDX-License-Identifier: Apache-2.0
// Convolutions by a library of the device's maker, where there is one.
#include "devices/gpu/on_device/convolutions.h"

#include "base/half.h"

namespace coracle::internal::test {
namespace {

using gpu::ImageConvolution;

/// In double.
std::vector<double> sums_of(const ConvolutionGeometry& g, const std::vector<float>& x, const std::vector<float>& w) {
  const WindowAxis& h = g.height();
  const WindowAxis& v = g.width();
  const int64_t in = g.in_channels / g.groups;
  std::vector<double> y;
  for (int64_t i = 0; i < g.batch * g.out_channels * h.out * v.out; ++i) {
    const int64_t ox = i % v.out;
    const int64_t oy = i / v.out % h.out;
    const int64_t channel = i / v.out / h.out % g.out_channels;
    const int64_t image = i / v.out / h.out / g.out_channels;
    const int64_t first = image * g.in_channels + channel / (g.out_channels / g.groups) * in;
    double sum = 0;
    for (int64_t c = 0; c < in; ++c) {
      for (int64_t r = h.first(oy); r < h.last(oy); ++r) {
        for (int64_t s = v.first(ox); s < v.last(ox); ++s) {
          const int64_t iy = oy * h.stride - h.pad_before + r * h.dilation;
          const int64_t ix = ox * v.stride - v.pad_before + s * v.dilation;
          sum += double{x[static_cast<size_t>(((first + c) * h.in + iy) * v.in + ix)]} *
                 double{w[static_cast<size_t>(((channel * in + c) * h.kernel + r) * v.kernel + s)]};
        }
      }
    }
    y.push_back(sum);
  }
  return y;
}

class GpuConvolutions : public Convolutions<FirstDevice> {
 protected:
  void SetUp() override {
    FirstDevice::SetUp();
    if (!IsSkipped() && made(images(1, 4, 4, windows(8, 3), windows(8, 3))) == nullptr) {
      GTEST_SKIP() << "no library computes convolutions";
    }
  }
};

TEST_F(GpuConvolutions, TheyAreTheSumsOfWindows) {
  const std::pair<WindowAxis, WindowAxis> all[] = {
      {windows(8, 1), windows(9, 1)},
      {windows(8, 3, 1, 1, 1), windows(7, 3, 1, 1, 1)},
      {windows(15, 7, 2, 3, 3), windows(16, 7, 2, 3, 3)},
      {windows(8, 3, 2, 0, 1), windows(8, 3, 2, 0, 1)},         // after the last alone
      {windows(12, 3, 1, 2, 2, 2), windows(9, 3, 1, 2, 2, 2)},  // every second element
      {windows(3, 1), windows(20, 5, 1, 2, 2)},
      {windows(2, 4, 3, 1, 1), windows(5, 2, 3, 1, 1)},
  };
  for (const auto& [height, width] : all) {
    for (const auto& [in, out, groups] : {std::array{1, 1, 1}, {5, 7, 1}, {8, 12, 4}, {6, 6, 6}}) {
      for (const int64_t batch : {1, 3}) {
        const ImageConvolution c = images(batch, in, out, height, width, groups);
        SCOPED_TRACE(text(batch, " x ", in, " x ", height.in, " x ", width.in, " by ", out, " x ", height.kernel, " x ",
                          width.kernel, ", groups ", groups, ", stride ", height.stride));
        const auto given = operands(c);
        const auto y = run(c, given);
        ASSERT_EQ(error_, "");
        const auto expected = sums_of(c.sizes, given[0], given[1]);
        for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 0.05) << i;
      }
    }
  }
}

TEST_F(GpuConvolutions, WhatElseTheyDo) {
  ImageConvolution c = images(2, 3, 4, windows(6, 3, 1, 1, 1), windows(6, 3, 1, 1, 1));
  const auto plain = run(c);
  for (const bool added : {false, true}) {
    for (const bool relu : {false, true}) {
      c.has_added = added;
      c.has_bias = true;
      c.relu = relu;
      const auto given = operands(c);
      const auto y = run(c, given);
      ASSERT_EQ(error_, "");
      for (size_t i = 0; i < y.size(); ++i) {
        const float expected = plain[i] + (added ? given[2][i] : 0) + given.back()[i / 36 % 4];
        ASSERT_NEAR(y[i], relu ? std::max(expected, 0.0F) : expected, 0.05) << i;
      }
    }
  }
}

TEST_F(GpuConvolutions, OfHalves) {
  ImageConvolution c = images(1, 2, 4, windows(3, 3, 1, 1, 1), windows(3, 3, 1, 1, 1));
  c.type = DType::kFloat16;
  c.has_bias = true;
  const auto function = made(c);
  ASSERT_NE(function, nullptr);
  const auto halves = [](int64_t count, float value) {
    return std::vector<uint16_t>(static_cast<size_t>(count), Float16::from_float(value));
  };
  const Block y = block(halves(36, NAN));
  const Block x = block(halves(18, 0.5F));
  const Block filter = block(halves(72, 3));
  const Block bias = block(halves(4, 0.25F));
  launch(*queue_, *function, {}, {y.argument, x.argument, filter.argument, bias.argument});
  std::vector<uint16_t> result(36);
  queue_->download({y.memory.get(), 128}, result.data(), 72);
  EXPECT_EQ(finish(), "");
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t terms = 2 * (i % 9 == 4 ? 9 : i % 9 % 2 == 0 ? 4 : 6);
    EXPECT_EQ(Float16::to_float(result[i]), 0.25F + 1.5F * static_cast<float>(terms)) << i;
  }
}

/// The first image's bits do not depend on how many there are.
TEST_F(GpuConvolutions, OthersInTheBatchDoNotShow) {
  for (const int64_t stride : {1, 2}) {
    for (const bool workspace : {false, true}) {
      const auto of_batch = [&](int64_t batch) {
        ImageConvolution c = images(batch, 16, 8, windows(9, 3, stride, 1, 1), windows(9, 3, stride, 1, 1));
        c.has_bias = true;
        c.relu = true;
        c.may_have_workspace = workspace;
        return c;
      };
      const auto expected = run(of_batch(1));
      ASSERT_EQ(error_, "");
      for (const int64_t batch : {2, 3, 5, 17}) {
        auto y = run(of_batch(batch));
        ASSERT_EQ(error_, "");
        y.resize(expected.size());
        EXPECT_EQ(y, expected) << batch << " images" << (workspace ? ", with a workspace" : "");
      }
    }
  }
}

/// The stand-in for cuDNN draws how sums are split where that is allowed.
TEST_F(GpuConvolutions, RunsAreAlike) {
  const ImageConvolution c = images(3, 16, 8, windows(7, 3, 1, 1, 1), windows(7, 3, 1, 1, 1));
  const auto expected = run(c);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(c), expected);
}

/// The device's handle is for one thread at a time.
TEST_F(GpuConvolutions, AFunctionIsForAnyNumberOfThreads) {
  ImageConvolution c = images(1, 1, 1, windows(4, 1), windows(4, 1));
  c.has_bias = true;
  expect_for_threads(made(c), std::vector<float>(16, 2), {3}, 1, 6);
}

}  // namespace
}  // namespace coracle::internal::test
