// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/activation/atan.h"
#include "ops/activation/gelu.h"
#include "ops/activation/hardsigmoid.h"
#include "ops/activation/hardswish.h"
#include "ops/activation/leaky_relu.h"
#include "ops/activation/log_softmax.h"
#include "ops/activation/mish.h"
#include "ops/activation/prelu.h"
#include "ops/activation/relu.h"
#include "ops/activation/relu6.h"
#include "ops/activation/sigmoid.h"
#include "ops/activation/silu.h"
#include "ops/activation/softmax.h"
#include "ops/activation/softplus.h"
#include "ops/activation/tanh.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/pow.h"
#include "ops/elementwise/scale.h"
#include "ops/elementwise/subtract.h"
#include "ops/elementwise/sum.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/norm/instance_norm.h"
#include "ops/norm/layer_norm.h"
#include "ops/norm/rms_norm.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/max.h"
#include "ops/reduce/mean.h"
#include "ops/reduce/mean_all.h"
#include "ops/reduce/min.h"
#include "ops/reduce/prod.h"
#include "support/check_kernels.h"

namespace coracle::internal::test {
namespace {

const Shape kShapes[] = {{0}, {}, {1}, {3}, {17}, {2, 3, 5}, {1, 3, 7, 9}, {2, 0, 4, 4}, {3, 67, 31, 17}};

TEST(ActivationKernels, MatchTheReference) {
  const Op ops[] = {Relu{}, Relu6{}, Sigmoid{}, Tanh{}, Silu{}, Mish{}, Softplus{}, Hardswish{}, Hardsigmoid{}, Atan{}};
  for (const Op& op : ops) {
    for (const Shape& s : kShapes) EXPECT_GT(check_on_every_kernel({op, {random_floats(s, -9, 9)}}), 0) << op.name();
  }
  for (bool approximate : {false, true}) {
    Gelu gelu;
    gelu.approximate = approximate;
    EXPECT_GT(check_on_every_kernel({gelu, {random_floats({5, 77}, -6, 6)}}), 0);
  }
  LeakyRelu leaky;
  leaky.negative_slope = 0.3;
  EXPECT_GT(check_on_every_kernel({leaky, {random_floats({5, 77})}}), 0);
}

TEST(ActivationKernels, TakeArguments) {
  const Tensor x = random_floats({4, 5, 6, 7}, -5, 5);
  EXPECT_GT(check_on_every_kernel({Clip{}, {x, Tensor::scalar(-1.5F), Tensor::scalar(2.5F)}}), 0);
  Scale scale;
  scale.bias = 0.25;
  EXPECT_GT(check_on_every_kernel({scale, {x, Tensor::scalar(1.75F)}}), 0);
  scale.bias_after_scale = false;
  EXPECT_GT(check_on_every_kernel({scale, {x, Tensor::scalar(1.75F)}}), 0);
  for (float y : {1.0F, 2.0F, 0.5F, -1.5F}) {
    const Tensor positive = random_floats({333}, 0.1, 4);
    EXPECT_GT(check_on_every_kernel({.op = Pow{}, .in = {positive, Tensor::scalar(y)}, .relative = 4e-6}), 0) << y;
  }
}

TEST(ElementwiseKernels, PreluTakesEachFormOfItsParameter) {
  for (const Shape& s : {Shape{2, 3, 5, 7}, Shape{1, 17, 4, 1}, Shape{3, 8, 6}, Shape{4, 9}, Shape{2, 0, 3, 3}}) {
    for (DataFormat format : {DataFormat::kNchw, DataFormat::kNhwc}) {
      const Tensor x = random_floats(s);
      Prelu op{.data_format = format, .mode = PreluMode::kChannel};
      const int64_t channels = s[channel_axis(format, s.rank())];
      EXPECT_GT(check_on_every_kernel({op, {x, random_floats({channels}, -1, 1, 2)}}), 0) << text(s);
      EXPECT_GT(check_on_every_kernel({op, {x, random_floats({1, channels, 1, 1}, -1, 1, 2)}}), 0) << text(s);
      op.mode = PreluMode::kAll;
      EXPECT_GT(check_on_every_kernel({op, {x, random_floats({1}, -1, 1, 2)}}), 0) << text(s);
      op.mode = PreluMode::kElement;
      EXPECT_GT(check_on_every_kernel({op, {x, random_floats({s.count(1, s.rank())}, -1, 1, 2)}}), 0) << text(s);
    }
  }
}

TEST(ElementwiseKernels, Broadcast) {
  const std::pair<Shape, Shape> shapes[] = {
      {{0}, {0}},
      {{}, {}},
      {{1}, {1}},
      {{2, 3, 5, 7}, {2, 3, 5, 7}},
      {{2, 19, 5, 7}, {1, 19, 1, 1}},
      {{2, 19, 5, 7}, {2, 19, 1, 1}},
      {{2, 19, 5, 7}, {19, 1, 1}},
      {{2, 19, 5, 7}, {1}},
      {{2, 19, 5, 7}, {}},
      {{2, 19, 5, 7}, {7}},
      {{2, 19, 5, 7}, {5, 7}},
      {{2, 19, 5, 7}, {2, 1, 5, 7}},
      {{2, 19, 5, 7}, {2, 1, 1, 7}},
      {{2, 19, 5, 7}, {19, 5, 7}},
      {{2, 19, 5, 1}, {2, 1, 1, 7}},
      {{4, 1, 6}, {5, 1}},
      {{33, 1}, {1, 18}},
      {{2, 1, 3, 1, 5}, {4, 1, 6, 1}},
      {{3, 64, 40, 33}, {3, 64, 40, 33}},
      {{3, 64, 40, 33}, {1, 64, 1, 1}},
      {{300, 400}, {400}},
      {{2, 0, 3}, {2, 1, 3}},
  };
  const Op ops[] = {Add{}, Subtract{}, Multiply{}, Divide{}, Maximum{}};
  for (const auto& [a, b] : shapes) {
    const Tensor x = random_floats(a, 0.5, 2, 1);
    const Tensor y = random_floats(b, 0.5, 2, 2);
    for (const Op& op : ops) {
      EXPECT_GT(check_on_every_kernel({op, {x, y}}), 0);
      EXPECT_GT(check_on_every_kernel({op, {y, x}}), 0);
    }
  }
}

TEST(SoftmaxKernels, EveryAxis) {
  const Shape shapes[] = {{1}, {}, {5, 33}, {2, 6, 3, 17}, {40, 6625}, {2, 3, 50, 70}, {0, 4}, {3, 1, 1}};
  for (const Shape& s : shapes) {
    for (int axis = -1; axis < s.rank(); ++axis) {
      Softmax softmax;
      softmax.axis = axis;
      LogSoftmax log_softmax;
      log_softmax.axis = axis;
      EXPECT_GT(check_on_every_kernel({softmax, {random_floats(s, -8, 8)}}), 0);
      // Shares that Paddle keeps from vanishing; they are far below any absolute tolerance.
      const Tensor steep = random_floats(s, -200, 0);
      EXPECT_GT(check_on_every_kernel({.op = softmax, .in = {steep}, .relative = 1e-5, .absolute = 0}), 0);
      EXPECT_GT(check_on_every_kernel({.op = log_softmax, .in = {random_floats(s, -8, 8)}, .relative = 4e-6}), 0);
    }
  }
}

TEST(PoolKernels, WindowsOfAllKinds) {
  const Shape shapes[] = {{1, 1, 1, 1}, {2, 3, 7, 9}, {1, 33, 20, 13}, {3, 64, 41, 37}, {0, 3, 7, 9}};
  for (const Shape& s : shapes) {
    for (PoolingType type : {PoolingType::kMax, PoolingType::kAverage}) {
      for (bool by_shape : {false, true}) {
        Pool2d pool;
        pool.pooling_type = type;
        pool.data_format = by_shape ? DataFormat::kNhwc : DataFormat::kNchw;
        const Tensor x = random_floats(by_shape ? Shape{s[0], s[2], s[3], s[1]} : s);
        pool.strides = {2, 2};
        pool.paddings = {1, 1};
        pool.ceil_mode = true;
        for (bool exclusive : {false, true}) {
          pool.exclusive = exclusive;
          EXPECT_GT(check_on_every_kernel({pool, {x, int_list({3, 3})}}), 0);
        }
        pool.ceil_mode = false;
        pool.adaptive = true;
        for (int64_t out : {1, 3}) EXPECT_GT(check_on_every_kernel({pool, {x, int_list({out, out})}}), 0);
        pool.adaptive = false;
        pool.global_pooling = true;
        EXPECT_GT(check_on_every_kernel({pool, {x, int_list({1, 1})}}), 0);
      }
    }
  }
}

TEST(PoolKernels, LargestOfInt8) {
  const Shape shapes[] = {{1, 1, 1, 1}, {2, 3, 7, 9}, {1, 33, 20, 13}, {2, 72, 11, 10}, {0, 3, 7, 9}};
  for (const Shape& s : shapes) {
    for (bool by_shape : {false, true}) {
      Pool2d pool;
      pool.data_format = by_shape ? DataFormat::kNhwc : DataFormat::kNchw;
      const Tensor x = random_ints(by_shape ? Shape{s[0], s[2], s[3], s[1]} : s, -128, 128, DType::kInt8);
      const auto check = [&](int64_t height, int64_t width) {
        const KernelCase c{.op = pool, .in = {x, int_list({height, width})}, .relative = 0, .absolute = 0};
        EXPECT_GT(check_on_every_kernel(c), 0);
      };
      for (bool ceil : {false, true}) {
        pool.ceil_mode = ceil;
        pool.strides = {2, 3};
        pool.paddings = {1, 2};
        check(3, 4);
        pool.paddings = {0, 1, 2, 0};
        check(3, 3);
        pool.strides = {1, 1};
        check(2, 3);
        // Windows of padding alone.
        pool.paddings = {2, 2};
        check(2, 1);
      }
      pool.padding_algorithm = PaddingAlgorithm::kSame;
      pool.strides = {2, 1};
      check(3, 2);
      pool.adaptive = true;
      check(3, 1);
      pool.adaptive = false;
      pool.global_pooling = true;
      check(1, 1);
    }
  }
  Pool2d average;
  average.pooling_type = PoolingType::kAverage;
  const KernelCase c{average, {random_ints({1, 3, 4, 4}, -128, 128, DType::kInt8), int_list({2, 2})}};
  EXPECT_TRUE(kernels_that_take(c).empty());
}

TEST(NormKernels, LayerAndRms) {
  const Shape shapes[] = {{2, 5, 33}, {1, 1}, {0, 7}, {300, 257}, {3, 4, 5, 6}};
  for (const Shape& s : shapes) {
    for (int axis = 1; axis < s.rank(); ++axis) {
      const Shape n{s.count(axis, s.rank())};
      LayerNorm norm;
      norm.begin_norm_axis = axis;
      const Tensor x = random_floats(s);
      const Tensor scale = random_floats(n, 0.5, 2, 2);
      const Tensor bias = random_floats(n, -1, 1, 3);
      EXPECT_GT(check_on_every_kernel({.op = norm, .in = {x, scale, bias}, .relative = 1e-5, .absolute = 1e-5}), 0);
      EXPECT_GT(check_on_every_kernel({.op = norm,
                                       .in = {x, bias},
                                       .in_counts = {1, 0, 1},
                                       .out_counts = {1, 1, 1},
                                       .relative = 1e-5,
                                       .absolute = 1e-5}),
                0);
      RmsNorm rms;
      rms.begin_norm_axis = axis;
      const Tensor residual = random_floats(s, -1, 1, 4);
      EXPECT_GT(check_on_every_kernel({.op = rms,
                                       .in = {x, residual, scale, bias},
                                       .in_counts = {1, 0, 1, 1, 1},
                                       .out_counts = {1, 1},
                                       .relative = 1e-5,
                                       .absolute = 1e-5}),
                0);
    }
  }
}

TEST(NormKernels, PerChannel) {
  const Shape shapes[] = {{2, 6, 5, 7}, {1, 66, 1, 1}, {3, 12}, {2, 18, 40, 41}, {0, 6, 2, 2}, {2, 6, 9}};
  for (const Shape& s : shapes) {
    const Shape n{s[1]};
    const Tensor x = random_floats(s);
    const Tensor mean = random_floats(n, -1, 1, 2);
    const Tensor variance = random_floats(n, 0.5, 2, 3);
    const Tensor scale = random_floats(n, 0.5, 2, 4);
    const Tensor bias = random_floats(n, -1, 1, 5);
    EXPECT_GT(check_on_every_kernel(
                  {.op = BatchNorm{}, .in = {x, mean, variance, scale, bias}, .out_counts = {1, 1, 1, 1, 1, 1}}),
              0);
    GroupNorm group;
    group.groups = 3;
    InstanceNorm instance;
    if (s.rank() > 2 && s.count(2, s.rank()) > 1) {
      EXPECT_GT(check_on_every_kernel({.op = instance, .in = {x, scale, bias}, .relative = 1e-5, .absolute = 1e-5}), 0);
    }
    EXPECT_GT(check_on_every_kernel({.op = group, .in = {x, scale, bias}, .relative = 1e-5, .absolute = 1e-5}), 0);
  }
}

template <class Op>
void check_reduction(const Tensor& x, const Ints& axes, bool keep) {
  Op op;
  op.keepdim = keep;
  KernelCase c{.op = {}, .in = {x}, .relative = 2e-5, .absolute = 2e-5};
  if constexpr (std::is_base_of_v<ReductionAttributes, Op>) {
    op.axis = axes;
  } else {
    c.in.push_back(int_list(axes));
  }
  c.op = op;
  EXPECT_GT(check_on_every_kernel(c), 0);
}

TEST(ReduceKernels, AxesThatLieTogether) {
  const Tensor x = random_floats({2, 37, 6, 19});
  for (const Ints& axes : {Ints{2, 3}, Ints{3}, Ints{1}, Ints{0}, Ints{0, 1}, Ints{}, Ints{1, 2, 3}, Ints{2}}) {
    for (bool keep : {false, true}) {
      check_reduction<Mean>(x, axes, keep);
      check_reduction<Sum>(x, axes, keep);
      check_reduction<Max>(x, axes, keep);
      check_reduction<Min>(x, axes, keep);
    }
  }
  check_reduction<Prod>(random_floats({4, 30}, 0.8, 1.2), {1}, false);
  check_reduction<Mean>(random_floats({2, 96, 60, 50}), {2, 3}, true);
  check_reduction<Sum>(random_floats({0, 5}), {1}, false);
  EXPECT_GT(check_on_every_kernel({.op = MeanAll{}, .in = {random_floats({7, 900})}}), 0);
}

TEST(ReduceKernels, Positions) {
  for (const Shape& s : {Shape{40, 6625}, Shape{2, 19, 13, 14}, Shape{1, 1}, Shape{5}}) {
    for (int64_t axis = -1; axis < s.rank(); ++axis) {
      EXPECT_GT(check_on_every_kernel({.op = Argmax{}, .in = {random_floats(s), int_list({axis})}}), 0);
      EXPECT_GT(check_on_every_kernel({.op = Argmin{}, .in = {random_floats(s), int_list({axis})}}), 0);
    }
  }
  Argmax flat;
  flat.flatten = true;
  EXPECT_GT(check_on_every_kernel({.op = flat, .in = {random_floats({3, 4, 5})}}), 0);
}

}  // namespace
}  // namespace coracle::internal::test
