// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "devices/cpu/integer_cases.h"
#include "ops/quantize/integer_conv2d.h"
#include "support/emulated_processor.h"

namespace coracle::internal::test {
namespace {

struct IntegerConvolution {
  int64_t batch, in, out, h, w, kernel_h, kernel_w, stride, pad, dilation, groups;
};

/// Kernels that this much is expected of.
struct ExpectedRow {
  const char* name;
  bool not_beside_byte_dots = false;
};
constexpr ExpectedRow kProducts{"integer_conv2d"};
constexpr ExpectedRow kWinograd{"integer_conv2d.winograd", true};
constexpr ExpectedRow kDepthwise{"integer_conv2d.depthwise"};

/// How far numbers reach.
struct Numbers {
  int64_t least_of_x = -128;
  int64_t least_of_filter = -127;
  int64_t most_of_filter = 127;
};

void check_conv2d(const IntegerConvolution& p, const Steps& steps, const Result& result, bool largest,
                  const ExpectedRow& row, const Numbers& numbers = {}) {
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
  Tensor filter = integers({p.out, p.in / p.groups, p.kernel_h, p.kernel_w}, numbers.least_of_filter, 2, largest);
  for (int8_t& w : std::span(filter.data<int8_t>(), static_cast<size_t>(filter.count()))) {
    w = std::min(w, static_cast<int8_t>(numbers.most_of_filter));
  }
  KernelCase c{.op = op,
               .in = {integers({p.batch, p.in, p.h, p.w}, numbers.least_of_x, 1, largest), std::move(filter)},
               .kernels = {row.name},
               .not_beside_byte_dots = row.not_beside_byte_dots};
  finish(c, steps, {p.batch, p.out, size(p.h, p.kernel_h), size(p.w, p.kernel_w)}, p.out);
  check_on_every_kernel(c);
}

/// Each with one of the results; with many of the largest numbers in one of `one_in`.
void check_cases(std::span<const IntegerConvolution> cases, const Steps& steps, size_t one_in, const ExpectedRow& row) {
  for (size_t i = 0; i < cases.size(); ++i) check_conv2d(cases[i], steps, kResults[i % 4], i % one_in == 0, row);
}

/// One with every epilogue and result.
void check_chains(const IntegerConvolution& p, const ExpectedRow& row) {
  for (const Steps& steps : kQuantizedChains) {
    for (const Result& result : kResults) check_conv2d(p, steps, result, false, row);
  }
}

/// Which threads share by rows and by columns: neither has enough for all of them.
TEST(IntegerConvolutions, SharedByManyThreads) {
  const IntegerConvolution cases[] = {
      {1, 256, 272, 14, 14, 1, 1, 1, 0, 1, 1},
      {1, 80, 136, 9, 11, 3, 3, 1, 1, 1, 1},
      {2, 96, 96, 7, 9, 3, 3, 2, 1, 1, 1},
  };
  for (const IntegerConvolution& p : cases) {
    for (const Result& result : {kResults[0], kResults[1]}) {
      check_conv2d(p, {kMultiplyChannel, kAddChannel, kAddTensor, kRelu}, result, false, kProducts);
    }
  }
}

TEST(IntegerConvolutions, Convolutions) {
  const IntegerConvolution cases[] = {
      {1, 3, 16, 9, 11, 3, 3, 2, 1, 1, 1},   {2, 24, 33, 7, 13, 1, 1, 1, 0, 1, 1}, {1, 17, 40, 5, 6, 3, 3, 1, 1, 1, 1},
      {1, 32, 64, 14, 14, 3, 3, 1, 1, 1, 1}, {1, 5, 1, 8, 9, 3, 3, 1, 1, 1, 1},    {1, 20, 24, 12, 5, 3, 3, 1, 2, 2, 1},
      {2, 8, 6, 1, 1, 1, 1, 1, 0, 1, 1},     {3, 12, 18, 4, 3, 5, 5, 1, 2, 1, 1},  {1, 3, 8, 20, 17, 7, 7, 2, 3, 1, 1},
      {1, 4, 7, 3, 3, 9, 9, 1, 4, 1, 1},     {1, 16, 18, 9, 8, 1, 1, 2, 0, 1, 1},
  };
  check_cases(cases, {kMultiplyChannel, kAddChannel, kRelu}, 3, kProducts);
  check_chains({1, 11, 37, 6, 9, 3, 3, 1, 1, 1, 1}, kProducts);
}

// Images of few channels are read in place, with filters for which all ways to multiply bytes are exact, or only some.
TEST(IntegerConvolutions, ImagesOfFewChannels) {
  const IntegerConvolution cases[] = {
      {1, 3, 16, 30, 41, 3, 3, 2, 1, 1, 1}, {2, 3, 33, 21, 37, 7, 7, 2, 3, 1, 1}, {1, 4, 8, 9, 26, 3, 3, 1, 0, 2, 1},
      {3, 1, 20, 13, 40, 5, 5, 3, 2, 1, 1}, {1, 2, 24, 3, 12, 1, 3, 1, 1, 1, 1},  {1, 3, 9, 12, 60, 2, 2, 4, 0, 1, 1},
      {2, 3, 40, 1, 14, 3, 3, 1, 2, 1, 1},  {1, 3, 7, 6, 23, 5, 5, 1, 6, 1, 1},
  };
  for (const Numbers& numbers : {Numbers{}, Numbers{-128, -64, 64}, Numbers{-128, -16, 16}, Numbers{0, -64, 64},
                                 Numbers{-20, -127, 90}, Numbers{5, -127, 127}}) {
    for (size_t i = 0; i < std::size(cases); ++i) {
      const Steps steps = {kMultiplyChannel, kAddChannel, kRelu};
      check_conv2d(cases[i], steps, kResults[i % 4], i % 3 == 0, kProducts, numbers);
    }
  }
  check_chains({1, 3, 18, 11, 29, 3, 3, 1, 1, 1, 1}, kProducts);
}

TEST(IntegerConvolutions, GroupsOfSeveralChannels) {
  const IntegerConvolution cases[] = {
      {1, 32, 32, 9, 11, 3, 3, 1, 1, 1, 8},  {2, 24, 48, 7, 13, 1, 1, 1, 0, 1, 3},
      {1, 64, 64, 6, 5, 3, 3, 2, 1, 1, 32},  {1, 6, 6, 8, 9, 3, 3, 1, 2, 2, 2},
      {1, 40, 20, 5, 6, 5, 5, 1, 2, 1, 5},   {3, 12, 84, 1, 1, 1, 1, 1, 0, 1, 4},
      {1, 7, 14, 9, 8, 3, 3, 1, 1, 1, 7},    {1, 66, 66, 4, 9, 1, 3, 1, 0, 1, 2},
      {1, 36, 30, 3, 3, 3, 3, 1, 3, 1, 6},   {1, 40, 80, 2, 3, 3, 3, 1, 1, 1, 40},
      {1, 129, 6, 14, 15, 1, 1, 2, 0, 1, 3}, {1, 128, 96, 14, 14, 3, 3, 1, 1, 1, 2},
  };
  check_cases(cases, {kMultiplyChannel, kAddChannel, kRelu}, 3, kProducts);
  check_chains({1, 27, 33, 6, 9, 3, 3, 1, 1, 1, 3}, kProducts);
  check_chains({2, 20, 30, 3, 5, 1, 1, 1, 0, 1, 10}, kProducts);
}

TEST(IntegerConvolutions, ConvolutionsByWinograd) {
  const IntegerConvolution cases[] = {
      {1, 16, 16, 16, 16, 3, 3, 1, 1, 1, 1},
      {2, 17, 21, 15, 14, 3, 3, 1, 1, 1, 1},
      {1, 33, 40, 16, 20, 3, 3, 1, 1, 1, 1},
      {1, 64, 70, 17, 22, 3, 3, 1, 0, 1, 1},
      {1, 24, 96, 20, 44, 3, 3, 1, 1, 1, 1},
      {3, 20, 18, 14, 15, 3, 3, 1, 2, 1, 1},
      // Filters larger than what they are multiplied with, and more than one chunk for a thread.
      {1, 63, 81, 14, 15, 3, 3, 1, 1, 1, 1},
      {2, 70, 90, 15, 14, 3, 3, 1, 1, 1, 1},
      {1, 20, 70, 60, 62, 3, 3, 1, 1, 1, 1},
  };
  check_cases(cases, {kMultiplyChannel, kAddChannel, kRelu}, 2, kWinograd);
  check_chains({1, 19, 37, 13, 15, 3, 3, 1, 1, 1, 1}, kWinograd);
  // Sums that are not known from what Winograd's algorithm computes.
  check_conv2d({1, 260, 16, 16, 16, 3, 3, 1, 1, 1, 1}, {}, kResults[0], true, kProducts);
}

// With vectors of every width, beside products of bytes and without.
TEST(IntegerConvolutions, OnEveryProcessor) {
  const Steps steps = {kMultiplyChannel, kAddChannel, kRelu};
  on_every_processor([&] {
    check_conv2d({1, 33, 40, 16, 20, 3, 3, 1, 1, 1, 1}, steps, kResults[1], true, kWinograd);
    check_conv2d({1, 63, 70, 14, 15, 3, 3, 1, 1, 1, 1}, steps, kResults[1], false, kWinograd);
    check_conv2d({1, 17, 40, 5, 6, 3, 3, 1, 1, 1, 1}, steps, kResults[0], true, kProducts);
    check_conv2d({2, 3, 33, 21, 37, 7, 7, 2, 3, 1, 1}, steps, kResults[2], false, kProducts);
    check_conv2d({1, 36, 30, 3, 3, 3, 3, 1, 3, 1, 6}, steps, kResults[1], true, kProducts);
    check_conv2d({2, 37, 37, 11, 40, 5, 5, 2, 2, 1, 37}, steps, kResults[2], true, kDepthwise);
  });
}

TEST(IntegerConvolutions, OneFilterPerChannel) {
  const IntegerConvolution cases[] = {
      {1, 50, 50, 9, 70, 3, 3, 1, 1, 1, 50}, {2, 37, 37, 11, 40, 5, 5, 2, 2, 1, 37},
      {1, 16, 16, 6, 6, 4, 4, 1, 1, 1, 16},  {1, 24, 24, 13, 40, 3, 3, 2, 1, 1, 24},
      {1, 9, 9, 20, 35, 3, 3, 1, 1, 1, 9},   {1, 41, 41, 3, 3, 3, 3, 1, 3, 1, 41},
      {2, 21, 21, 9, 8, 3, 3, 1, 2, 2, 21},  {1, 6, 6, 3, 9, 1, 7, 1, 3, 1, 6},
      {1, 40, 40, 2, 2, 9, 9, 1, 4, 1, 40},  {1, 32, 32, 7, 13, 3, 3, 2, 1, 1, 32},
      {1, 50, 50, 11, 6, 5, 5, 1, 2, 1, 50},
  };
  check_cases(cases, {kMultiplyChannel, kAddChannel, kRelu6}, 2, kDepthwise);
  check_chains({1, 29, 29, 7, 9, 3, 3, 1, 1, 1, 29}, kDepthwise);
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
               .kernels = {"integer_conv2d.transposed"}};
  finish(c, steps, {p.batch, p.out, p.h * p.kernel_h, p.w * p.kernel_w}, p.out);
  check_on_every_kernel(c);
}

TEST(IntegerConvolutions, TransposedConvolutions) {
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
  for (const Steps& steps : kQuantizedChains) {
    for (const Result& result : kResults) {
      check_transposed({2, 11, 9, 3, 5, 2, 2}, steps, result, false);
      check_transposed({1, 24, 1, 4, 8, 2, 2}, steps, result, false);
    }
  }
}

TEST(IntegerConvolutions, OtherTransposedConvolutionsAreLeftToTheReference) {
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
    return kernels_that_take(c);
  };
  EXPECT_EQ(taken({2, 2}, {0, 0}, 1), std::set<std::string>{"integer_conv2d.transposed"});
  EXPECT_EQ(taken({1, 1}, {0, 0}, 1), std::set<std::string>());
  EXPECT_EQ(taken({2, 2}, {1, 1}, 1), std::set<std::string>());
  EXPECT_EQ(taken({2, 2}, {0, 0}, 2), std::set<std::string>());
}

/// Rows far apart are read together, which would take room for all that lies between.
TEST(IntegerConvolutions, DepthwiseFiltersWithAWideStrideAreProducts) {
  IntegerConv2d op;
  op.groups = 8;
  op.strides = {1 << 20, 1};
  op.epilogue = {{EpilogueKind::kMultiplyChannel}};
  const KernelCase c{.op = op,
                     .in = {random_ints({1, 8, 3, 8}, -128, 128, DType::kInt8),
                            random_ints({8, 1, 3, 3}, -127, 128, DType::kInt8), random_floats({8})}};
  EXPECT_EQ(kernels_that_take(c), std::set<std::string>{"integer_conv2d"});
}

}  // namespace
}  // namespace coracle::internal::test
