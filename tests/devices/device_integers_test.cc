// SPDX-License-Identifier: Apache-2.0
// Integers on kernels of devices, with few programs to compile: all cases are those of the CPU's kernels,
// IntegerKernels and IntegerConvolutions.
#include <gtest/gtest.h>

#include "devices/cpu/integer_cases.h"
#include "devices/device_kernel_test.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/interp/nearest_interp.h"
#include "ops/matmul/matrix_product.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"

namespace coracle::internal::test {
namespace {

const Steps kLayer = {kMultiplyChannel, kAddChannel, kRelu};

class DeviceIntegers : public DeviceKernelTest {
 protected:
  using DeviceKernelTest::taken;
  template <class Op>
  static int taken(Op op, const Steps& steps, const Result& result, Tensor x, Tensor w, const Shape& shape,
                   int64_t channels) {
    op.epilogue = steps;
    op.result_scale = result.scale;
    op.round_type = result.rounding;
    KernelCase c{.op = op, .in = {std::move(x), std::move(w)}, .computed_weights = true};
    finish(c, steps, shape, channels);
    return taken(c);
  }
  static int taken_product(int64_t rows, int64_t depth, int64_t columns, bool transposed, const Steps& steps,
                           const Result& result) {
    SCOPED_TRACE(text(rows, " x ", depth, " x ", columns));
    IntegerLinear op;
    op.transpose_w = transposed;
    const Shape w = transposed ? Shape{columns, depth} : Shape{depth, columns};
    const bool largest = (rows + columns) % 2 == 0;
    return taken(op, steps, result, integers({rows, depth}, -128, 1, largest), integers(w, -128, 2, largest),
                 {rows, columns}, columns);
  }
};

TEST_F(DeviceIntegers, Products) {
  for (const int64_t rows : {0, 1, 68}) {
    for (const auto& [depth, columns] : {std::pair<int64_t, int64_t>{1, 1}, {4, 4}, {132, 68}, {133, 135}}) {
      for (const bool transposed : {false, true}) {
        EXPECT_EQ(taken_product(rows, depth, columns, transposed, kLayer, kResults[1]), 1);
      }
    }
  }
}

TEST_F(DeviceIntegers, ProductsOfManyMatrices) {
  const auto check = [](const Shape& x, const Shape& w, bool transposed) {
    IntegerLinear op;
    op.transpose_w = transposed;
    const Shape shape = matrix_product_shape(x, w, false, transposed);
    return taken(op, {{EpilogueKind::kScaleShift, 3e-4F, 0}}, kResults[2], integers(x, -128, 1, false),
                 integers(w, -128, 2, true), shape, 1);
  };
  EXPECT_EQ(check({2, 3, 12, 64}, {2, 3, 20, 64}, true), 1);
  EXPECT_EQ(check({2, 1, 5, 6}, {3, 17, 6}, true), 1);
  EXPECT_EQ(check({2, 3, 4, 9}, {9, 33}, false), 1);
  EXPECT_EQ(check({6}, {2, 5, 6}, true), 1);
  EXPECT_EQ(check({2, 0, 4}, {2, 4, 3}, false), 1);
  EXPECT_EQ(check({1, 2, 0}, {1, 0, 3}, false), 1);
}

TEST_F(DeviceIntegers, Epilogues) {
  size_t which = 0;
  for (const Steps& steps : kQuantizedChains) {
    const bool whole = which % 2 == 0;  // words of four numbers, which libraries take
    EXPECT_EQ(taken_product(13, whole ? 40 : 39, whole ? 36 : 37, whole, steps, kResults[which / 2 % 4]), 1);
    ++which;
  }
}

TEST_F(DeviceIntegers, LongSumsAreExactUpTo32Bits) {
  EXPECT_EQ(taken_product(1, 131071, 1, true, {kMultiplyChannel}, kResults[0]), 1);
  EXPECT_EQ(taken_product(1, 131072, 1, true, {kMultiplyChannel}, kResults[0]), 0);
}

TEST_F(DeviceIntegers, Convolutions) {
  struct Sizes {
    int64_t batch, in, out, h, w, kernel, stride, pad, dilation, groups;
    bool transposed = false;
  };
  const Sizes cases[] = {{1, 3, 16, 9, 11, 3, 2, 1, 1, 1},       {2, 24, 33, 7, 13, 1, 1, 0, 1, 1},
                         {1, 20, 72, 12, 5, 3, 1, 2, 2, 1},      {2, 24, 48, 7, 13, 1, 1, 0, 1, 3},
                         {1, 16, 16, 9, 8, 3, 1, 1, 1, 4},       {2, 8, 6, 1, 1, 1, 1, 0, 1, 1},
                         {1, 50, 50, 9, 20, 3, 1, 1, 1, 50},     {2, 37, 37, 11, 12, 5, 2, 2, 1, 37},
                         {1, 24, 1, 9, 12, 2, 2, 0, 1, 1, true}, {1, 6, 6, 5, 4, 3, 2, 1, 1, 2, true}};
  for (const Sizes& s : cases) {
    SCOPED_TRACE(text(s.in, " to ", s.out, " channels, ", s.h, " x ", s.w));
    IntegerConv2d op;
    op.strides = {s.stride, s.stride};
    op.paddings = {s.pad, s.pad};
    op.dilations = {s.dilation, s.dilation};
    op.groups = static_cast<int>(s.groups);
    op.transposed = s.transposed;
    const Shape x{s.batch, s.in, s.h, s.w};
    const Shape filter = s.transposed ? Shape{s.in, s.out / s.groups, s.kernel, s.kernel}
                                      : Shape{s.out, s.in / s.groups, s.kernel, s.kernel};
    const Shape shape = convolution_result(op.geometry(x, filter), op.data_format, 2);
    const Steps steps = {kMultiplyChannel, kAddChannel, kAddIntegers, kRelu6};
    EXPECT_EQ(
        taken(op, steps, kResults[1], integers(x, -128, 1, false), integers(filter, -127, 2, false), shape, s.out), 1);
  }
}

TEST_F(DeviceIntegers, Rounding) {
  for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
    const ToInt8 op{.scale = 1.5F, .round_type = rounding};
    for (const Shape& s : {Shape{2, 37, 5, 7}, Shape{0, 3, 1, 1}, Shape{1, 1, 1, 1}}) {
      KernelCase c{.op = op, .in = {random_floats(s, -2, 2), random_floats({s[0], s[1], 1, 1}, 0, 2, 2)}};
      EXPECT_EQ(taken(c), 1);
      c.in.pop_back();
      c.in_counts = {1, 0};
      EXPECT_EQ(taken(c), 1);
    }
  }
}

TEST_F(DeviceIntegers, LargestAndNearestNumbers) {
  Pool2d pool;
  pool.strides = {2, 2};
  pool.paddings = {2, 2};  // windows that hold nothing
  EXPECT_EQ(taken({pool, {integers({2, 3, 7, 6}, -128, 1, false), int_list({2, 2})}}), 1);
  NearestInterp resized;
  resized.scale = {1.5};
  EXPECT_EQ(taken({resized, {integers({2, 3, 5, 7}, -128, 1, false)}, {1, 0, 0, 0}}), 1);
}

}  // namespace
}  // namespace coracle::internal::test
