// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "graph/text.h"
#include "passes/pass.h"
#include "passes/pass_cases.h"

namespace coracle::internal {
namespace {

TEST(UnusedConstants, GiveTheirElementsBack) {
  Graph graph = parse(R"(
    graph (%x: float32[1, 3, 8, 8]) {
      @filter: float32[16, 3, 3, 3] = random(1)
      @variance: float32[16] = random(2, 1, 2)
      @mean: float32[16] = random(3)
      %0 = conv2d(%x, @filter)
      %1 = batch_norm(%0, @mean, @variance, @mean, @mean)
      return %1 "out"
    })");
  run_passes(graph, {});
  // What is left is one filter and one number for each channel.
  EXPECT_EQ(test::constant_bytes(graph), (16U * 3 * 3 * 3 + 16) * sizeof(float)) << print(graph);
}

TEST(UnusedConstants, StayWhereTheyAreUsed) {
  Graph graph = parse(R"(
    graph (%x: float32[2, 4]) {
      @w: float32[4, 4] = random(1)
      %0 = matmul(%x, @w)
      return %0 "out", @w "weights"
    })");
  run_passes(graph, {});
  EXPECT_EQ(test::constant_bytes(graph), 16U * sizeof(float)) << print(graph);
}

}  // namespace
}  // namespace coracle::internal
