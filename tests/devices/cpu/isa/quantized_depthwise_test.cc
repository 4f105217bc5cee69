// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_depthwise.h"

#include <gtest/gtest.h>

#include <vector>

#include "devices/cpu/isa/isa_test.h"
#include "support/check_kernels.h"

/// One filter for each channel, where four products of bytes are summed by one instruction, which is emulated where
/// there is none: sums of all shapes are exact.
namespace coracle::internal::cpu {
namespace {

/// The filters [channels, kernel_h, kernel_w] as quantized_depthwise.h describes them, number by number.
std::vector<char> packed(const QuantizedDepthwiseFunctions& f, const QuantizedDepthwiseCall& c, const Tensor& w) {
  std::vector<char> all;
  for (int64_t alignment = 0; alignment < f.alignments(); ++alignment) {
    for (int64_t first = 0; first < c.channels; first += f.lanes) {
      const auto weight = [&](int64_t channel, int64_t row, int64_t column) {
        const bool there = channel < c.channels && row >= 0 && row < c.kernel_h;
        return there ? w.data<int8_t>()[(channel * c.kernel_h + row) * c.kernel_w + column] : int8_t{0};
      };
      for (int64_t lane = 0; lane < f.lanes && f.group_rows == 4; ++lane) {
        int32_t sum = 0;
        for (int64_t i = 0; i < c.kernel_h * c.kernel_w; ++i)
          sum += weight(first + lane, i / c.kernel_w, i % c.kernel_w);
        sum *= -128;
        const auto* bytes = reinterpret_cast<const char*>(&sum);
        all.insert(all.end(), bytes, bytes + sizeof(sum));
      }
      for (int64_t place = 0; place < f.groups(c.kernel_h, alignment) * c.kernel_w; ++place) {
        for (int64_t lane = 0; lane < f.lanes; ++lane) {
          for (int64_t row = 0; row < f.group_rows; ++row) {
            const int16_t number =
                weight(first + lane, place / c.kernel_w * f.group_rows + row - alignment, place % c.kernel_w);
            const auto* bytes = reinterpret_cast<const char*>(&number);
            all.insert(all.end(), bytes, bytes + f.lane_bytes() / f.group_rows);
          }
        }
      }
    }
  }
  return all;
}

void check(const QuantizedDepthwiseFunctions& f, QuantizedDepthwiseCall c) {
  SCOPED_TRACE(testing::Message() << c.channels << " channels, " << c.kernel_h << " x " << c.kernel_w << " by "
                                  << c.stride_y << " and " << c.stride_x << ", dilation " << c.dilation_y);
  const int64_t batch = 2;
  c.out_h = (c.in_h + 2 * c.pad_top - (c.kernel_h - 1) * c.dilation_y - 1) / c.stride_y + 1;
  c.out_w = (c.in_w + 2 * c.pad_left - (c.kernel_w - 1) * c.dilation_x - 1) / c.stride_x + 1;
  const Tensor image = test::random_ints({batch, c.in_h, c.in_w, c.channels}, -128, 128, DType::kInt8, 1);
  const Tensor w = test::random_ints({c.channels, c.kernel_h, c.kernel_w}, -128, 128, DType::kInt8, 2);
  const std::vector<char> filter = packed(f, c, w);
  std::vector<char> scratch(static_cast<size_t>(f.scratch_bytes(c)) + 64);
  std::vector<float> result(static_cast<size_t>(batch * c.out_h * c.out_w * c.channels), -1);
  c.input = image.data<int8_t>();
  c.filter = filter.data();
  c.scratch = scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
  c.result = {.data = result.data(), .stride = c.channels};
  f.run(c, 0, 3);
  f.run(c, 3, batch * c.out_h);
  for (int64_t i = 0; i < static_cast<int64_t>(result.size()); ++i) {
    const int64_t channel = i % c.channels;
    const int64_t x = i / c.channels % c.out_w;
    const int64_t y = i / c.channels / c.out_w % c.out_h;
    const int64_t n = i / c.channels / c.out_w / c.out_h;
    int32_t sum = 0;
    for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
        const int64_t at_y = y * c.stride_y + ky * c.dilation_y - c.pad_top;
        const int64_t at_x = x * c.stride_x + kx * c.dilation_x - c.pad_left;
        if (at_y < 0 || at_y >= c.in_h || at_x < 0 || at_x >= c.in_w) continue;
        sum += image.data<int8_t>()[((n * c.in_h + at_y) * c.in_w + at_x) * c.channels + channel] *
               w.data<int8_t>()[(channel * c.kernel_h + ky) * c.kernel_w + kx];
      }
    }
    ASSERT_EQ(result[static_cast<size_t>(i)], static_cast<float>(sum)) << y << ", " << x << ", " << channel;
  }
}

void check_filters(const QuantizedDepthwiseFunctions& functions) {
  for (const int64_t channels : {1, 8, 19, 33, 56}) {
    for (const int64_t kernel : {1, 2, 3, 5, 7}) {
      for (const int64_t stride : {1, 2, 3}) {
        const QuantizedDepthwiseCall same = {.channels = channels,
                                             .in_h = 11,
                                             .in_w = 37,
                                             .kernel_h = kernel,
                                             .kernel_w = kernel,
                                             .stride_y = stride,
                                             .stride_x = stride,
                                             .pad_top = kernel / 2,
                                             .pad_left = kernel / 2};
        check(functions, same);
      }
    }
    check(functions, {.channels = channels, .in_h = 9, .in_w = 9, .kernel_h = 3, .kernel_w = 1});
    check(functions, {.channels = channels,
                      .in_h = 9,
                      .in_w = 20,
                      .kernel_h = 5,
                      .kernel_w = 3,
                      .dilation_y = 2,
                      .dilation_x = 3,
                      .pad_top = 4,
                      .pad_left = 3});
  }
}

class QuantizedDepthwise : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (!runs_on(Isa::kAvx2, detected_isa())) GTEST_SKIP() << "this processor has no AVX2";
#endif
  }
};

#if defined(__x86_64__)
TEST_F(QuantizedDepthwise, DotProductsBesideAvx2) { check_filters(emulated_avx_vnni::quantized_depthwise); }
TEST_F(QuantizedDepthwise, DotProductsBesideAvx512) { check_filters(emulated_avx512_vnni::quantized_depthwise); }
#endif

TEST_F(QuantizedDepthwise, OfThisMachine) {
  for (const Isa isa : tested_isas()) {
    SCOPED_TRACE(name_of(isa));
    check_filters(quantized_depthwise_table(isa));
  }
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (processor().has(Capability::kAvx512Vnni)) check_filters(avx512_vnni::quantized_depthwise);
#endif
#if defined(__x86_64__)
  if (processor().has(Capability::kAvxVnni)) check_filters(avx_vnni::quantized_depthwise);
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
  if (processor().has(Capability::kNeonDotProducts)) check_filters(neon_dotprod::quantized_depthwise);
#endif
}

}  // namespace
}  // namespace coracle::internal::cpu
