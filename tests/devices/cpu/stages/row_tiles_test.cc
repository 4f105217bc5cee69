// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/stages/row_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/without_kernels.h"

namespace coracle::internal::cpu {
namespace {

using test::expect_same_bits_without;
using test::model_of;
using test::random_tensor;
using test::without_kernels;

/// Convolutions of all sorts that follow each other, on tensors that are large from 160 x 160 on.
const char* const kChain = R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w1: float32[16, 3, 3, 3] = random(1)
  @w2: float32[16, 1, 5, 5] = random(2)
  @w3: float32[32, 16, 1, 1] = random(3)
  @w4: float32[32, 1, 3, 3] = random(4)
  @w5: float32[32, 1, 3, 3] = random(5)
  @w6: float32[24, 32, 1, 1] = random(6)
  @b: float32[1, 24, 1, 1] = random(7)
  %1 = conv2d(%x, @w1) {paddings = [1, 1], strides = [2, 2]}
  %2 = conv2d(%1, @w2) {paddings = [2, 2], groups = 16}
  %3 = hardswish(%2)
  %4 = conv2d(%3, @w3)
  %5 = conv2d(%4, @w4) {paddings = [2, 2], dilations = [2, 2], groups = 32}
  %6 = relu(%5)
  %7 = conv2d(%6, @w5) {paddings = [0, 1], strides = [2, 1], groups = 32}
  %8 = conv2d(%7, @w6)
  %9 = add(%8, @b)
  return %9 "y"
})";

/// A block that ends with the addition of what it began with.
const char* const kResidual = R"(graph (%x "x": float32[?, 8, ?, ?]) {
  @w0: float32[16, 8, 1, 1] = random(1)
  @w1: float32[32, 16, 1, 1] = random(2)
  @w2: float32[32, 1, 3, 3] = random(3)
  @w3: float32[16, 32, 1, 1] = random(4)
  %0 = conv2d(%x, @w0)
  %1 = conv2d(%0, @w1)
  %2 = relu(%1)
  %3 = conv2d(%2, @w2) {paddings = [1, 1], groups = 32}
  %4 = conv2d(%3, @w3)
  %5 = add(%4, %0)
  %6 = sigmoid(%5)
  return %6 "y"
})";

/// Pooling with windows that overlap, are cut and lie apart.
const char* const kPooling = R"(graph (%x "x": float32[?, 8, ?, ?]) {
  @w0: float32[16, 8, 1, 1] = random(1)
  @w1: float32[24, 16, 1, 1] = random(2)
  @three: int64[2] = {3, 3}
  @two: int64[2] = {2, 2}
  %0 = conv2d(%x, @w0)
  %1 = pool2d(%0, @three) {pooling_type = max, strides = [1, 1], paddings = [1, 1]}
  %2 = conv2d(%1, @w1)
  %3 = pool2d(%2, @two) {pooling_type = avg, strides = [3, 3], paddings = [0, 0], ceil_mode = true}
  return %3 "y"
})";

/// The same of int8.
const char* const kInt8Pooling = R"(graph (%x "x": float32[?, 8, ?, ?]) {
  @w: int8[24, 8, 1, 1] = random(1, -127, 128)
  @f: float32[24] = random(2, 0.001, 0.004)
  @three: int64[2] = {3, 3}
  @two: int64[2] = {2, 2}
  %0 = to_int8(%x) {scale = 2}
  %1 = integer_conv2d(%0, @w, [@f]) {result_scale = 20, epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0]}
  %2 = pool2d(%1, @three) {strides = [1, 1], paddings = [1, 1]}
  %3 = pool2d(%2, @two) {strides = [3, 3], paddings = [0, 0], ceil_mode = true}
  return %3 "y"
})";

bool has_strips(const std::shared_ptr<const Model>& model, const Tensor& x) {
  Session session(model, {.threads = 1});
  session.set_input(0, x);
  const std::shared_ptr<const Steps> planned = session.explain();
  const std::vector<Step>& steps = planned->steps;
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) { return !step.parts.empty(); });
}

class RowTiles : public testing::TestWithParam<const char*> {};

TEST_P(RowTiles, GiveTheSameBits) {
  const int64_t channels = GetParam() == kChain ? 3 : 8;
  expect_same_bits_without(kRowTiles.name, GetParam(),
                           {{1, channels, 331, 323}, {2, channels, 240, 321}, {1, channels, 5, 2001}});
}

TEST_P(RowTiles, AreForLargeImages) {
  const int64_t channels = GetParam() == kChain ? 3 : 8;
  const auto model = model_of(GetParam());
  const Tensor large = random_tensor({1, channels, 480, 480}, 1);
  if (detected_isa() == Isa::kAny) GTEST_SKIP() << "no vector kernels on this machine";
  EXPECT_TRUE(has_strips(model, large));
  EXPECT_FALSE(has_strips(model, random_tensor({1, channels, 64, 64}, 1)));
  EXPECT_FALSE(has_strips(model_of(GetParam(), without_kernels(kRowTiles.name)), large));
}

TEST_P(RowTiles, TakeLessMemory) {
  const int64_t channels = GetParam() == kChain ? 3 : 8;
  if (detected_isa() == Isa::kAny) GTEST_SKIP() << "no vector kernels on this machine";
  const auto arena = [&](const ModelOptions& options) {
    Session session(model_of(GetParam(), options), {.threads = 2});
    session.set_input(0, random_tensor({1, channels, 640, 640}, 1));
    session.run();
    return session.arena_bytes();
  };
  EXPECT_LT(arena({}), arena(without_kernels(kRowTiles.name)));
}

INSTANTIATE_TEST_SUITE_P(Graphs, RowTiles, testing::Values(kChain, kResidual, kPooling, kInt8Pooling),
                         [](const auto& info) {
                           return info.param == kChain      ? "Chain"
                                  : info.param == kResidual ? "Residual"
                                  : info.param == kPooling  ? "Pooling"
                                                            : "Int8Pooling";
                         });

}  // namespace
}  // namespace coracle::internal::cpu
