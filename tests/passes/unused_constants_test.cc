// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "graph/text.h"
#include "passes/pass.h"

namespace coracle {
namespace {

size_t constant_bytes(const Graph& graph) {
  size_t bytes = 0;
  for (size_t i = 0; i < graph.value_count(); ++i) {
    const Value& v = graph.value(ValueId{static_cast<int32_t>(i)});
    if (v.is_constant()) bytes += v.fact.value->bytes();
  }
  return bytes;
}

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
  EXPECT_EQ(constant_bytes(graph), (16U * 3 * 3 * 3 + 16) * sizeof(float)) << print(graph);
}

TEST(UnusedConstants, StayWhereTheyAreUsed) {
  Graph graph = parse(R"(
    graph (%x: float32[2, 4]) {
      @w: float32[4, 4] = random(1)
      %0 = matmul(%x, @w)
      return %0 "out", @w "weights"
    })");
  run_passes(graph, {});
  EXPECT_EQ(constant_bytes(graph), 16U * sizeof(float)) << print(graph);
}

}  // namespace
}  // namespace coracle
