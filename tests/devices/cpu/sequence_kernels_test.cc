// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/attention/attention.h"
#include "ops/elementwise/cast.h"
#include "ops/index/embedding.h"
#include "ops/index/gather.h"
#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/fake_quantize_dequantize_moving_average_abs_max.h"
#include "ops/quantize/quantize_linear.h"
#include "support/generated_tensor.h"
#include "support/model_cases.h"

namespace coracle::internal::test {
namespace {

TEST(CastKernels, EveryPairThatModelsUse) {
  const Shape shapes[] = {{0}, {3}, {2, 3, 40, 401}};
  for (const Shape& s : shapes) {
    const Tensor whole = random_ints(s, -100, 100);
    for (DType to : {DType::kFloat32, DType::kInt32, DType::kBool, DType::kFloat16}) {
      EXPECT_GT(check_on_every_kernel({Cast{to}, {whole}}), 0);
    }
    for (DType to : {DType::kInt64, DType::kInt32, DType::kBool, DType::kFloat16, DType::kBfloat16, DType::kFloat64}) {
      EXPECT_GT(check_on_every_kernel({Cast{to}, {random_floats(s, -50, 50)}}), 0);
    }
    EXPECT_GT(check_on_every_kernel({Cast{DType::kFloat32}, {random_ints(s, 0, 2, DType::kBool)}}), 0);
  }
}

TEST(AttentionKernels, MatchTheReference) {
  struct Case {
    Shape q, k, v;
    std::optional<Shape> mask = {};
  };
  const Case cases[] = {
      {{1, 1}, {1, 1}, {1, 1}},
      {{5, 4}, {7, 4}, {7, 3}, Shape{1, 7}},
      {{2, 3, 33, 17}, {2, 3, 33, 17}, {2, 3, 33, 17}, Shape{2, 1, 1, 33}},
      {{12, 197, 64}, {12, 197, 64}, {12, 197, 64}},
      {{2, 4, 1, 32}, {2, 4, 100, 32}, {2, 4, 100, 32}, Shape{1, 100}},
      {{1, 2, 500, 40}, {1, 2, 300, 40}, {1, 2, 300, 80}, Shape{500, 300}},
      // Dimensions that repeat, and masks with one number for all keys or all queries.
      {{2, 1, 5, 4}, {3, 6, 4}, {6, 7}, Shape{4, 1, 1, 5, 1}},
      {{2, 1, 5, 8}, {2, 3, 9, 8}, {1, 3, 9, 20}, Shape{1}},
      {{1, 3, 8}, {1, 1, 8}, {1, 6, 8}, Shape{3, 6}},
      {{1, 1, 8}, {1, 6, 8}, {1, 6, 8}, Shape{4, 6}},
      // Keys that need their sums in parts, and queries in several blocks.
      {{1, 40, 2000}, {1, 30, 2000}, {1, 30, 16}},
      {{1, 30, 8}, {1, 9000, 8}, {1, 9000, 8}},
  };
  for (const Case& c : cases) {
    for (const double scale : {1.0, 0.125}) {
      Attention op;
      op.scale = scale;
      KernelCase kernel{
          .op = op,
          .in = {random_floats(c.q, -1, 1, 1), random_floats(c.k, -1, 1, 2), random_floats(c.v, -1, 1, 3)},
          .in_counts = {1, 1, 1, 0},
          .relative = 2e-5,
          .absolute = 2e-5};
      if (c.mask) {
        kernel.in.push_back(random_floats(*c.mask, -3, 3, 4));
        kernel.in_counts[3] = 1;
      }
      EXPECT_GT(check_on_every_kernel(kernel), 0) << text(c.q, " ", c.k, " ", c.v);
    }
  }
}

TEST(GatherKernels, IdsAndAxes) {
  for (DType id : {DType::kInt32, DType::kInt64}) {
    const Tensor table = random_floats({50, 33});
    Embedding embedding;
    embedding.padding_idx = 3;
    EXPECT_GT(check_on_every_kernel({embedding, {random_ints({4, 700}, 0, 50, id), table}}), 0);
    EXPECT_GT(check_on_every_kernel({embedding, {random_ints({0, 7}, 0, 50, id), table}}), 0);
    for (int64_t axis : {0, 1, 2}) {
      EXPECT_GT(
          check_on_every_kernel({Gather{}, {random_floats({6, 7, 8}), random_ints({21}, -6, 6, id), int_list({axis})}}),
          0);
    }
  }
}

TEST(QuantizeKernels, OneScaleAndOnePerChannel) {
  const Tensor x = random_floats({2, 19, 13, 90}, -3, 3);
  const Tensor one = random_floats({1}, 1.5, 2.5);
  FakeQuantizeDequantizeMovingAverageAbsMax fake;
  for (auto rounding : {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero}) {
    fake.round_type = rounding;
    EXPECT_GT(check_on_every_kernel({fake, {x, one}}), 0);
    for (int axis : {0, 1, 2, 3}) {
      QuantizeLinear linear;
      linear.round_type = rounding;
      linear.quant_axis = axis;
      const Tensor scales = random_floats({x.shape()[axis]}, 1, 3);
      EXPECT_GT(check_on_every_kernel({linear, {x, scales}}), 0);
    }
  }
  DequantizeLinear back;
  back.quant_axis = -1;
  EXPECT_GT(check_on_every_kernel({back, {x, one}}), 0);
  // As files have them, with a zero point.
  QuantizeLinear linear;
  linear.quant_axis = -1;
  for (const DType type : {DType::kInt8, DType::kInt32, DType::kFloat32}) {
    const Tensor zero = test::generate_integers("zero point", {1}, type, 0, 0);
    EXPECT_GT(check_on_every_kernel({linear, {x, one, zero}}), 0) << name_of(type);
    EXPECT_GT(check_on_every_kernel({back, {x, one, zero}}), 0) << name_of(type);
  }
}

void check_rnn(RnnMode mode, int layers, bool both_ways, int64_t time, int64_t batch, int64_t width, int hidden,
               bool has_bias, const Ints& lengths = {}) {
  KernelCase c = recurrence_case({mode, layers, both_ways, time, batch, width, hidden, has_bias});
  c.relative = 1e-5;
  c.absolute = 1e-5;
  EXPECT_EQ(kernels_that_take(c), std::set<std::string>{"rnn"});
  for (int states = 0; layers > 2 && states < c.out_counts[2]; ++states) {
    KernelCase fewer = c;
    fewer.out_counts = {1, 1, states};
    EXPECT_EQ(kernels_that_take(fewer), std::set<std::string>{"rnn"}) << states << " states are wanted";
  }
  if (lengths.empty()) return;
  c.in_counts.push_back(1);
  for (const DType type : {DType::kInt32, DType::kInt64}) {
    KernelCase with_lengths = c;
    with_lengths.in.push_back(Tensor::make(type, {batch}));
    with_lengths.in.back().assign(std::span<const int64_t>(lengths));
    EXPECT_EQ(kernels_that_take(with_lengths), std::set<std::string>{"rnn"});
  }
}

TEST(RnnKernels, ModesLayersAndDirections) {
  for (RnnMode mode : {RnnMode::kLstm, RnnMode::kGru, RnnMode::kRnnTanh, RnnMode::kRnnRelu}) {
    check_rnn(mode, 1, false, 1, 1, 1, 1, true);
    check_rnn(mode, 2, true, 7, 3, 19, 21, true, {7, 0, 3});
    check_rnn(mode, 3, true, 4, 5, 8, 17, false, {1, 9, 4, -1, 2});
    check_rnn(mode, 1, true, 25, 2, 64, 48, true);
  }
}

}  // namespace
}  // namespace coracle::internal::test
