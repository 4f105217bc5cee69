// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices/device_kernel_test.h"
#include "ops/detection/multiclass_nms3.h"
#include "ops/index/argsort.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"
#include "ops/index/topk.h"
#include "ops/index/topk_v1.h"

/// Kernels of devices that select rows by their data, with CORACLE_TEST_DEVICE=cuda: top-k, and those whose results
/// have as many rows as the data says.
namespace coracle::internal::test {
namespace {

class DeviceRows : public DeviceKernelTest {};

/// Few different numbers, so that most are equal to others.
Tensor with_ties(const Shape& s, DType type, int64_t different, unsigned seed) {
  return random_ints(s, 0, different, type, seed);
}

/// Rows around the sizes of blocks, of numbers that are equal: which of them are taken is what Paddle takes.
TEST_F(DeviceRows, FirstOfEqualOnes) {
  struct Size {
    Shape shape;
    int axis;
    int64_t k;
  };
  const Size sizes[] = {{Shape{}, -1, 1},          {Shape{1}, 0, 1},          {Shape{3, 63}, -1, 5},
                        {Shape{3, 64}, -1, 64},    {Shape{2, 65}, -1, 17},    {Shape{1, 700}, -1, 3},
                        {Shape{2, 700}, -1, 300},  {Shape{2, 129, 3}, 1, 40}, {Shape{70, 2}, 0, 1},
                        {Shape{1, 4100}, -1, 100}, {Shape{0, 5}, -1, 2},      {Shape{2, 5}, -1, 0}};
  unsigned seed = 0;
  for (const Size& size : sizes) {
    for (const bool sorted : {true, false}) {
      const Topk op{.axis = size.axis, .largest = ++seed % 8 < 6, .sorted = sorted};
      const DType type = sorted && size.k == 17 ? DType::kInt64 : DType::kFloat32;
      for (const int64_t different : {3, 90}) {
        const Tensor x = with_ties(size.shape, type, different, seed);
        EXPECT_EQ(taken({.op = op, .in = {x, int_list({size.k})}, .out_counts = {1, 1}}), 1)
            << text(size.shape) << " " << size.k;
      }
    }
    if (size.axis != -1) continue;
    EXPECT_EQ(taken({.op = TopkV1{},
                     .in = {with_ties(size.shape, DType::kFloat32, 9, seed), int_list({size.k})},
                     .out_counts = {1, 1}}),
              1);
  }
}

TEST_F(DeviceRows, FirstOfAnyNumbers) {
  for (const int64_t n : {4200}) {
    Tensor x = random_floats({2, n}, -3, 3);
    EXPECT_EQ(taken({.op = Topk{}, .in = {x, int_list({100})}, .out_counts = {1, 1}}), 1);
    const float values[] = {NAN, INFINITY, -INFINITY, 0.0F, -0.0F, NAN, -0.0F, INFINITY};
    std::copy(std::begin(values), std::end(values), x.data<float>() + 17);
    for (const bool largest : {true, false}) {
      const Topk op{.largest = largest};
      EXPECT_EQ(taken({.op = op, .in = {x, int_list({12})}, .out_counts = {1, 1}}), 1);
      EXPECT_EQ(taken({.op = Argsort{.descending = largest}, .in = {x}, .out_counts = {1, 1}}), 1);
    }
  }
}

TEST_F(DeviceRows, WhatIsNotZero) {
  for (const Shape& s : {Shape{1}, Shape{1024}, Shape{1025}, Shape{5, 7, 30}, Shape{2, 0}}) {
    const int expected = s.count() == 0 ? 0 : 1;
    for (const DType type : {DType::kBool, DType::kFloat32, DType::kFloat16}) {
      for (const int64_t most : {1, 3}) {  // nothing, and two thirds
        EXPECT_EQ(taken({.op = Nonzero{}, .in = {random_ints(s, 0, most, type, 4)}}), expected) << text(s, type);
      }
    }
    for (const DType type : {DType::kInt64, DType::kUint8}) {
      const Tensor mask = random_ints(s, 0, 2, DType::kBool, 5);
      EXPECT_EQ(taken({.op = MaskedSelect{}, .in = {random_ints(s, 0, 99, type), mask}}), expected);
    }
  }
  Tensor special = random_floats({70}, 0, 0);
  const float values[] = {NAN, INFINITY, -0.0F, 1e-45F};
  std::copy(std::begin(values), std::end(values), special.data<float>() + 62);
  EXPECT_EQ(taken({.op = Nonzero{}, .in = {special}}), 1);
  EXPECT_EQ(taken({.op = Nonzero{}, .in = {Tensor::scalar(1.0F)}}), 0);
}

// ---- suppression

/// Boxes of some sizes around few places, so that many overlap.
Tensor boxes_of(int64_t images, int64_t boxes, unsigned seed) {
  Tensor t = random_floats({images, boxes, 4}, 0, 10, seed);
  for (int64_t i = 0; i < images * boxes; ++i) {
    float* const b = t.data<float>() + i * 4;
    b[0] = std::floor(b[0]);
    b[1] = std::floor(b[1] / 3);
    b[2] = b[0] + std::floor(b[2] / 2) + 1;
    b[3] = b[1] + std::floor(b[3] / 2) + 1;
  }
  return t;
}

/// Scores, of which many are equal if there are few `different` ones.
Tensor scores_of(const Shape& s, float different, unsigned seed) {
  Tensor t = random_floats(s, 0, 1, seed);
  for (int64_t i = 0; i < t.count(); ++i) {
    float& score = t.data<float>()[i];
    if (different > 0) score = std::floor(score * different) / different;
  }
  return t;
}

struct Detection {
  int64_t images = 1;
  int64_t classes = 1;
  int64_t boxes = 1;
};

KernelCase detection_case(const MulticlassNms3& op, const Detection& d, float different, unsigned seed = 1) {
  return {.op = op,
          .in = {boxes_of(d.images, d.boxes, seed), scores_of({d.images, d.classes, d.boxes}, different, seed + 1)},
          .in_counts = {1, 1, 0},
          .out_counts = {1, 1, 1},
          .relative = 0,
          .absolute = 0};
}

TEST_F(DeviceRows, Suppression) {
  unsigned seed = 0;
  for (const Detection& d : {Detection{1, 1, 1}, Detection{2, 3, 63}, Detection{1, 4, 64}, Detection{3, 2, 65},
                             Detection{1, 2, 256}, Detection{2, 5, 300}, Detection{1, 80, 20}}) {
    for (const float different : {0.0F, 6.0F}) {
      for (const int64_t keep : {-1, 40}) {
        MulticlassNms3 op;
        ++seed;
        op.background_label = seed % 3 == 0 && d.classes > 1 ? 0 : -1;
        op.score_threshold = seed % 2 == 0 ? 0.4F : 0.01F;
        op.nms_top_k = seed % 4 == 0 ? 50 : seed % 4 == 1 ? -1 : 1000;
        op.keep_top_k = static_cast<int>(keep);
        op.normalized = seed % 5 != 0;
        op.nms_threshold = seed % 7 == 0 ? 0.7F : 0.3F;
        op.nms_eta = seed % 7 == 0 ? 0.9F : 1.0F;
        EXPECT_EQ(taken(detection_case(op, d, different, seed)), 1) << d.classes << " of " << d.boxes;
      }
    }
  }
}

/// Nothing above the threshold, everything in one place, boxes that are points or the wrong way round, and numbers that
/// are none.
TEST_F(DeviceRows, SuppressionOfOddBoxes) {
  MulticlassNms3 op{{.score_threshold = 2, .keep_top_k = 10, .background_label = -1}};
  const Detection d{2, 3, 70};
  EXPECT_EQ(taken(detection_case(op, d, 0)), 1);
  for (const float threshold : {0.5F, 0.0F, -1.0F}) {
    op.score_threshold = 0.1F;
    op.nms_threshold = threshold;
    KernelCase c = detection_case(op, d, 5);
    float* const b = c.in[0].data<float>();
    std::fill(b, b + 4 * 30, 1.0F);  // points
    for (int i = 30; i < 40; ++i) std::swap(b[4 * i], b[4 * i + 2]);
    b[4 * 41 + 1] = NAN;
    b[4 * 43 + 2] = INFINITY;
    b[4 * 44] = -INFINITY;
    c.in[1].data<float>()[5] = NAN;
    c.in[1].data<float>()[41] = INFINITY;
    EXPECT_EQ(taken(c), 1) << threshold;
    c.out_counts = {1, 0, 1};
    EXPECT_EQ(taken(c), 1);
  }
}

/// What the CPU does.
TEST_F(DeviceRows, OtherSuppression) {
  const MulticlassNms3 op;
  KernelCase c = detection_case(op, {1, 2, 5}, 0);
  c.out_counts = {1, 1, 0};
  EXPECT_EQ(taken(c), 0) << "offsets of sequences are wanted";
  EXPECT_EQ(
      taken(
          {.op = op, .in = {random_floats({5, 2, 4}), random_floats({5, 2}), int_list({5})}, .out_counts = {1, 1, 1}}),
      0);
  EXPECT_EQ(taken({.op = op,
                   .in = {random_floats({1, 5, 8}), random_floats({1, 2, 5})},
                   .in_counts = {1, 1, 0},
                   .out_counts = {1, 1, 1}}),
            0);
  MulticlassNms3 none;
  none.keep_top_k = 0;
  EXPECT_EQ(taken(detection_case(none, {1, 2, 5}, 0)), 0) << "there are no rows";
}

}  // namespace
}  // namespace coracle::internal::test
