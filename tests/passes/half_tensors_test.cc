// SPDX-License-Identifier: Apache-2.0
#include "passes/half_tensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "graph/text.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

bool takes_all(const Node& /*node*/, std::span<const Fact> /*in*/, std::span<const Fact> /*out*/) { return true; }

/// Nothing but operators of these names.
TakesTypes taking(std::set<std::string> names) {
  return [names = std::move(names)](const Node& node, std::span<const Fact> /*in*/, std::span<const Fact> /*out*/) {
    return names.contains(node.op.schema().name);
  };
}

struct Narrow {
  int count;
  std::string text;
};

Narrow narrow(std::string_view text, const TakesTypes& takes = takes_all) {
  Graph graph = parse(text);
  const int count = half_tensors(graph, takes);
  verify(graph, true);
  return {count, print(graph)};
}
std::string printed(std::string_view text) { return print(parse(text)); }

const char* const kTwoProducts = R"(graph (%x: float32[?, 4]) {
  @w: float32[4, 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9, -1e9, 0.1, 0, 0, 0, inf}
  %a = exp(%x)
  %b = matmul(%a, @w)
  %c = relu(%b)
  %d = softmax(%c)
  %e = matmul(%d, @w)
  %f = tanh(%e)
  return %f, %c
})";

TEST(HalfTensors, ProductsAndWhatLiesBetweenThem) {
  const Narrow narrowed = narrow(kTwoProducts);
  EXPECT_EQ(narrowed.count, 4);
  EXPECT_EQ(narrowed.text, printed(R"(graph (%x: float32[?, 4]) {
  @w: float16[4, 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 65504, -65504, 0.1, 0, 0, 0, inf}
  %a = exp(%x)
  %1 = cast(%a) {dtype = float16}
  %b = matmul(%1, @w)
  %c = relu(%b)
  %2 = cast(%c) {dtype = float32}
  %d = softmax(%c)
  %e = matmul(%d, @w)
  %3 = cast(%e) {dtype = float32}
  %f = tanh(%3)
  return %f, %2
})"));
}

TEST(HalfTensors, WhatNoKernelTakesStaysAsItIs) {
  const Narrow nothing = narrow(kTwoProducts, taking({"softmax", "relu"}));
  EXPECT_EQ(nothing.count, 0) << "there is no product";
  EXPECT_EQ(nothing.text, printed(kTwoProducts));
  const Narrow around = narrow(kTwoProducts, taking({"matmul", "relu"}));
  EXPECT_EQ(around.count, 2) << "relu leads to no product";
  EXPECT_NE(around.text.find("softmax"), std::string::npos);
  EXPECT_EQ(around.text, printed(R"(graph (%x: float32[?, 4]) {
  @w: float16[4, 4] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 65504, -65504, 0.1, 0, 0, 0, inf}
  %a = exp(%x)
  %1 = cast(%a) {dtype = float16}
  %b = matmul(%1, @w)
  %2 = cast(%b) {dtype = float32}
  %c = relu(%2)
  %d = softmax(%c)
  %3 = cast(%d) {dtype = float16}
  %e = matmul(%3, @w)
  %4 = cast(%e) {dtype = float32}
  %f = tanh(%4)
  return %f, %c
})"));
}

TEST(HalfTensors, ArgumentsAndIntegersStay) {
  const char* const graph = R"(graph (%x: float32[1, 2, 4, 4], %i: int64[2, 4]) {
  @w: float32[2, 2, 1, 1] = {1, 2, 3, 4}
  @s: float32[1] = {2}
  %a = conv2d(%x, @w)
  %b = scale(%a, @s)
  %c = conv2d(%b, @w)
  %d = add(%i, %i)
  return %c, %d
})";
  const Narrow narrowed = narrow(graph);
  EXPECT_EQ(narrowed.count, 3);
  EXPECT_EQ(narrowed.text, printed(R"(graph (%x: float32[1, 2, 4, 4], %i: int64[2, 4]) {
  @w: float16[2, 2, 1, 1] = {1, 2, 3, 4}
  @s: float32[1] = {2}
  %1 = cast(%x) {dtype = float16}
  %a = conv2d(%1, @w)
  %b = scale(%a, @s)
  %c = conv2d(%b, @w)
  %2 = cast(%c) {dtype = float32}
  %d = add(%i, %i)
  return %2, %d
})"));
}

/// And there is nothing to do a second time.
TEST(HalfTensors, RandomProgramsGiveNearlyTheSame) {
  int changed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Graph before = test::random_graph(seed, 30);
    Graph graph = before;
    const int count = half_tensors(graph, takes_all);
    verify(graph, true);
    changed += count;
    const std::vector<Tensor> inputs = test::inputs_for(before, seed);
    const std::vector<Tensor> expected = evaluate_graph(before, inputs);
    const std::vector<Tensor> results = evaluate_graph(graph, inputs);
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i].dtype(), expected[i].dtype());
      ASSERT_EQ(results[i].shape(), expected[i].shape());
      double error = 0;
      double square = 0;
      for (int64_t k = 0; k < results[i].count(); ++k) {
        error += std::pow(results[i].number(k) - expected[i].number(k), 2);
        square += std::pow(expected[i].number(k), 2);
      }
      EXPECT_LE(error, 1e-4 * square) << "seed " << seed << ", result " << i;
    }
    EXPECT_EQ(half_tensors(graph, takes_all), 0) << "seed " << seed;
  }
  EXPECT_GT(changed, 60);
}

}  // namespace
}  // namespace coracle::internal
