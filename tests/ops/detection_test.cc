// SPDX-License-Identifier: Apache-2.0
// Suppression of overlapping boxes finds by place what comparing all pairs finds.
#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cmath>
#include <limits>
#include <random>

#include "graph/graph.h"
#include "ops/detection/boxes.h"
#include "ops/detection/roi_align.h"

namespace coracle::internal {
namespace {

std::vector<int64_t> by_all_pairs(const std::vector<double>& boxes, const std::vector<int64_t>& order, double threshold,
                                  double eta, bool normalized) {
  std::vector<int64_t> taken;
  for (int64_t i : order) {
    bool apart = true;
    for (int64_t j : taken) apart = apart && box_overlap(&boxes[i * 4], &boxes[j * 4], normalized) <= threshold;
    if (!apart) continue;
    taken.push_back(i);
    if (eta < 1 && threshold > 0.5) threshold *= eta;
  }
  return taken;
}

enum class Oddity { kNone, kTurned, kNan, kInfinite, kPoints };

std::vector<double> random_boxes(std::mt19937& engine, int count, double size, Oddity oddity) {
  std::uniform_real_distribution<double> place(-50, 450);
  std::exponential_distribution<double> extent(1 / size);
  std::vector<double> boxes;
  for (int i = 0; i < count; ++i) {
    const double x = place(engine);
    const double y = place(engine);
    boxes.insert(boxes.end(), {x, y, x + extent(engine), y + extent(engine)});
  }
  double* odd = &boxes[static_cast<size_t>(count / 3) * 4];
  if (oddity == Oddity::kTurned) std::swap(odd[0], odd[2]);
  if (oddity == Oddity::kNan) odd[1] = std::nan("");
  if (oddity == Oddity::kInfinite) odd[2] = std::numeric_limits<double>::infinity();
  if (oddity == Oddity::kPoints) {
    for (double& v : boxes) v = 7;
  }
  return boxes;
}

TEST(Boxes, SuppressionByPlaceIsSuppressionByAllPairs) {
  std::mt19937 engine(5);
  size_t suppressed = 0;
  for (int count : {1, 63, 64, 300, 900}) {
    for (double size : {1.0, 20.0, 200.0}) {
      for (Oddity oddity : {Oddity::kNone, Oddity::kTurned, Oddity::kNan, Oddity::kInfinite, Oddity::kPoints}) {
        const std::vector<double> boxes = random_boxes(engine, count, size, oddity);
        std::vector<int64_t> order(static_cast<size_t>(count));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
        std::shuffle(order.begin(), order.end(), engine);
        for (double threshold : {-0.1, 0.0, 0.05, 0.7}) {
          for (double eta : {1.0, 0.95}) {
            const bool normalized = engine() % 2 == 0;
            const auto want = by_all_pairs(boxes, order, threshold, eta, normalized);
            EXPECT_EQ(suppress_overlaps(kNoRun, boxes.data(), 4, order, threshold, eta, normalized), want)
                << count << " boxes of " << size << ", threshold " << threshold;
            suppressed += order.size() - want.size();
          }
        }
      }
    }
  }
  EXPECT_GT(suppressed, 1000U);
}

/// What a cell costs does not depend on how many samples are wanted of it.
TEST(Boxes, SamplesOfRegionsAreCounted) {
  RoiAlign op;
  op.pooled_height = op.pooled_width = 40;
  op.sampling_ratio = INT_MAX;
  op.aligned = true;
  Graph graph;
  const ValueId x = graph.add_constant(Tensor::of<float>(Shape{1, 1, 2, 2}, std::vector<float>{1, 2, 3, 4}));
  const ValueId boxes = graph.add_constant(Tensor::of<float>(Shape{1, 4}, std::vector<float>{0, 0, 2, 2}));
  const ValueId counts = graph.add_constant(Tensor::of<int32_t>(Shape{1}, std::vector<int32_t>{1}));
  graph.add_output(graph.add(op, {{x}, {boxes}, {counts}}), "y");
  const auto start = std::chrono::steady_clock::now();
  const Tensor y = evaluate_graph(graph, {}).at(0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 20);
  EXPECT_NEAR(y.number(0), 1, 1e-6);
  EXPECT_NEAR(y.number(39), 2, 1e-6);
  EXPECT_NEAR(y.number(40 * 40 - 1), 4, 1e-6);
  double sum = 0;
  for (int64_t i = 0; i < y.count(); ++i) sum += y.number(i);
  EXPECT_NEAR(sum / static_cast<double>(y.count()), 2.5, 1e-6);
}

}  // namespace
}  // namespace coracle::internal
