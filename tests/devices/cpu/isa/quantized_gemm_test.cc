// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_gemm.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/buffer.h"
#include "devices/cpu/isa/isa_test.h"
#include "devices/cpu/isa/quantized_tile_gemm.h"
#include "devices/cpu/quantized_plan.h"
#include "support/check_kernels.h"

/// Products of bytes by AVX-VNNI, AVX512-VNNI and AMX, whose instructions are emulated where there are none: sums of
/// all shapes are exact, as with the tables of this machine, on ARM those of NEON, SDOT and SMMLA.
namespace coracle::internal::cpu {
namespace {

struct QuantizedMatrices {
  int64_t rows, depth, columns;
};

/// All numbers of a matrix are at least `least` and below `end`.
struct Numbers {
  int64_t least, end;
};

/// c [rows, columns] as a plan computes it with B in that form, sums alone.
std::vector<float> sums_of(QuantizedGemmPlan& plan, QuantizedGemmForm form, const Tensor& a, const Tensor& b) {
  ThreadPool pool(2);
  plan.result_stride = plan.call.columns;
  plan.split(pool.threads());
  form.columns = plan.call.columns;
  const Tensor* const constants[] = {&b};
  const auto packed = with_form_for(*plan.functions, form, [&](const auto& of_table) {
    plan.matrix_bytes = of_table.matrix_bytes();
    Buffer<std::byte> bytes(of_table.bytes(), kNoRun);
    of_table.pack(constants, bytes.data(), pool);
    return bytes;
  });
  Buffer<char> scratch(static_cast<size_t>(plan.slots * plan.scratch_bytes + plan.padded_bytes()), kNoRun);
  std::vector<float> c(static_cast<size_t>(plan.rows * plan.call.columns));
  plan.run(a.data<int8_t>(), packed.data(), scratch.data(), {.data = c.data(), .stride = plan.result_stride}, pool);
  return c;
}

void check_product(const QuantizedGemmFunctions& functions, const QuantizedMatrices& p, Numbers of_a = {-128, 128},
                   Numbers of_b = {-127, 128}) {
  SCOPED_TRACE(testing::Message() << p.rows << " x " << p.depth << " x " << p.columns << ", B from " << of_b.least);
  const Tensor a = test::random_ints({p.rows, p.depth}, of_a.least, of_a.end, DType::kInt8, 1);
  const Tensor b = test::random_ints({p.depth, p.columns}, of_b.least, of_b.end, DType::kInt8, 2);
  QuantizedGemmPlan plan;
  plan.functions = &functions;
  plan.call.depth = p.depth;
  plan.call.columns = p.columns;
  plan.call.a_stride = p.depth;
  plan.rows = p.rows;
  const std::vector<float> c = sums_of(plan, {.depth = p.depth, .inner_stride = p.columns, .column_stride = 1}, a, b);
  for (int64_t row = 0; row < p.rows; ++row) {
    for (int64_t column = 0; column < p.columns; ++column) {
      int32_t sum = 0;
      for (int64_t k = 0; k < p.depth; ++k) {
        sum += a.data<int8_t>()[row * p.depth + k] * b.data<int8_t>()[k * p.columns + column];
      }
      ASSERT_EQ(c[static_cast<size_t>(row * p.columns + column)], static_cast<float>(sum)) << row << ", " << column;
    }
  }
}

/// Filters of 3x3 over an image [height, width, channels] with a pixel of zeros around it.
void check_image(const QuantizedGemmFunctions& functions, int64_t channels, int64_t columns) {
  constexpr int64_t kHeight = 5;
  constexpr int64_t kWidth = 7;
  const Tensor a = test::random_ints({kHeight, kWidth, channels}, -128, 128, DType::kInt8, 1);
  const Tensor b = test::random_ints({columns, channels, 3, 3}, -127, 128, DType::kInt8, 2);
  QuantizedGemmPlan plan;
  plan.functions = &functions;
  plan.call.taps = 3;
  plan.call.depth = 3 * channels;
  plan.call.columns = columns;
  plan.rows = kHeight * kWidth;
  plan.has_image = true;
  plan.tap_y = {-1, 0, 1};
  plan.tap_x = {-1, -1, -1};
  GemmImage& image = plan.image;
  image.in_h = image.out_h = kHeight;
  image.in_w = image.out_w = kWidth;
  image.in_channels = channels;
  image.tap_y = plan.tap_y.data();
  image.tap_x = plan.tap_x.data();
  image.join = 3;
  const std::vector<float> c = sums_of(
      plan, {.taps = 9, .depth = channels, .tap_stride = 1, .inner_stride = 9, .column_stride = 9 * channels}, a, b);
  for (int64_t y = 0; y < kHeight; ++y) {
    for (int64_t x = 0; x < kWidth; ++x) {
      for (int64_t column = 0; column < columns; ++column) {
        int32_t sum = 0;
        for (int64_t tap = 0; tap < 9; ++tap) {
          const int64_t at_y = y + tap / 3 - 1;
          const int64_t at_x = x + tap % 3 - 1;
          if (at_y < 0 || at_y >= kHeight || at_x < 0 || at_x >= kWidth) continue;
          for (int64_t i = 0; i < channels; ++i) {
            sum += a.data<int8_t>()[(at_y * kWidth + at_x) * channels + i] *
                   b.data<int8_t>()[(column * channels + i) * 9 + tap];
          }
        }
        ASSERT_EQ(c[static_cast<size_t>((y * kWidth + x) * columns + column)], static_cast<float>(sum))
            << y << ", " << x << ", " << column;
      }
    }
  }
}

/// Filters of 3x3 over images [2, height, width, channels] that are read in place.
void check_padded_images(const QuantizedGemmFunctions& functions, const PaddedImage& size, int64_t columns) {
  SCOPED_TRACE(testing::Message() << size.out_h << " x " << size.out_w << " x " << size.channels << " of " << columns);
  constexpr int64_t kBatch = 2;
  const Tensor a = test::random_ints({kBatch, size.in_h, size.in_w, size.channels}, -128, 128, DType::kInt8, 1);
  const Tensor b = test::random_ints({columns, size.channels, 3, 3}, -127, 128, DType::kInt8, 2);
  QuantizedGemmPlan plan;
  plan.functions = &functions;
  plan.call.taps = 3;
  plan.call.depth = 3 * size.channels;
  plan.call.columns = columns;
  plan.rows = kBatch * size.out_h * size.out_w;
  PaddedImage& image = plan.padded;
  image = size;
  image.batch = kBatch;
  image.top = image.left = 1;
  image.height = (size.out_h - 1) * size.stride_y + 3;
  image.width = (size.out_w - 1) * size.stride_x + 3;
  for (int64_t y = 0; y < 3; ++y) plan.tap_from.push_back(static_cast<int32_t>(y * image.width * size.channels));
  image.taps = plan.tap_from.data();
  const std::vector<float> c = sums_of(plan,
                                       {.taps = 9,
                                        .depth = size.channels,
                                        .joined_taps = 3,
                                        .joined_depth = (3 * size.channels + 3) / 4 * 4,
                                        .tap_stride = 1,
                                        .inner_stride = 9,
                                        .column_stride = 9 * size.channels},
                                       a, b);
  const auto number = [&](int64_t image, int64_t y, int64_t x, int64_t i) {
    const bool inside = y >= 0 && y < size.in_h && x >= 0 && x < size.in_w;
    return inside ? a.data<int8_t>()[((image * size.in_h + y) * size.in_w + x) * size.channels + i] : int8_t{0};
  };
  for (int64_t row = 0; row < plan.rows; ++row) {
    const int64_t x = row % size.out_w * size.stride_x - 1;
    const int64_t y = row / size.out_w % size.out_h * size.stride_y - 1;
    for (int64_t column = 0; column < columns; ++column) {
      int32_t sum = 0;
      for (int64_t tap = 0; tap < 9; ++tap) {
        for (int64_t i = 0; i < size.channels; ++i) {
          sum += number(row / size.out_w / size.out_h, y + tap / 3, x + tap % 3, i) *
                 b.data<int8_t>()[(column * size.channels + i) * 9 + tap];
        }
      }
      ASSERT_EQ(c[static_cast<size_t>(row * columns + column)], static_cast<float>(sum)) << row << ", " << column;
    }
  }
}

/// With depths of several steps of tiles, the last of which overlap, and rows and columns of parts of tiles.
void check_all(const QuantizedGemmFunctions& functions) {
  for (const QuantizedMatrices& p : {QuantizedMatrices{1, 1, 1},
                                     {2, 8, 4},
                                     {3, 7, 5},
                                     {4, 9, 8},
                                     {5, 16, 12},
                                     {9, 24, 1},
                                     {6, 4, 16},
                                     {7, 5, 17},
                                     {12, 64, 32},
                                     {13, 27, 9},
                                     {100, 3, 8},
                                     {25, 515, 40},
                                     {33, 65, 33},
                                     {48, 216, 48},
                                     {131, 148, 64},
                                     {290, 40, 100},
                                     {5, 4201, 130},
                                     {64, 4102, 129}}) {  // of which B is passed once for several tiles
    check_product(functions, p);
  }
  check_product(functions, {33, 65, 33}, {-128, -127}, {-127, -126});  // the largest sums
  check_product(functions, {33, 65, 33}, {127, 128}, {-127, -126});
  check_image(functions, 3, 10);
  check_image(functions, 17, 33);
  check_image(functions, 40, 16);
  if (functions.pad == nullptr) return;
  check_padded_images(functions, {.in_h = 3, .in_w = 14, .channels = 3, .out_h = 3, .out_w = 14}, 35);
  check_padded_images(
      functions, {.in_h = 5, .in_w = 57, .channels = 4, .out_h = 3, .out_w = 29, .stride_y = 2, .stride_x = 2}, 16);
  if (functions.most_channels < 5) return;
  check_padded_images(functions, {.in_h = 7, .in_w = 7, .channels = 17, .out_h = 7, .out_w = 7}, 33);
  check_padded_images(functions, {.in_h = 2, .in_w = 7, .channels = 464, .out_h = 2, .out_w = 7}, 129);
}

class QuantizedGemm : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (!runs_on(Isa::kAvx2, detected_isa())) GTEST_SKIP() << "this processor has no AVX2";
#endif
  }
};

#if defined(__x86_64__)
TEST_F(QuantizedGemm, DotProductsBesideAvx2) { check_all(emulated_avx_vnni::quantized_gemm); }
TEST_F(QuantizedGemm, DotProductsBesideAvx512) { check_all(emulated_avx512_vnni::quantized_gemm); }
TEST_F(QuantizedGemm, MatrixTiles) { check_all(emulated_amx::quantized_tile_gemm); }
#endif

TEST_F(QuantizedGemm, OfThisMachine) {
  for (const Isa isa : tested_isas()) {
    SCOPED_TRACE(name_of(isa));
    check_all(quantized_gemm_table(isa));
    check_all(machine_quantized_gemm(isa));
    // Where B is no constant.
    check_product(any_quantized_gemm(isa), {33, 65, 33}, {-128, 128}, {-128, 128});
    check_product(any_quantized_gemm(isa), {33, 65, 33}, {-128, -127}, {-128, -127});
  }
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (processor().has(Capability::kAvx512Vnni)) check_all(avx512_vnni::quantized_gemm);  // beside tiles, too
#endif
#if defined(__aarch64__)
  if (processor().has(Capability::kNeonDotProducts)) check_all(neon_dotprod::quantized_gemm);  // beside SMMLA, too
#endif
}

}  // namespace
}  // namespace coracle::internal::cpu
