// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "ops/activation/celu.h"
#include "ops/activation/log_softmax.h"
#include "ops/activation/maxout.h"
#include "ops/activation/softmax.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/scale.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/matmul/linear.h"
#include "ops/norm/layer_norm.h"
#include "ops/reduce/argmax.h"
#include "ops/reduce/argmin.h"
#include "ops/reduce/p_norm.h"
#include "support/check_kernels.h"

/// Kernels against the reference on what is not a number, on infinities, zeros of both signs and values whose functions
/// overflow: one such value in each row and column of a matrix, so that it stands in each lane of a whole vector, in
/// each tail and in rows and columns that are reduced.
namespace coracle::internal::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kSpecial[] = {kNaN, kInf, -kInf, 0.0F, -0.0F, 1e30F, -1e30F, 90.0F, -90.0F};
constexpr int64_t kSides[] = {5, 37, 70};  ///< less than a vector, a few vectors and a tail, blocks of four vectors

/// A square of ordinary values with `special` on its diagonal.
Tensor square_with(float special, int64_t side, double low = -2, double high = 2) {
  Tensor t = random_floats({side, side}, low, high);
  for (int64_t i = 0; i < side; ++i) t.data<float>()[i * side + i] = special;
  return t;
}

/// f(tensor) for each special value and side.
template <class F>
void each_square(const F& f) {
  for (float special : kSpecial) {
    for (int64_t side : kSides) {
      SCOPED_TRACE(testing::Message() << special << " in " << side << " columns");
      f(square_with(special, side));
    }
  }
}

TEST(SpecialValues, OfEachUnaryOperator) {
  constexpr const char* kNames[] = {"abs",         "ceil",         "celu",        "cos",
                                    "elu",         "erf",          "exp",         "expm1",
                                    "floor",       "gelu",         "hardtanh",    "hardswish",
                                    "hardsigmoid", "leaky_relu",   "log",         "log10",
                                    "log1p",       "log2",         "mish",        "negative",
                                    "logsigmoid",  "hardshrink",   "reciprocal",  "relu",
                                    "relu6",       "relu_clipped", "round",       "rsqrt",
                                    "selu",        "sigmoid",      "sign",        "silu",
                                    "sin",         "softplus",     "softshrink",  "softsign",
                                    "sqrt",        "square",       "stanh",       "swish",
                                    "tanh",        "trunc",        "tanh_shrink", "thresholded_relu"};
  for (const char* name : kNames) {
    SCOPED_TRACE(name);
    const OpSchema* schema = find_op(name);
    ASSERT_NE(schema, nullptr);
    each_square(
        [&](const Tensor& x) { EXPECT_GT(check_on_every_kernel({.op = Op(schema), .in = {x}, .relative = 4e-6}), 0); });
  }
}

TEST(SpecialValues, OfOperatorsWithNumbers) {
  each_square([](const Tensor& x) {
    EXPECT_GT(check_on_every_kernel({Clip{}, {x, Tensor::scalar(-1.5F), Tensor::scalar(2.5F)}}), 0);
    EXPECT_GT(check_on_every_kernel({Clip{}, {x, Tensor::scalar(-kInf), Tensor::scalar(kInf)}}), 0);
    EXPECT_GT(check_on_every_kernel({Scale{}, {x, Tensor::scalar(0.0F)}}), 0);
    for (double alpha : {1.0, 0.0, -1.5}) {
      Celu celu;
      celu.alpha = alpha;
      EXPECT_GT(check_on_every_kernel({.op = celu, .in = {x}, .relative = 4e-6}), 0) << alpha;
    }
    for (float y : {0.0F, 1.0F, 2.0F, 3.0F, -1.0F, 0.5F, -1.5F}) {
      const Op pow(find_op("pow"));
      EXPECT_GT(check_on_every_kernel({.op = pow, .in = {x, Tensor::scalar(y)}, .relative = 4e-6}), 0) << y;
    }
  });
}

TEST(SpecialValues, OfEachPair) {
  constexpr const char* kNames[] = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "elementwise_pow"};
  for (const char* name : kNames) {
    SCOPED_TRACE(name);
    const Op op(find_op(name));
    for (float a : kSpecial) {
      for (float b : kSpecial) {
        SCOPED_TRACE(testing::Message() << a << " and " << b);
        const Tensor x = square_with(a, 37, 0.5, 2);
        const Tensor y = square_with(b, 37, 0.5, 2);
        const KernelCase same{.op = op, .in = {x, y}, .relative = 4e-6};
        EXPECT_GT(check_on_every_kernel(same), 0);
        const KernelCase with_one{.op = op, .in = {x, Tensor::of<float>({1}, {{b}})}, .relative = 4e-6};
        EXPECT_GT(check_on_every_kernel(with_one), 0);
        const KernelCase from_one{.op = op, .in = {Tensor::of<float>({1}, {{a}}), y}, .relative = 4e-6};
        EXPECT_GT(check_on_every_kernel(from_one), 0);
      }
    }
  }
}

TEST(SpecialValues, InRowsAndColumnsThatAreReduced) {
  constexpr const char* kNames[] = {"max", "min", "sum", "mean", "prod"};
  each_square([&](const Tensor& x) {
    for (int64_t axis : {0, 1}) {
      for (const char* name : kNames) {
        SCOPED_TRACE(name);
        const Op op(find_op(name));
        const KernelCase c{.op = op, .in = {x, int_list({axis})}, .relative = 1e-4, .absolute = 1e-4};
        EXPECT_GT(check_on_every_kernel(c), 0);
      }
      for (float order : {kInf, -kInf}) {
        const PNorm norm{.porder = order, .axis = axis};
        EXPECT_GT(check_on_every_kernel({norm, {x}}), 0);
      }
      EXPECT_GT(check_on_every_kernel({Argmax{}, {x, Tensor::scalar(axis)}}), 0);
      EXPECT_GT(check_on_every_kernel({Argmin{}, {x, Tensor::scalar(axis)}}), 0);
    }
  });
}

TEST(SpecialValues, InSoftmax) {
  each_square([](const Tensor& x) {
    for (int axis : {0, 1}) {
      Softmax softmax;
      softmax.axis = axis;
      EXPECT_GT(check_on_every_kernel({.op = softmax, .in = {x}, .relative = 4e-6}), 0);
      LogSoftmax log_softmax;
      log_softmax.axis = axis;
      EXPECT_GT(check_on_every_kernel({.op = log_softmax, .in = {x}, .relative = 4e-6, .absolute = 4e-6}), 0);
    }
  });
}

TEST(SpecialValues, InLinesThatAreMaskedThroughout) {
  for (int64_t side : {1, 7, 8, 12, 16, 24, 29, 64, 72, 77}) {
    SCOPED_TRACE(side);
    Tensor x = random_floats({5, side});
    float* const lines = x.data<float>();
    std::fill_n(lines, side, -kInf);
    std::fill_n(lines + side, side, kInf);
    lines[2 * side] = kInf;  // The first of its line, which differs from itself by no number.
    lines[4 * side - 1] = kInf;
    lines[4 * side] = kNaN;
    for (const Shape& shape : {Shape({5, side}), Shape({1, 5, side}), Shape({5, side, 1, 1}), Shape({5, side, 1})}) {
      Softmax softmax;
      softmax.axis = shape.rank() == 4 || shape[1] == side ? 1 : -1;
      EXPECT_GT(check_on_every_kernel({.op = softmax, .in = {x.reshaped(shape)}, .relative = 4e-6}), 0);
    }
    // Lines that only another layout lays next to each other.
    Softmax of_channels;
    of_channels.axis = 1;
    Tensor images = random_floats({2, side, 2, 3});
    std::fill_n(images.data<float>(), images.count(), -kInf);
    EXPECT_GT(check_on_every_kernel({.op = of_channels, .in = {images}, .relative = 4e-6}), 0);
  }
}

TEST(SpecialValues, InNorms) {
  for (float special : {kNaN, kInf, -kInf, 0.0F}) {
    for (int64_t side : kSides) {
      SCOPED_TRACE(testing::Message() << special << " in " << side << " columns");
      const Tensor x = square_with(special, side);
      const KernelCase layer{.op = LayerNorm{},
                             .in = {x, random_floats({side}, 0.5, 2), random_floats({side})},
                             .out_counts = {1, 0, 0},
                             .relative = 1e-5,
                             .absolute = 1e-5};
      EXPECT_GT(check_on_every_kernel(layer), 0);
    }
  }
}

TEST(SpecialValues, InWindows) {
  for (float special : {kNaN, kInf, -kInf}) {
    SCOPED_TRACE(special);
    Tensor x = random_floats({1, 19, 9, 9});
    for (int64_t c = 0; c < 19; ++c) {
      for (int64_t i = 0; i < 9; ++i) x.data<float>()[(c * 9 + i) * 9 + (i + c) % 9] = special;
    }
    for (PoolingType type : {PoolingType::kMax, PoolingType::kAverage}) {
      Pool2d pool;
      pool.pooling_type = type;
      pool.strides = {2, 2};
      pool.paddings = {1, 1};
      EXPECT_GT(check_on_every_kernel({pool, {x, int_list({3, 3})}}), 0);
      pool.strides = {1, 1};
      EXPECT_GT(check_on_every_kernel({pool, {x, int_list({2, 2})}}), 0);
      pool.global_pooling = true;
      EXPECT_GT(check_on_every_kernel({pool, {x, int_list({1, 1})}}), 0);
    }
  }
}

TEST(SpecialValues, InGroupsOfChannels) {
  for (float special : kSpecial) {
    SCOPED_TRACE(special);
    Tensor x = random_floats({2, 12, 5, 7});
    for (int64_t i = 0; i < x.count(); i += 5) x.data<float>()[i] = special;
    Maxout op;
    op.groups = 3;
    EXPECT_GT(check_on_every_kernel({.op = op, .in = {x}}), 0);
    std::fill_n(x.data<float>(), x.count(), special);
    EXPECT_GT(check_on_every_kernel({.op = op, .in = {x}}), 0);
  }
}

/// Bilinear resizing is a weighted sum: infinities stay, unless one has the weight 0 or meets another of the other
/// sign, and finite numbers stay finite.
TEST(SpecialValues, InResizedImages) {
  const std::vector<float> kinds[] = {{kNaN, 1}, {kInf}, {-kInf}, {-kInf, 1, -kInf}, {kInf, -kInf, 2}, {3e38F, -3e38F}};
  for (const auto& kind : kinds) {
    for (const Shape& s : {Shape{1, 1, 5, 7}, Shape{2, 19, 6, 5}, Shape{1, 3, 4, 40}}) {
      Tensor x = Tensor::make(DType::kFloat32, s);
      const auto count = static_cast<int64_t>(kind.size());
      for (int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = kind[static_cast<size_t>((i + i / s[3]) % count)];
      for (const Ints& size : {Ints{2 * s[2], 2 * s[3]}, Ints{3, 11}, Ints{1, 1}, Ints{s[2], s[3]}}) {
        for (bool corners : {false, true}) {
          SCOPED_TRACE(testing::Message() << kind[0] << " in " << text(s) << " to " << size[0] << "x" << size[1]);
          BilinearInterp op;
          op.align_corners = corners;
          op.out_h = size[0];
          op.out_w = size[1];
          const double absolute = kind[0] == 3e38F ? 1e33 : 1e-6;
          const KernelCase c{.op = op, .in = {x}, .in_counts = {1, 0, 0, 0}, .absolute = absolute};
          EXPECT_GT(check_on_every_kernel(c), 0);
        }
      }
    }
  }
}

TEST(SpecialValues, InProductsAndWhatFollowsThem) {
  const std::vector<EpilogueStep> chains[] = {{},
                                              {{EpilogueKind::kRelu}},
                                              {{EpilogueKind::kClip, 0, 6}},
                                              {{EpilogueKind::kLeakyRelu, 0.1F}, {EpilogueKind::kRelu}},
                                              {{EpilogueKind::kHardSwish, 3, 6, 6}}};
  for (float special : {kNaN, kInf, -kInf}) {
    SCOPED_TRACE(special);
    for (const auto& steps : chains) {
      for (int64_t columns : {7, 16, 24, 50}) {
        const Tensor x = square_with(special, 21);
        Linear linear;
        linear.epilogue = steps;
        const Tensor w = random_floats({21, columns}, 0.1, 1);
        const KernelCase c{.op = linear, .in = {x, w}, .in_counts = {1, 1, 0}, .relative = 2e-5, .absolute = 2e-5};
        EXPECT_GT(check_on_every_kernel(c), 0);
      }
      for (int64_t groups : {1, 12}) {  // strides of two: no transformed tiles, which would spread what is not finite
        Conv2dFused conv;
        conv.strides = {2, 2};
        conv.paddings = {1, 1};
        conv.groups = static_cast<int>(groups);
        conv.epilogue = steps;
        Tensor x = random_floats({1, 12, 11, 13});
        for (int64_t i = 0; i < 12; ++i) x.data<float>()[i * 143 + i * 11 % 143] = special;
        const Tensor w = random_floats({24, 12 / groups, 3, 3}, 0.1, 1);
        const KernelCase c{.op = conv, .in = {x, w}, .in_counts = {1, 1, 0}, .relative = 2e-5, .absolute = 2e-5};
        EXPECT_GT(check_on_every_kernel(c), 0);
        conv.strides = {1, 1};
        if (groups == 1) continue;
        const KernelCase dense{.op = conv, .in = {x, w}, .in_counts = {1, 1, 0}, .relative = 2e-5, .absolute = 2e-5};
        EXPECT_GT(check_on_every_kernel(dense), 0);
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::test
