// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/conv_pool/conv3d.h"
#include "ops/conv_pool/conv3d_transpose.h"
#include "ops/conv_pool/deformable_conv.h"
#include "ops/conv_pool/depthwise_conv2d.h"
#include "ops/conv_pool/fold.h"
#include "ops/conv_pool/max_pool2d_with_index.h"
#include "ops/conv_pool/max_pool3d_with_index.h"
#include "ops/conv_pool/pool3d.h"
#include "ops/conv_pool/unfold.h"
#include "support/check_kernels.h"

/// Windows over images and volumes: convolutions that the kernels for constant filters of images leave, patches,
/// pooling.
namespace coracle::internal::test {
namespace {

using KernelNames = std::set<std::string>;

constexpr double kWindowTolerance = 3e-5;

/// x and filter of a case whose channels come first, in the operator's order.
KernelCase window_convolution(const Op& op, const Shape& x, const Shape& filter, bool channels_last = false) {
  Shape shape = x;
  if (channels_last) {
    for (int d = 1; d + 1 < x.rank(); ++d) shape[d] = x[d + 1];
    shape[x.rank() - 1] = x[1];
  }
  return {.op = op,
          .in = {random_floats(shape, -1, 1, 1), random_floats(filter, -0.5, 0.5, 2)},
          .relative = kWindowTolerance,
          .absolute = kWindowTolerance};
}

TEST(WindowKernels, ConvolutionsOfVolumes) {
  struct Case {
    Shape x, filter;
    Ints strides, paddings, dilations;
    int groups = 1;
  };
  const Case cases[] = {
      {{1, 3, 5, 9, 11}, {16, 3, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
      {{2, 16, 4, 7, 6}, {33, 16, 3, 3, 3}, {1, 2, 2}, {1, 0, 1}, {1, 1, 1}},
      {{1, 24, 5, 6, 7}, {8, 24, 1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
      {{1, 8, 6, 5, 5}, {12, 4, 3, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 1, 1}, 2},
      {{2, 5, 9, 8, 13}, {7, 5, 3, 3, 3}, {2, 1, 1}, {2, 2, 2}, {2, 2, 1}},
      {{1, 2, 3, 20, 17}, {4, 2, 3, 5, 5}, {1, 2, 2}, {1, 2, 2}, {1, 1, 1}},
      {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
  };
  for (const Case& c : cases) {
    for (const bool last : {false, true}) {
      Conv3d op;
      op.strides = c.strides;
      op.paddings = c.paddings;
      op.dilations = c.dilations;
      op.groups = c.groups;
      op.data_format = last ? DataFormat::kNdhwc : DataFormat::kNcdhw;
      KernelCase k = window_convolution(op, c.x, c.filter, last);
      EXPECT_EQ(kernels_that_take(k), KernelNames{"conv3d"}) << text(c.x);
      k.computed_weights = true;
      EXPECT_EQ(kernels_that_take(k), KernelNames{"conv3d"}) << text(c.x);
    }
  }
}

TEST(WindowKernels, TransposedConvolutionsOfVolumes) {
  for (const int64_t stride : {1, 2}) {
    for (const int64_t kernel : {2, 3}) {
      for (const int groups : {1, 2}) {
        Conv3dTranspose op;
        op.strides = {stride, stride, 1};
        op.paddings = {kernel - 2, 0, 1};
        op.groups = groups;
        op.data_format = DataFormat::kNcdhw;
        EXPECT_EQ(kernels_that_take(window_convolution(op, {2, 6, 3, 4, 5}, {6, 10, kernel, kernel, kernel})),
                  KernelNames{"conv3d_transpose"});
      }
    }
  }
}

TEST(WindowKernels, TransposedConvolutionsWithComputedFilters) {
  for (const int64_t stride : {1, 2}) {
    for (const int groups : {1, 2}) {
      for (const bool last : {false, true}) {
        Conv2dTranspose op;
        op.strides = {stride, 2};
        op.paddings = {1, 0};
        op.output_padding = {0, 1};
        op.groups = groups;
        op.data_format = last ? DataFormat::kNhwc : DataFormat::kNchw;
        KernelCase c = window_convolution(op, {2, 6, 5, 7}, {6, 19, 3, 2}, last);
        c.in_counts = {1, 1, 0};
        c.computed_weights = true;
        EXPECT_EQ(kernels_that_take(c), KernelNames{"conv2d_transpose"});
        op.output_padding = {};
        c.op = op;
        c.in.push_back(int_list({5 * stride - stride + 1, 15}));
        c.in_counts = {1, 1, 1};
        EXPECT_EQ(kernels_that_take(c), KernelNames{"conv2d_transpose"});
      }
    }
  }
}

TEST(WindowKernels, OneFilterPerChannel) {
  for (const bool last : {false, true}) {
    for (const int64_t stride : {1, 2}) {
      Conv3d op;
      op.strides = {1, stride, stride};
      op.paddings = {1, 1, 0};
      op.groups = 19;
      op.data_format = last ? DataFormat::kNdhwc : DataFormat::kNcdhw;
      EXPECT_EQ(kernels_that_take(window_convolution(op, {2, 19, 3, 5, 6}, {19, 1, 3, 3, 3}, last)),
                KernelNames{"convolution.channelwise"});
      Conv3dTranspose back;
      back.strides = op.strides;
      back.paddings = op.paddings;
      back.groups = 19;
      back.data_format = op.data_format;
      EXPECT_EQ(kernels_that_take(window_convolution(back, {2, 19, 3, 5, 6}, {19, 1, 3, 3, 2}, last)),
                KernelNames{"convolution.channelwise"});
      Conv2dTransposeFused flat;
      flat.strides = {stride, 3};
      flat.paddings = {1, 0};
      flat.groups = 19;
      flat.data_format = last ? DataFormat::kNhwc : DataFormat::kNchw;
      KernelCase c = window_convolution(flat, {2, 19, 5, 6}, {19, 1, 4, 2}, last);
      c.in_counts = {1, 1, 0};
      EXPECT_TRUE(kernels_that_take(c).contains("convolution.channelwise"));
    }
  }
}

TEST(WindowKernels, ChannelsLastByFormat) {
  Conv2dFused op;
  op.paddings = {1, 1};
  op.data_format = DataFormat::kNhwc;
  op.epilogue = {{EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}};
  KernelCase c = window_convolution(op, {2, 19, 9, 7}, {40, 19, 3, 3}, true);
  c.in.push_back(random_floats({40}, -1, 1, 3));
  c.in_counts = {1, 1, 1};
  EXPECT_EQ(kernels_that_take(c), KernelNames{"conv2d_fused"});
  op.groups = 19;
  c = window_convolution(op, {2, 19, 9, 7}, {19, 1, 3, 3}, true);
  c.in.push_back(random_floats({19}, -1, 1, 3));
  c.in_counts = {1, 1, 1};
  EXPECT_EQ(kernels_that_take(c), KernelNames{"convolution.depthwise"});

  Conv2dTransposeFused transposed;
  transposed.strides = {2, 2};
  transposed.paddings = {1, 1};
  transposed.data_format = DataFormat::kNhwc;
  c = window_convolution(transposed, {2, 12, 5, 6}, {12, 18, 4, 4}, true);
  c.in_counts = {1, 1, 0};
  EXPECT_EQ(kernels_that_take(c), KernelNames{"conv2d_transpose_fused"});
}

TEST(WindowKernels, ComputedFilters) {
  for (const bool last : {false, true}) {
    Conv2d op;
    op.paddings = {1, 1};
    op.data_format = last ? DataFormat::kNhwc : DataFormat::kNchw;
    KernelCase c = window_convolution(op, {2, 20, 9, 7}, {33, 20, 3, 3}, last);
    c.computed_weights = true;
    EXPECT_EQ(kernels_that_take(c), KernelNames{"conv2d"});
    op.groups = 20;
    c = window_convolution(op, {2, 20, 9, 7}, {20, 1, 3, 3}, last);
    c.computed_weights = true;
    EXPECT_EQ(kernels_that_take(c), KernelNames{"convolution.depthwise"});
  }
  DepthwiseConv2d depthwise;
  depthwise.groups = 33;
  KernelCase c = window_convolution(depthwise, {1, 33, 29, 13}, {33, 1, 5, 5});
  c.computed_weights = true;
  EXPECT_EQ(kernels_that_take(c), KernelNames{"convolution.depthwise"});
}

TEST(WindowKernels, DeformableConvolution) {
  struct Case {
    int groups, offset_groups;
    int64_t stride, pad, dilation;
  };
  for (const Case& p : {Case{1, 1, 1, 1, 1}, Case{2, 1, 2, 1, 1}, Case{1, 3, 1, 2, 2}, Case{2, 3, 1, 0, 1}}) {
    for (const bool masked : {false, true}) {
      for (const bool computed : {false, true}) {
        DeformableConv op;
        op.strides = {p.stride, p.stride};
        op.paddings = {p.pad, p.pad};
        op.dilations = {p.dilation, p.dilation};
        op.groups = p.groups;
        op.deformable_groups = p.offset_groups;
        const auto size = [&](int64_t in) { return (in + 2 * p.pad - 2 * p.dilation - 1) / p.stride + 1; };
        const int64_t h = size(9);
        const int64_t w = size(11);
        KernelCase c{.op = op, .in = {}, .relative = kWindowTolerance, .absolute = kWindowTolerance};
        c.in = {random_floats({2, 24, 9, 11}, -1, 1, 1), random_floats({2, 18 * p.offset_groups, h, w}, -3, 3, 2),
                random_floats({34, 24 / p.groups, 3, 3}, -0.5, 0.5, 3)};
        if (masked) c.in.push_back(random_floats({2, 9 * p.offset_groups, h, w}, 0, 1, 4));
        c.in_counts = {1, 1, 1, masked ? 1 : 0};
        c.computed_weights = computed;
        EXPECT_EQ(kernels_that_take(c), KernelNames{"deformable_conv"});
      }
    }
  }
}

TEST(WindowKernels, Patches) {
  struct Case {
    Ints kernel, strides, paddings, dilations;
  };
  const Case cases[] = {
      {{3, 3}, {1, 1}, {1, 1}, {1, 1}}, {{2, 3}, {2, 3}, {0, 0}, {1, 1}},   {{3, 2}, {1, 2}, {2, 1, 3, 0}, {2, 3}},
      {{1, 1}, {1, 1}, {0, 0}, {1, 1}}, {{9, 11}, {1, 1}, {0, 0}, {1, 1}},  {{3, 3}, {4, 4}, {5, 5}, {1, 1}},
      {{5, 3}, {1, 1}, {4, 2}, {2, 2}}, {{1, 23}, {1, 1}, {0, 11}, {1, 1}}, {{19, 1}, {1, 1}, {9, 0}, {1, 1}}};
  for (const Case& p : cases) {
    Unfold unfold;
    Fold fold;
    unfold.kernel_sizes = fold.kernel_sizes = p.kernel;
    unfold.strides = fold.strides = p.strides;
    unfold.paddings = fold.paddings = p.paddings;
    unfold.dilations = fold.dilations = p.dilations;
    fold.output_sizes = {9, 11};
    EXPECT_EQ(kernels_that_take({.op = unfold, .in = {random_floats({2, 5, 9, 11})}}), KernelNames{"unfold"});
    const Patches patches(p.kernel, p.strides, p.paddings, p.dilations);
    const Shape columns{2, 5 * p.kernel[0] * p.kernel[1], patches.windows(9, 0) * patches.windows(11, 1)};
    EXPECT_EQ(kernels_that_take({.op = fold, .in = {random_floats(columns)}}), KernelNames{"fold"});
  }
}

TEST(WindowKernels, PoolingOfVolumes) {
  for (const Shape& s : {Shape{2, 19, 5, 7, 6}, Shape{1, 67, 3, 9, 4}, Shape{1, 1, 1, 1, 1}}) {
    for (const PoolingType type : {PoolingType::kMax, PoolingType::kAverage}) {
      for (const bool exclusive : {false, true}) {
        Pool3d op;
        op.pooling_type = type;
        op.exclusive = exclusive;
        op.kernel_size = {2, 3, 3};
        op.strides = {1, 2, 2};
        op.paddings = {1, 1, 1};
        op.ceil_mode = exclusive;
        EXPECT_EQ(kernels_that_take({.op = op, .in = {random_floats(s)}}), KernelNames{"pool3d"});
        op.ceil_mode = false;
        op.adaptive = true;
        op.kernel_size = {1, 2, 3};
        EXPECT_EQ(kernels_that_take({.op = op, .in = {random_floats(s)}}), KernelNames{"pool3d"});
        op.data_format = DataFormat::kNdhwc;
        EXPECT_EQ(kernels_that_take({.op = op, .in = {random_floats(s)}}), KernelNames{"pool3d"});
      }
    }
  }
}

TEST(WindowKernels, PoolingWithPlaces) {
  for (const bool adaptive : {false, true}) {
    for (const Shape& s : {Shape{2, 19, 9, 7}, Shape{1, 67, 5, 4}, Shape{1, 1, 2, 2}}) {
      MaxPool2dWithIndex op;
      op.kernel_size = {2, 2};
      op.strides = {2, 1};
      op.paddings = {1, 1};
      op.adaptive = adaptive;
      // Integers: the first of equal elements is told.
      const Tensor x = random_ints(s, 0, 4, DType::kFloat32);
      EXPECT_EQ(kernels_that_take({.op = op, .in = {x}, .out_counts = {1, 1}}), KernelNames{"max_pool2d_with_index"});
      EXPECT_EQ(kernels_that_take({.op = op, .in = {x}, .out_counts = {1}}), KernelNames{"max_pool2d_with_index"});
    }
    MaxPool3dWithIndex op;
    op.kernel_size = {2, 2, 3};
    op.strides = {1, 2, 2};
    op.adaptive = adaptive;
    EXPECT_EQ(kernels_that_take({.op = op, .in = {random_floats({2, 18, 4, 7, 6})}, .out_counts = {1, 1}}),
              KernelNames{"max_pool3d_with_index"});
  }
}

}  // namespace
}  // namespace coracle::internal::test
