// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/depthwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "devices/cpu/isa/isa_test.h"

namespace coracle::internal::cpu {
namespace {

struct DepthwiseCase {
  int64_t batch, channels, h, w, kernel_h, kernel_w, stride, pad, dilation;
};

constexpr DepthwiseCase kCases[] = {
    {1, 16, 8, 40, 3, 3, 1, 1, 1},
    {2, 33, 7, 7, 3, 3, 1, 1, 1},
    {1, 64, 9, 12, 3, 3, 2, 1, 1},
    {1, 70, 6, 19, 5, 5, 1, 2, 1},
    {2, 5, 11, 9, 5, 5, 2, 2, 1},
    {1, 24, 10, 10, 3, 3, 1, 2, 2},
    {1, 8, 1, 1, 3, 3, 1, 1, 1},
    {1, 1, 4, 30, 1, 7, 1, 3, 1},
    {1, 20, 3, 2, 9, 9, 1, 4, 1},
    {1, 12, 2, 2, 2, 2, 1, 3, 1},
    {0, 4, 5, 5, 3, 3, 1, 1, 1},
    // Pixels that share few sets of the caches, and others; rows longer than what is computed at once.
    {1, 256, 5, 70, 3, 3, 1, 1, 1},
    {2, 512, 3, 7, 3, 3, 1, 1, 1},
    {1, 256, 9, 37, 3, 3, 2, 1, 1},
    {1, 256, 6, 33, 5, 5, 1, 2, 1},
    {1, 256, 1, 1, 3, 3, 1, 1, 1},
    {1, 272, 4, 5, 3, 3, 1, 0, 1},
    {1, 20, 5, 131, 3, 3, 1, 1, 1},
    {1, 40, 3, 66, 5, 5, 1, 2, 1},
    {1, 9, 4, 65, 3, 3, 1, 2, 1},
    {1, 17, 3, 2, 5, 5, 1, 4, 1},
    {1, 128, 4, 6, 5, 5, 1, 2, 1},
    {1, 768, 7, 4, 3, 3, 2, 0, 1},
};

struct Depthwise {
  DepthwiseCase p;
  int64_t out_h, out_w, weight_step;
  std::vector<float> input, weights, packed, bias, residual, zeros;

  Depthwise(const DepthwiseFunctions& f, const DepthwiseCase& c) : p(c) {
    out_h = (p.h + 2 * p.pad - (p.kernel_h - 1) * p.dilation - 1) / p.stride + 1;
    out_w = (p.w + 2 * p.pad - (p.kernel_w - 1) * p.dilation - 1) / p.stride + 1;
    const int64_t taps = p.kernel_h * p.kernel_w;
    input = random_floats(static_cast<size_t>(p.batch * p.h * p.w * p.channels), 1);
    weights = random_floats(static_cast<size_t>(taps * p.channels), 2);
    bias = random_floats(static_cast<size_t>(p.channels), 3);
    residual = random_floats(static_cast<size_t>(p.batch * out_h * out_w * p.channels), 4);
    packed.resize(static_cast<size_t>(f.packed_floats(taps, p.channels)));
    zeros.resize(static_cast<size_t>(p.channels));
    f.pack(weights.data(), taps, p.channels, packed.data());
    weight_step = f.packed_floats(1, p.channels);
  }

  DepthwiseCall call(float* output) const {
    DepthwiseCall call;
    call.channels = call.in_stride = call.out_stride = p.channels;
    call.in_h = p.h;
    call.in_w = p.w;
    call.out_h = out_h;
    call.out_w = out_w;
    call.kernel_h = p.kernel_h;
    call.kernel_w = p.kernel_w;
    call.stride_y = call.stride_x = p.stride;
    call.dilation_y = call.dilation_x = p.dilation;
    call.pad_top = call.pad_left = p.pad;
    call.input = input.data();
    call.packed = packed.data();
    call.weight_step = weight_step;
    call.zeros = zeros.data();
    call.output = output;
    return call;
  }

  double sum(size_t index) const {
    const int64_t at = static_cast<int64_t>(index);
    const int64_t c = at % p.channels, pixel = at / p.channels;
    const int64_t ox = pixel % out_w, oy = pixel / out_w % out_h, n = pixel / out_w / out_h;
    double sum = 0;
    for (int64_t ky = 0; ky < p.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < p.kernel_w; ++kx) {
        const int64_t y = oy * p.stride - p.pad + ky * p.dilation, x = ox * p.stride - p.pad + kx * p.dilation;
        if (y < 0 || y >= p.h || x < 0 || x >= p.w) continue;
        sum += double{input[static_cast<size_t>(((n * p.h + y) * p.w + x) * p.channels + c)]} *
               weights[static_cast<size_t>((c * p.kernel_h + ky) * p.kernel_w + kx)];
      }
    }
    return sum;
  }
};

class DepthwiseTest : public testing::TestWithParam<Isa> {
 protected:
  const DepthwiseFunctions& f() const { return depthwise_table(GetParam()); }
};

TEST_P(DepthwiseTest, MatchesPlainLoops) {
  for (const DepthwiseCase& p : kCases) {
    const Depthwise conv(f(), p);
    const size_t channels = static_cast<size_t>(p.channels);
    std::vector<EpilogueOp> ops(3);
    ops[0].step.kind = EpilogueKind::kAddChannel;
    ops[0].tensor = conv.bias.data();
    ops[1].step = {EpilogueKind::kRelu};
    ops[2].step.kind = EpilogueKind::kAddTensor;
    ops[2].tensor = conv.residual.data();
    ops[2].tensor_stride = p.channels;
    for (const int count : {0, 1, 2, 3}) {
      std::vector<float> got(conv.residual.size(), NAN);
      DepthwiseCall call = conv.call(got.data());
      call.epilogue = ops.data();
      call.epilogue_size = count;
      f().run(call, 0, p.batch * conv.out_h);
      for (size_t i = 0; i < got.size(); ++i) {
        double want = conv.sum(i);
        if (count > 0) want += conv.bias[i % channels];
        if (count > 1) want = std::max(want, 0.0);
        if (count > 2) want += conv.residual[i];
        ASSERT_TRUE(near(got[i], want, 1e-5, 1.0)) << got[i] << " " << want << " at " << i << ", chain " << count;
      }
    }
  }
}

TEST_P(DepthwiseTest, AnySplitGivesTheSameBits) {
  for (const DepthwiseCase& p : kCases) {
    const Depthwise conv(f(), p);
    std::vector<float> whole(conv.residual.size(), NAN), rows(whole);
    f().run(conv.call(whole.data()), 0, p.batch * conv.out_h);
    for (int64_t row = 0; row < p.batch * conv.out_h; ++row) f().run(conv.call(rows.data()), row, row + 1);
    EXPECT_EQ(whole, rows);
  }
}

// Results may lie in pixels that hold more, and be read from such: what lies between them stays as it is.
TEST_P(DepthwiseTest, PixelsMayLieApart) {
  for (const DepthwiseCase& p : kCases) {
    const Depthwise conv(f(), p);
    const int64_t more = p.channels % 256 == 0 ? 256 : 3;
    const auto apart = [&](const std::vector<float>& dense, int64_t stride) {
      std::vector<float> wide(dense.size() / static_cast<size_t>(p.channels) * static_cast<size_t>(stride), 7.0F);
      for (size_t i = 0; i < dense.size(); ++i) {
        const size_t pixel = i / static_cast<size_t>(p.channels), channel = i % static_cast<size_t>(p.channels);
        wide[pixel * static_cast<size_t>(stride) + channel] = dense[i];
      }
      return wide;
    };
    EpilogueOp swish;
    swish.step = {EpilogueKind::kHardSwish, 3, 6, 6};
    std::vector<float> want(conv.residual.size(), NAN);
    DepthwiseCall call = conv.call(want.data());
    call.epilogue = &swish;
    call.epilogue_size = 1;
    f().run(call, 0, p.batch * conv.out_h);
    const std::vector<float> input = apart(conv.input, p.channels + more);
    std::vector<float> got = apart(std::vector<float>(want.size(), NAN), p.channels + more);
    call.input = input.data();
    call.in_stride = call.out_stride = p.channels + more;
    call.output = got.data();
    f().run(call, 0, p.batch * conv.out_h);
    EXPECT_EQ(got, apart(want, p.channels + more)) << p.channels << " channels, " << p.w << " columns";
  }
}

// A row has the same bits computed alone and with its neighbour, whatever lies at its borders.
TEST_P(DepthwiseTest, SpecialValuesAtBordersHaveTheSameBitsInAnySplit) {
  for (const DepthwiseCase& p : kCases) {
    Depthwise conv(f(), p);
    for (float& x : conv.input) x = 0;
    for (float& b : conv.bias) b = -0.0F;
    for (float& w : conv.packed) w = -w;
    if (!conv.packed.empty()) conv.packed[0] = INFINITY;
    EpilogueOp bias;
    bias.step.kind = EpilogueKind::kAddChannel;
    bias.tensor = conv.bias.data();
    std::vector<float> whole(conv.residual.size(), 1.0F), rows(whole);
    DepthwiseCall call = conv.call(whole.data());
    call.epilogue = &bias;
    call.epilogue_size = 1;
    f().run(call, 0, p.batch * conv.out_h);
    call.output = rows.data();
    for (int64_t row = 0; row < p.batch * conv.out_h; ++row) f().run(call, row, row + 1);
    EXPECT_TRUE(whole.empty() || memcmp(whole.data(), rows.data(), whole.size() * sizeof(float)) == 0)
        << p.channels << " channels";
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, DepthwiseTest, testing::ValuesIn(tested_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace coracle::internal::cpu
