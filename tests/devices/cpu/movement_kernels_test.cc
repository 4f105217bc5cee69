// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/interp/bilinear_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/nearest_interp_add.h"
#include "ops/movement/channel_shuffle.h"
#include "ops/movement/concat.h"
#include "ops/movement/expand.h"
#include "ops/movement/flip.h"
#include "ops/movement/pixel_shuffle.h"
#include "ops/movement/relayout.h"
#include "ops/movement/slice.h"
#include "ops/movement/split.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/stack.h"
#include "ops/movement/strided_slice.h"
#include "ops/movement/tile.h"
#include "ops/movement/transpose.h"
#include "ops/movement/unstack.h"
#include "support/check_kernels.h"
#include "support/device_kernel_runner.h"

namespace coracle::internal::test {
namespace {

TEST(ResizeKernels, NearestAndASum) {
  NearestInterpAdd op;
  op.align_corners = false;
  for (const Shape& s : {Shape{2, 19, 6, 5}, Shape{1, 64, 4, 3}, Shape{1, 1, 5, 7}}) {
    for (const Ints& size : {Ints{2 * s[2], 2 * s[3]}, Ints{3, 11}, Ints{s[2], s[3]}}) {
      op.out_h = size[0];
      op.out_w = size[1];
      const Tensor x = random_floats(s);
      const Tensor addend = random_floats({s[0], s[1], size[0], size[1]}, -2, 2, 2);
      EXPECT_GT(check_on_every_kernel({.op = op, .in = {x, addend}, .in_counts = {1, 0, 0, 0, 0, 1}}), 0);
      for (const int64_t factors : {int64_t{1}, s[0]}) {
        const Tensor factor = random_floats({factors, s[1], 1, 1}, -2, 2, 3);
        const int rows = check_on_every_kernel({.op = op, .in = {x, factor, addend}, .in_counts = {1, 0, 0, 0, 1, 1}});
        if (DeviceKernelRunner::under_test() == nullptr) {
          EXPECT_EQ(rows > 0, s[1] > 1);
        }
      }
    }
  }
}

TEST(ResizeKernels, NearestOfBytes) {
  for (const Shape& s : {Shape{1, 1, 5, 7}, Shape{2, 19, 6, 5}, Shape{1, 64, 40, 33}}) {
    for (const Ints& size : {Ints{2 * s[2], 2 * s[3]}, Ints{3, 11}, Ints{1, 1}, Ints{s[2], s[3]}}) {
      NearestInterp nearest;
      nearest.align_corners = false;
      nearest.out_h = size[0];
      nearest.out_w = size[1];
      KernelCase c{.op = nearest, .in = {random_ints(s, -128, 128, DType::kInt8)}, .in_counts = {1, 0, 0, 0}};
      EXPECT_EQ(kernels_that_take(c), std::set<std::string>{"nearest_interp"});
      nearest.data_format = DataFormat::kNhwc;
      c.op = nearest;
      c.in = {random_ints({s[0], s[2], s[3], s[1]}, -128, 128, DType::kInt8)};
      EXPECT_EQ(kernels_that_take(c), std::set<std::string>{"nearest_interp"});
    }
  }
}

TEST(ResizeKernels, AllConventions) {
  for (const Shape& s : {Shape{1, 1, 5, 7}, Shape{2, 19, 6, 5}, Shape{1, 64, 40, 33}}) {
    for (bool corners : {false, true}) {
      for (int mode : {0, 1}) {
        BilinearInterp bilinear;
        bilinear.align_corners = corners;
        bilinear.align_mode = mode;
        NearestInterp nearest;
        nearest.align_corners = corners;
        for (const Ints& size : {Ints{2 * s[2], 2 * s[3]}, Ints{3, 11}, Ints{1, 1}, Ints{s[2], s[3]}}) {
          bilinear.out_h = nearest.out_h = size[0];
          bilinear.out_w = nearest.out_w = size[1];
          EXPECT_GT(check_on_every_kernel({.op = bilinear, .in = {random_floats(s)}, .in_counts = {1, 0, 0, 0}}), 0);
          EXPECT_EQ(kernels_that_take({.op = nearest, .in = {random_floats(s)}, .in_counts = {1, 0, 0, 0}}),
                    std::set<std::string>{"nearest_interp"});
        }
        bilinear.data_format = DataFormat::kNhwc;
        EXPECT_GT(check_on_every_kernel(
                      {.op = bilinear, .in = {random_floats({s[0], s[2], s[3], s[1]})}, .in_counts = {1, 0, 0, 0}}),
                  0);
      }
    }
  }
}

TEST(ConcatKernels, JoinAndPart) {
  for (const Shape& s : {Shape{2, 6, 5, 7}, Shape{3, 4}, Shape{1, 96, 30, 29}, Shape{0, 2, 2}, Shape{600, 2, 120}}) {
    for (int axis = 0; axis < s.rank(); ++axis) {
      std::vector<Tensor> parts;
      for (int64_t size : {s[axis], int64_t{1}, int64_t{0}, int64_t{17}}) {
        Shape part = s;
        part[axis] = size;
        parts.push_back(random_floats(part, -1, 1, static_cast<unsigned>(size)));
      }
      std::vector<Tensor> in = parts;
      in.push_back(int_list({axis}));
      EXPECT_GT(check_on_every_kernel({.op = Concat{}, .in = in, .in_counts = {4, 1}}), 0);

      Shape whole = s;
      whole[axis] = s[axis] + 18;
      EXPECT_GT(check_on_every_kernel({.op = Split{},
                                       .in = {random_ints(whole, 0, 100), int_list({17, -1, 1}), int_list({axis})},
                                       .out_counts = {3}}),
                0);
      whole[axis] = 2 * s[axis];
      SplitWithNum halves;
      halves.num = 2;
      EXPECT_GT(
          check_on_every_kernel({.op = halves, .in = {random_floats(whole), int_list({axis})}, .out_counts = {2}}), 0);
      Stack stack;
      stack.axis = axis;
      EXPECT_GT(check_on_every_kernel({.op = stack, .in = {random_floats(s), random_floats(s)}, .in_counts = {2}}), 0);
      Unstack unstack;
      unstack.axis = axis;
      if (s[axis] > 0 && s[axis] < 40) {
        EXPECT_GT(
            check_on_every_kernel({.op = unstack, .in = {random_floats(s)}, .out_counts = {static_cast<int>(s[axis])}}),
            0);
      }
    }
  }
}

TEST(MovementKernels, Transpose) {
  const auto check = [](const Shape& s, const Ints& perm) {
    Transpose transpose;
    transpose.perm = perm;
    EXPECT_GT(check_on_every_kernel({.op = transpose, .in = {random_floats(s)}}), 0);
    EXPECT_GT(check_on_every_kernel({.op = transpose, .in = {random_ints(s, -9, 9)}}), 0);
    EXPECT_GT(check_on_every_kernel({.op = transpose, .in = {random_ints(s, 0, 2, DType::kBool)}}), 0);
  };
  check({2, 33, 45}, {0, 2, 1});
  check({2, 3, 40, 65}, {0, 2, 3, 1});
  check({2, 40, 12, 32}, {0, 2, 1, 3});
  check({2, 40, 12, 32}, {0, 2, 3, 1});
  check({1, 96, 1, 80}, {0, 3, 1, 2});
  check({7, 50, 3, 2, 16}, {2, 0, 3, 1, 4});
  check({5}, {0});
  check({0, 3}, {1, 0});
  check({1, 1}, {1, 0});
}

TEST(MovementKernels, Slices) {
  const Tensor x = random_floats({2, 19, 6, 50});
  Slice slice;
  slice.axes = {1, 3};
  EXPECT_GT(check_on_every_kernel({slice, {x, int_list({3, -20}), int_list({18, 1000})}}), 0);
  slice.axes = {0};
  slice.decrease_axis = {0};
  EXPECT_GT(check_on_every_kernel({slice, {x, int_list({1}), int_list({2})}}), 0);
  slice.axes = {2};
  slice.decrease_axis = {};
  EXPECT_GT(check_on_every_kernel({slice, {x, int_list({4}), int_list({2})}}), 0);
  StridedSlice strided;
  strided.axes = {2, 3};
  EXPECT_GT(check_on_every_kernel({strided, {x, int_list({0, 49}), int_list({6, -60}), int_list({2, -3})}}), 0);
  Flip flip;
  flip.axis = {1, 3};
  EXPECT_GT(check_on_every_kernel({flip, {x}}), 0);
}

TEST(MovementKernels, Relayout) {
  for (const Shape& s : {Shape{2, 3, 40, 65}, Shape{1, 67, 5, 7}, Shape{3, 1, 4, 4}, Shape{2, 96, 63}, Shape{0, 2, 2},
                         Shape{7, 5}, Shape{1, 40, 90, 90}}) {
    EXPECT_GT(check_on_every_kernel({Relayout{}, {random_floats(s)}}), 0);
    EXPECT_GT(check_on_every_kernel({Relayout{}, {random_ints(s, -9, 9)}}), 0);
    EXPECT_GT(check_on_every_kernel({Relayout{}, {random_ints(s, 0, 2, DType::kBool)}}), 0);
  }
}

TEST(MovementKernels, Repeats) {
  EXPECT_GT(check_on_every_kernel({Expand{}, {random_floats({3, 1, 7, 1}), int_list({3, 5, 7, 40})}}), 0);
  EXPECT_GT(check_on_every_kernel({Expand{}, {random_floats({1, 1, 256}), int_list({100, 3, 256})}}), 0);
  EXPECT_GT(check_on_every_kernel({Tile{}, {random_floats({3, 1, 7}), int_list({2, 3, 1, 2})}}), 0);
  PixelShuffle shuffle;
  shuffle.upscale_factor = 2;
  EXPECT_GT(check_on_every_kernel({shuffle, {random_floats({2, 12, 5, 6})}}), 0);
  ChannelShuffle channels;
  channels.groups = 2;
  EXPECT_GT(check_on_every_kernel({channels, {random_floats({2, 12, 5, 6})}}), 0);
  EXPECT_GT(check_on_every_kernel({channels, {random_floats({2, 58, 3, 5})}}), 0);
  EXPECT_GT(check_on_every_kernel({channels, {random_floats({2, 0, 5, 6})}}), 0);
  channels.groups = 3;
  EXPECT_GT(check_on_every_kernel({channels, {random_floats({1, 66, 7, 3})}}), 0);
  channels.data_format = "NHWC";
  EXPECT_GT(check_on_every_kernel({channels, {random_floats({2, 5, 7, 51})}}), 0);
}

}  // namespace
}  // namespace coracle::internal::test
