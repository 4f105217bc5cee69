// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "devices/cpu/integer_plan.h"
#include "devices/cpu/isa/isa_test.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "support/check_kernels.h"

/// Products of integers are exact: every row gives the bits of the reference, which multiplies integers in float64.
namespace coracle::testing {
namespace {

constexpr EpilogueStep kAddChannel{EpilogueKind::kAddChannel};
constexpr EpilogueStep kMultiplyChannel{EpilogueKind::kMultiplyChannel};
constexpr EpilogueStep kAddTensor{EpilogueKind::kAddTensor};
constexpr EpilogueStep kRelu{EpilogueKind::kRelu};
constexpr EpilogueStep kRelu6{EpilogueKind::kClip, 0, 6};

using Steps = std::vector<EpilogueStep>;

/// All of them round the same on every instruction set.
const Steps kChains[] = {{},
                         {kMultiplyChannel},
                         {kMultiplyChannel, kAddChannel},
                         {kMultiplyChannel, kAddChannel, kRelu},
                         {kMultiplyChannel, kRelu6},
                         {kMultiplyChannel, kAddChannel, kAddTensor, kRelu},
                         {kMultiplyChannel, kAddChannel, kRelu, kMultiplyChannel},
                         {kMultiplyChannel, kAddChannel, kRelu6, kMultiplyChannel},
                         {kAddTensor, kMultiplyChannel, kAddChannel}};

struct Result {
  float scale;
  QuantizationRounding rounding;
};
const Result kResults[] = {{0, QuantizationRounding::kHalfToEven},
                           {1.75F, QuantizationRounding::kHalfToEven},
                           {1.75F, QuantizationRounding::kHalfAwayFromZero},
                           {0.02F, QuantizationRounding::kHalfToEven}};

/// Integers of the whole range, with many of the largest.
Tensor integers(const Shape& shape, int64_t low, unsigned seed, bool largest) {
  Tensor t = random_ints(shape, low, 128, DType::kInt8, seed);
  if (!largest) return t;
  for (int64_t i = 0; i < t.count(); ++i) t.data<int8_t>()[i] = static_cast<int8_t>(i % 7 == 3 ? 127 : low);
  return t;
}

void finish(KernelCase& c, const Steps& steps, const Shape& result, int64_t channels) {
  int tensors = 0;
  bool scaled = false;
  for (const EpilogueStep& step : steps) {
    if (!takes_tensor(step.kind)) continue;
    const bool whole = step.kind == EpilogueKind::kAddTensor;
    const bool scales = step.kind == EpilogueKind::kMultiplyChannel && !scaled;
    const double size = scales ? 2e-4 : 0.5;
    scaled = scaled || scales;
    c.in.push_back(
        random_floats(whole ? result : Shape{channels}, size / 4, size, 10 + static_cast<unsigned>(tensors)));
    ++tensors;
  }
  c.in_counts = {1, 1, tensors};
  c.relative = 0;
  c.absolute = 0;
}

void check_linear(int64_t rows, int64_t depth, int64_t columns, const Steps& steps, const Result& result,
                  bool transposed, bool largest) {
  SCOPED_TRACE(text(rows, " x ", depth, " x ", columns));
  IntegerLinear op;
  op.transpose_w = transposed;
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  KernelCase c{.op = op,
               .in = {integers({rows, depth}, -128, 1, largest),
                      integers(transposed ? Shape{columns, depth} : Shape{depth, columns}, -127, 2, largest)}};
  if (rows * depth * columns > 0) c.rows = {"integer_linear"};
  finish(c, steps, {rows, columns}, columns);
  check_on_every_kernel(c);
}

/// Behind hard_swish a factor is applied where the sums are finished. References round otherwise by a step at most.
TEST(IntegerKernels, FactorsBehindHardSwish) {
  const EpilogueStep hard_swish{EpilogueKind::kHardSwish, 3, 6, 6};
  const EpilogueStep scale_shift{EpilogueKind::kScaleShift, 0.75F, -0.125F};
  for (const Steps& middle : {Steps{hard_swish}, Steps{hard_swish, scale_shift}}) {
    for (const int64_t columns : {3, 16, 37}) {
      IntegerLinear op;
      op.epilogue = {kMultiplyChannel, kAddChannel};
      op.epilogue.insert(op.epilogue.end(), middle.begin(), middle.end());
      op.epilogue.push_back(kMultiplyChannel);
      op.result_scale = 1.75F;
      op.round_type = QuantizationRounding::kHalfToEven;
      KernelCase c{.op = op,
                   .in = {integers({25, 40}, -128, 1, false), integers({40, columns}, -127, 2, false)},
                   .rows = {"integer_linear"}};
      finish(c, op.epilogue, {25, columns}, columns);
      c.absolute = 1;
      check_on_every_kernel(c);
    }
  }
}

TEST(IntegerKernels, Products) {
  for (const int64_t rows : {0, 1, 5, 12, 25}) {
    for (const int64_t depth : {1, 2, 3, 4, 31, 130}) {
      for (const int64_t columns : {1, 7, 16, 17, 33, 70}) {
        const bool transposed = (rows + depth + columns) % 2 == 0;
        check_linear(rows, depth, columns, {kMultiplyChannel, kAddChannel}, kResults[(depth + columns) % 4], transposed,
                     columns % 2 == 0);
      }
    }
  }
}

struct ComputedProduct {
  Shape x, w;
  bool transposed;
};

/// Operand 1 is computed: any int8 numbers. `largest`: many of the least, in both.
void check_computed(const ComputedProduct& p, const Steps& steps, const Result& result, int64_t low, bool largest) {
  SCOPED_TRACE(text(p.x, " x ", p.w, p.transposed ? " transposed" : ""));
  IntegerLinear op;
  op.transpose_w = p.transposed;
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  const Shape product = matrix_product_shape(p.x, p.w, false, p.transposed);
  KernelCase c{
      .op = op, .in = {integers(p.x, low, 1, largest), integers(p.w, -128, 2, largest)}, .computed_weights = true};
  if (product.count() > 0 && p.x.count() > 0) c.rows = {"integer_linear.computed"};
  finish(c, steps, product, product.back());
  check_on_every_kernel(c);
}

TEST(IntegerKernels, ProductsOfComputedMatrices) {
  const ComputedProduct cases[] = {
      {{3, 5, 8}, {3, 8, 7}, false},
      {{2, 3, 13, 64}, {2, 3, 21, 64}, true},
      {{2, 3, 4, 9}, {9, 33}, false},
      {{2, 1, 5, 6}, {3, 17, 6}, true},
      {{5, 6}, {4, 6, 16}, false},
      {{7, 6}, {40, 6}, true},
      {{6}, {6, 5}, false},
      {{6}, {2, 5, 6}, true},
      {{2, 1, 1}, {2, 1, 1}, true},
      {{2, 12, 31}, {1, 31, 70}, false},
      {{1, 2, 0}, {1, 0, 3}, false},
      {{2, 0, 4}, {2, 4, 3}, false},
      {{2, 2, 4}, {2, 0, 4}, true},
      {{4, 1, 130}, {4, 130, 18}, false},
      {{1, 90, 40}, {1, 40, 97}, false},
      {{1, 2, 25, 15}, {1, 2, 25, 15}, true},
      {{3, 2, 3}, {3, 3, 1}, false},
  };
  const Steps scaled = {{EpilogueKind::kScaleShift, 3e-4F, 0}};
  int which = 0;
  for (const ComputedProduct& p : cases) {
    for (const int64_t low : {-128, 0}) {
      for (const bool largest : {false, true}) {
        check_computed(p, scaled, kResults[which % 4], low, largest);
        ++which;
      }
    }
  }
}

TEST(IntegerKernels, EpiloguesOfProductsOfComputedMatrices) {
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) check_computed({{2, 13, 40}, {2, 40, 37}, false}, steps, result, -128, false);
  }
}

TEST(IntegerKernels, LongSumsOfComputedNumbersAreExact) {
  check_computed({{1, 2, 1040}, {1, 1040, 18}, false}, {}, kResults[0], -128, true);
  check_computed({{2, 40, 1040}, {2, 130, 1040}, true}, {}, kResults[0], -128, true);
}

TEST(IntegerKernels, EpiloguesOfProducts) {
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) check_linear(13, 40, 37, steps, result, false, false);
  }
}

TEST(IntegerKernels, LongSumsOfTheLargestNumbersAreExact) {
  check_linear(2, 1040, 18, {}, kResults[0], false, true);
  check_linear(40, 1040, 130, {kMultiplyChannel}, kResults[1], true, true);
}

struct Convolution {
  int64_t batch, in, out, h, w, kernel_h, kernel_w, stride, pad, dilation, groups;
};

void check_conv2d(const Convolution& p, const Steps& steps, const Result& result, bool largest, const char* row) {
  SCOPED_TRACE(text(p.in, " to ", p.out, " channels, ", p.h, " x ", p.w));
  IntegerConv2d op;
  op.strides = {p.stride, p.stride};
  op.paddings = {p.pad, p.pad};
  op.dilations = {p.dilation, p.dilation};
  op.groups = static_cast<int>(p.groups);
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  const auto size = [&](int64_t in, int64_t kernel) {
    return (in + 2 * p.pad - (kernel - 1) * p.dilation - 1) / p.stride + 1;
  };
  KernelCase c{.op = op,
               .in = {integers({p.batch, p.in, p.h, p.w}, -128, 1, largest),
                      integers({p.out, p.in / p.groups, p.kernel_h, p.kernel_w}, -127, 2, largest)},
               .rows = {row}};
  finish(c, steps, {p.batch, p.out, size(p.h, p.kernel_h), size(p.w, p.kernel_w)}, p.out);
  check_on_every_kernel(c);
}

TEST(IntegerKernels, Convolutions) {
  const Convolution cases[] = {
      {1, 3, 16, 9, 11, 3, 3, 2, 1, 1, 1},   {2, 24, 33, 7, 13, 1, 1, 1, 0, 1, 1}, {1, 17, 40, 5, 6, 3, 3, 1, 1, 1, 1},
      {1, 32, 64, 14, 14, 3, 3, 1, 1, 1, 1}, {1, 5, 1, 8, 9, 3, 3, 1, 1, 1, 1},    {1, 20, 24, 12, 5, 3, 3, 1, 2, 2, 1},
      {2, 8, 6, 1, 1, 1, 1, 1, 0, 1, 1},     {3, 12, 18, 4, 3, 5, 5, 1, 2, 1, 1},  {1, 3, 8, 20, 17, 7, 7, 2, 3, 1, 1},
      {1, 4, 7, 3, 3, 9, 9, 1, 4, 1, 1},     {1, 16, 18, 9, 8, 1, 1, 2, 0, 1, 1},
  };
  int which = 0;
  for (const Convolution& p : cases) {
    check_conv2d(p, {kMultiplyChannel, kAddChannel, kRelu}, kResults[which % 4], which % 3 == 0, "integer_conv2d");
    ++which;
  }
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) {
      check_conv2d({1, 11, 37, 6, 9, 3, 3, 1, 1, 1, 1}, steps, result, false, "integer_conv2d");
    }
  }
}

TEST(IntegerKernels, GroupsOfSeveralChannels) {
  const Convolution cases[] = {
      {1, 32, 32, 9, 11, 3, 3, 1, 1, 1, 8},  {2, 24, 48, 7, 13, 1, 1, 1, 0, 1, 3},
      {1, 64, 64, 6, 5, 3, 3, 2, 1, 1, 32},  {1, 6, 6, 8, 9, 3, 3, 1, 2, 2, 2},
      {1, 40, 20, 5, 6, 5, 5, 1, 2, 1, 5},   {3, 12, 84, 1, 1, 1, 1, 1, 0, 1, 4},
      {1, 7, 14, 9, 8, 3, 3, 1, 1, 1, 7},    {1, 66, 66, 4, 9, 1, 3, 1, 0, 1, 2},
      {1, 36, 30, 3, 3, 3, 3, 1, 3, 1, 6},   {1, 40, 80, 2, 3, 3, 3, 1, 1, 1, 40},
      {1, 129, 6, 14, 15, 1, 1, 2, 0, 1, 3}, {1, 128, 96, 14, 14, 3, 3, 1, 1, 1, 2},
  };
  int which = 0;
  for (const Convolution& p : cases) {
    check_conv2d(p, {kMultiplyChannel, kAddChannel, kRelu}, kResults[which % 4], which % 3 == 0, "integer_conv2d");
    ++which;
  }
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) {
      check_conv2d({1, 27, 33, 6, 9, 3, 3, 1, 1, 1, 3}, steps, result, false, "integer_conv2d");
      check_conv2d({2, 20, 30, 3, 5, 1, 1, 1, 0, 1, 10}, steps, result, false, "integer_conv2d");
    }
  }
}

TEST(IntegerKernels, ConvolutionsByWinograd) {
  const Convolution cases[] = {
      {1, 16, 16, 16, 16, 3, 3, 1, 1, 1, 1}, {2, 17, 21, 15, 14, 3, 3, 1, 1, 1, 1},
      {1, 33, 40, 16, 20, 3, 3, 1, 1, 1, 1}, {1, 64, 70, 17, 22, 3, 3, 1, 0, 1, 1},
      {1, 24, 96, 20, 44, 3, 3, 1, 1, 1, 1}, {3, 20, 18, 14, 15, 3, 3, 1, 2, 1, 1},
  };
  int which = 0;
  for (const Convolution& p : cases) {
    check_conv2d(p, {kMultiplyChannel, kAddChannel, kRelu}, kResults[which % 4], which % 2 == 0,
                 "integer_conv2d.winograd");
    ++which;
  }
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) {
      check_conv2d({1, 19, 37, 13, 15, 3, 3, 1, 1, 1, 1}, steps, result, false, "integer_conv2d.winograd");
    }
  }
  // Sums that are not known from what Winograd's algorithm computes.
  check_conv2d({1, 260, 16, 16, 16, 3, 3, 1, 1, 1, 1}, {}, kResults[0], true, "integer_conv2d");
}

TEST(IntegerKernels, OneFilterPerChannel) {
  const Convolution cases[] = {
      {1, 50, 50, 9, 70, 3, 3, 1, 1, 1, 50}, {2, 37, 37, 11, 40, 5, 5, 2, 2, 1, 37},
      {1, 16, 16, 6, 6, 4, 4, 1, 1, 1, 16},  {1, 24, 24, 13, 40, 3, 3, 2, 1, 1, 24},
      {1, 9, 9, 20, 35, 3, 3, 1, 1, 1, 9},   {1, 41, 41, 3, 3, 3, 3, 1, 3, 1, 41},
      {1, 1, 1, 5, 5, 3, 3, 1, 1, 1, 1},     {2, 21, 21, 9, 8, 3, 3, 1, 2, 2, 21},
      {1, 6, 6, 3, 9, 1, 7, 1, 3, 1, 6},     {1, 40, 40, 2, 2, 9, 9, 1, 4, 1, 40},
      {1, 32, 32, 7, 13, 3, 3, 2, 1, 1, 32}, {1, 50, 50, 11, 6, 5, 5, 1, 2, 1, 50},
  };
  int which = 0;
  for (const Convolution& p : cases) {
    if (p.in == 1) continue;  // that is a product
    check_conv2d(p, {kMultiplyChannel, kAddChannel, kRelu6}, kResults[which % 4], which % 2 == 0,
                 "integer_conv2d.depthwise");
    ++which;
  }
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) {
      check_conv2d({1, 29, 29, 7, 9, 3, 3, 1, 1, 1, 29}, steps, result, false, "integer_conv2d.depthwise");
    }
  }
}

struct TransposedConvolution {
  int64_t batch, in, out, h, w, kernel_h, kernel_w;
};

void check_transposed(const TransposedConvolution& p, const Steps& steps, const Result& result, bool largest) {
  SCOPED_TRACE(text(p.in, " to ", p.out, " channels, ", p.h, " x ", p.w, ", ", p.kernel_h, " x ", p.kernel_w));
  IntegerConv2d op;
  op.transposed = true;
  op.strides = {p.kernel_h, p.kernel_w};
  op.epilogue = steps;
  op.result_scale = result.scale;
  op.round_type = result.rounding;
  KernelCase c{.op = op,
               .in = {integers({p.batch, p.in, p.h, p.w}, -128, 1, largest),
                      integers({p.in, p.out, p.kernel_h, p.kernel_w}, -127, 2, largest)},
               .rows = {"integer_conv2d.transposed"}};
  finish(c, steps, {p.batch, p.out, p.h * p.kernel_h, p.w * p.kernel_w}, p.out);
  check_on_every_kernel(c);
}

TEST(IntegerKernels, TransposedConvolutions) {
  const TransposedConvolution cases[] = {
      {1, 24, 24, 9, 12, 2, 2}, {1, 24, 1, 9, 12, 2, 2}, {2, 17, 1, 5, 7, 2, 2},
      {1, 96, 24, 3, 4, 2, 2},  {1, 1, 1, 1, 1, 1, 1},   {1, 7, 5, 2, 3, 3, 2},
      {3, 33, 2, 4, 16, 4, 1},  {1, 5, 37, 6, 1, 1, 4},  {1, 64, 3, 1, 90, 2, 2},
  };
  int which = 0;
  for (const TransposedConvolution& p : cases) {
    check_transposed(p, {kMultiplyChannel, kAddChannel, kRelu}, kResults[which % 4], which % 3 == 0);
    ++which;
  }
  for (const Steps& steps : kChains) {
    for (const Result& result : kResults) {
      check_transposed({2, 11, 9, 3, 5, 2, 2}, steps, result, false);
      check_transposed({1, 24, 1, 4, 8, 2, 2}, steps, result, false);
    }
  }
}

TEST(IntegerKernels, OtherTransposedConvolutionsAreLeftToTheReference) {
  const auto taken = [](const Ints& strides, const Ints& paddings, int groups) {
    IntegerConv2d op;
    op.transposed = true;
    op.strides = strides;
    op.paddings = paddings;
    op.groups = groups;
    op.epilogue = {kMultiplyChannel};
    const KernelCase c{.op = op,
                       .in = {random_ints({1, 8, 3, 4}, -128, 128, DType::kInt8),
                              random_ints({8, 4, 2, 2}, -127, 128, DType::kInt8), random_floats({4 * groups})}};
    return rows_that_take(c);
  };
  EXPECT_EQ(taken({2, 2}, {0, 0}, 1), std::set<std::string>{"integer_conv2d.transposed"});
  EXPECT_EQ(taken({1, 1}, {0, 0}, 1), std::set<std::string>());
  EXPECT_EQ(taken({2, 2}, {1, 1}, 1), std::set<std::string>());
  EXPECT_EQ(taken({2, 2}, {0, 0}, 2), std::set<std::string>());
}

/// Rows far apart are read together, which would take room for all that lies between.
TEST(IntegerKernels, DepthwiseFiltersWithAWideStrideAreProducts) {
  IntegerConv2d op;
  op.groups = 8;
  op.strides = {1 << 20, 1};
  op.epilogue = {{EpilogueKind::kMultiplyChannel}};
  const KernelCase c{.op = op,
                     .in = {random_ints({1, 8, 3, 8}, -128, 128, DType::kInt8),
                            random_ints({8, 1, 3, 3}, -127, 128, DType::kInt8), random_floats({8})}};
  EXPECT_EQ(rows_that_take(c), std::set<std::string>{"integer_conv2d"});
}

TEST(IntegerKernels, Rounding) {
  // Halves of both signs, numbers beyond the range, and what is no number.
  std::vector<float> numbers = {0,    0.5F,   -0.5F,   1.5F, -1.5F,   2.5F, -2.5F, 126.5F, -126.5F, 127,
                                -127, 127.5F, -127.5F, -128, -128.5F, 1000, -1000, 3e38F,  -3e38F,  1e-40F};
  numbers.push_back(std::numeric_limits<float>::quiet_NaN());
  numbers.push_back(std::numeric_limits<float>::infinity());
  numbers.push_back(-std::numeric_limits<float>::infinity());
  // In each place of vectors that are rounded together.
  const size_t distinct = numbers.size();
  while (numbers.size() < 64 * distinct) numbers.push_back(numbers[numbers.size() % distinct]);
  const Tensor x = Tensor::of<float>(Shape{static_cast<int64_t>(numbers.size())}, numbers);
  for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
    for (const float scale : {127.0F, 3.7F, 1e-3F}) {
      KernelCase c{.op = ToInt8{.scale = scale, .round_type = rounding}, .in = {x}, .rows = {"to_int8"}};
      c.relative = c.absolute = 0;
      check_on_every_kernel(c);
    }
  }
  EXPECT_EQ(quantized_to_int8(2.5F, 127, QuantizationRounding::kHalfToEven), 2);
  EXPECT_EQ(quantized_to_int8(2.5F, 127, QuantizationRounding::kHalfAwayFromZero), 3);
  EXPECT_EQ(quantized_to_int8(-1000, 127, QuantizationRounding::kHalfToEven), -128);
  EXPECT_EQ(quantized_to_int8(-1000, 127, QuantizationRounding::kHalfAwayFromZero), -127);
}

TEST(IntegerKernels, RoundingOfScaledChannels) {
  for (const Shape& x : {Shape{2, 37, 5, 7}, Shape{1, 16, 30, 30}, Shape{2, 5000, 1, 3}, Shape{3, 1, 4, 4}}) {
    for (const int64_t images : {int64_t{1}, x[0]}) {
      for (const auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
        KernelCase c{.op = ToInt8{.scale = 1.5F, .round_type = rounding},
                     .in = {random_floats(x), random_floats({images, x[1], 1, 1}, 0, 1, 2)},
                     .rows = {"to_int8.channels"}};
        c.relative = c.absolute = 0;
        check_on_every_kernel(c);
      }
    }
  }
}

/// C of one call in float32, with rows split in two.
std::vector<float> product(const cpu::IntegerGemmFunctions& f, const Tensor& a, const Tensor& b) {
  const int64_t rows = a.shape()[0];
  const int64_t depth = a.shape()[1];
  const int64_t columns = b.shape()[1];
  cpu::IntegerGemmForm form;
  form.lanes = f.lanes;
  form.element_bytes = f.element_bytes;
  form.depth = depth;
  form.columns = columns;
  form.inner_stride = columns;
  form.column_stride = 1;
  std::vector<std::byte> packed(form.bytes());
  ThreadPool pool(1);
  const Tensor* constants[] = {&b};
  form.pack(constants, packed.data(), pool);
  std::vector<char> scratch(static_cast<size_t>(f.scratch_bytes(depth)));
  std::vector<float> c(static_cast<size_t>(rows * columns), -1);
  cpu::IntegerGemmCall call;
  call.depth = depth;
  call.columns = columns;
  call.a = a.data<int8_t>();
  call.a_stride = depth;
  call.packed = packed.data();
  call.scratch = scratch.data();
  call.result.data = c.data();
  call.result.stride = columns;
  f.run(call, 0, rows / 2, 0, f.panels(columns));
  f.run(call, rows / 2, rows, 0, f.panels(columns));
  return c;
}

// Also those tables that this machine has better ones for.
TEST(IntegerKernels, EveryTableGivesExactSums) {
  struct Numbers {
    int64_t depth, low, high, weight;
  };
  // Of each size that a table may treat in its own way.
  const Numbers cases[] = {{1, -128, 128, 127}, {3, -128, 128, 127}, {8, -128, 128, 127}, {61, -128, 128, 127},
                           {61, 0, 128, 127},   {40, -20, 90, 127},  {61, -20, 90, 60},   {72, 0, 60, 127},
                           {77, 0, 128, 30},    {64, -1, 128, 127},  {33, -128, 128, 10}};
  for (const auto& [depth, low, high, weight] : cases) {
    const Tensor a =
        depth == 8 ? integers({15, depth}, low, 1, true) : random_ints({15, depth}, low, high, DType::kInt8, 1);
    const Tensor b = depth == 8 ? integers({depth, 45}, -127, 2, true)
                                : random_ints({depth, 45}, -weight, weight + 1, DType::kInt8, 2);
    std::vector<float> want;
    for (int64_t r = 0; r < 15; ++r) {
      for (int64_t c = 0; c < 45; ++c) {
        int64_t sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += int64_t{a.data<int8_t>()[r * depth + k]} * b.data<int8_t>()[k * 45 + c];
        want.push_back(static_cast<float>(sum));
      }
    }
    for (const Isa isa : cpu::tested_isas()) {
      EXPECT_EQ(product(cpu::integer_gemm_table(isa), a, b), want) << name_of(isa);
      EXPECT_EQ(product(cpu::machine_integer_gemm(isa), a, b), want) << name_of(isa);
    }
  }
}

}  // namespace
}  // namespace coracle::testing
