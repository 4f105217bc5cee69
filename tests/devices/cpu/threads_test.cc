// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/workers.h"
#include "devices/cpu/blocked_reduction.h"
#include "devices/cpu/gemm_plan.h"
#include "ops/attention/attention.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/matmul/linear.h"
#include "ops/reduce/max.h"
#include "ops/reduce/mean.h"
#include "support/model_cases.h"

/// Work that is enough for many threads and does not come in as many rows, tiles or images: results have the same bits
/// however it is cut.
namespace coracle::internal::test {
namespace {

constexpr double kManyThreadsTolerance = 2e-4;

void check_nearly(KernelCase c) {
  c.relative = kManyThreadsTolerance;
  c.absolute = kManyThreadsTolerance;
  EXPECT_GT(check_on_every_kernel(c), 0);
}

TEST(ManyThreads, ProductsOfFewRows) {
  const int64_t sizes[][3] = {{40, 300, 500}, {1, 1000, 700}, {49, 256, 272}, {97, 130, 264}, {25, 900, 40}};
  for (const auto& [rows, depth, columns] : sizes) {
    SCOPED_TRACE(text(rows, "x", depth, " by ", columns));
    check_nearly({.op = Linear{},
                  .in = {random_floats({rows, depth}, -1, 1), random_floats({depth, columns}, -1, 1, 2)},
                  .in_counts = {1, 1, 0}});
  }
}

TEST(ManyThreads, ConvolutionsOfSmallImages) {
  const Convolution cases[] = {
      {1, 256, 256, 7, 7, 1, 1, 1, 0, 1, 1},
      {1, 64, 96, 8, 20, 3, 3, 1, 1, 1, 1},  // tiles of Winograd's algorithm for few threads
      {2, 96, 80, 7, 7, 3, 3, 1, 1, 1, 1},
      {1, 160, 160, 3, 20, 5, 5, 1, 2, 1, 160},  // one filter for each channel, of fewer rows than threads
      {1, 200, 200, 5, 14, 3, 3, 2, 1, 1, 200},
      {2, 72, 72, 2, 31, 3, 3, 1, 1, 1, 72},
  };
  for (const Convolution& c : cases) {
    for (const Steps& steps : {Steps{}, Steps{{EpilogueKind::kAddChannel}, {EpilogueKind::kAddTensor}}}) {
      check_nearly(convolution_case(c, steps));
    }
  }
}

TEST(ManyThreads, AttentionOfFewQueries) {
  Attention op;
  op.scale = 0.25;
  const Shape shape{1, 8, 40, 15};
  check_nearly({.op = op,
                .in = {random_floats(shape), random_floats(shape, -2, 2, 2), random_floats(shape, -2, 2, 3)},
                .in_counts = {1, 1, 1, 0}});
}

TEST(ManyThreads, MeansOfLargeImages) {
  for (const Shape& s : {Shape{2, 24, 90, 71}, Shape{1, 3, 300, 161}, Shape{1, 96, 64, 33}}) {
    Pool2d pool;
    pool.pooling_type = PoolingType::kAverage;
    pool.global_pooling = true;
    check_nearly({pool, {random_floats(s), int_list({1, 1})}});
    check_nearly({Mean{}, {random_floats(s, -1, 3), int_list({2, 3})}});
    check_nearly({Max{}, {random_floats(s), int_list({2, 3})}});
  }
}

TEST(ManyThreads, BlocksFollowFromOneImage) {
  constexpr int64_t kLength = 9001;
  constexpr int64_t kInner = 40;
  constexpr int64_t kImages = 3;
  const Tensor x = random_floats({kImages, kLength, kInner}, -1, 3);
  const cpu::ReduceFunctions& functions = cpu::reduce_table(cpu::Isa::kAny);
  for (const cpu::ReduceKind kind : {cpu::ReduceKind::kMean, cpu::ReduceKind::kSum, cpu::ReduceKind::kMax,
                                     cpu::ReduceKind::kSumSquares, cpu::ReduceKind::kSumAbs}) {
    const cpu::BlockedReduction blocks(kind, kLength, kInner);
    ASSERT_TRUE(blocks.is_used());
    ThreadPool pool(Workers::imagined(5), 5);
    const auto run = [&](int64_t first, int64_t images) {
      std::vector<float> y(static_cast<size_t>(images * kInner));
      std::vector<float> workspace(blocks.workspace(images) / sizeof(float));
      blocks.run(functions, x.data<float>() + first * kLength * kInner, images, y.data(), kInner, workspace.data(),
                 pool, nullptr);
      return y;
    };
    std::vector<float> one_by_one;
    for (int64_t i = 0; i < kImages; ++i) {
      for (float v : run(i, 1)) one_by_one.push_back(v);
    }
    const std::vector<float> all = run(0, kImages);
    EXPECT_EQ(all, one_by_one);
    std::vector<float> at_once(static_cast<size_t>(kInner));
    functions.strided(kind, x.data<float>(), at_once.data(), kLength, kInner, 0, kInner, nullptr);
    for (size_t i = 0; i < at_once.size(); ++i) EXPECT_NEAR(all[i], at_once[i], 1e-4 * std::abs(at_once[i]) + 1e-5);
  }
  EXPECT_FALSE(cpu::BlockedReduction(cpu::ReduceKind::kSum, kLength, 0).is_used());
  EXPECT_FALSE(cpu::BlockedReduction(cpu::ReduceKind::kSum, 0, kInner).is_used());
  EXPECT_FALSE(cpu::BlockedReduction(cpu::ReduceKind::kSum, kLength, 2000).is_used());
}

TEST(ManyThreads, GridsCoverTheProduct) {
  const cpu::GemmFunctions& gemm = cpu::gemm_table(cpu::Isa::kAny);
  int grids = 0;
  for (const int64_t rows : {1, 13, 49, 128, 196, 197, 400, 3136}) {
    for (const int64_t columns : {2, 40, 256, 768, 3072}) {
      for (const int threads : {1, 2, 3, 4, 7, 8, 16, 61}) {
        cpu::GemmPlan plan;
        plan.rows = rows;
        plan.call.shape = {1, 768, columns};
        plan.panels = gemm.panels(columns);
        const cpu::GemmSplit split = cpu::split_of(gemm, plan, threads);
        EXPECT_GE(split.grain, 1);
        EXPECT_LE(split.row_parts, rows);
        EXPECT_LE(split.panel_parts, plan.panels);
        EXPECT_LE(split.row_parts * split.panel_parts, threads);
        grids += split.row_parts > 1 ? 1 : 0;
        EXPECT_TRUE(threads > 1 || split.row_parts == 1);
      }
    }
  }
  EXPECT_GT(grids, 10);
}

}  // namespace
}  // namespace coracle::internal::test
