// SPDX-License-Identifier: Apache-2.0
#include "model/regions.h"

#include <gtest/gtest.h>

#include "graph/patch.h"
#include "graph/text.h"
#include "passes/pass.h"

namespace coracle::internal {
namespace {

/// A loop whose tensor grows; the branch inside reads its size.
const char* const kGrowing = R"(graph (%n: int64[1], %x: float32[1]) {
  @zero: int64[1] = {0}
  %go = less_than(@zero, %n)
  [%i, %y] = while(%go, [@zero, %x], [%n]) graph (%go: bool[1], %i: int64[1], %v: float32[1], %n: int64[1]) {
    @axis: int32[1] = {0}
    %longer = concat([%v, %v], @axis)
    %next = scale(%i) {bias = 1}
    %again = less_than(%next, %n)
    [%z] = if(%again, [%longer]) graph (%u: float32[2]) {
      %size = shape(%u)
      %real = cast(%size) {dtype = float32}
      %w = add(%u, %real)
      return %w
    } graph (%u: float32[2]) {
      return %u
    }
    return %again, %next, %z
  }
  return %y
})";

TEST(Regions, TypesThatALoopChangesReachTheBranchesInside) {
  Graph graph = parse(kGrowing);
  NodeId loop = graph.order().back();
  widen_region(graph, loop);
  Graph& region = *graph.node(loop).regions[0];
  EXPECT_EQ(region.fact(region.inputs()[2]).shape, Shape{Shape::kUnknown});
  const Graph& branch = *region.node(region.order().back()).regions[0];
  EXPECT_EQ(branch.fact(branch.inputs()[0]).shape, Shape{Shape::kUnknown});
  EXPECT_EQ(branch.fact(branch.node(branch.order()[0]).output(0)).value, nullptr) << "the size is not known";
  verify(graph, true);

  const auto results = [](const Graph& g) {
    const int64_t n = 3;
    const float x = 1;
    return evaluate_graph(g, std::vector<Tensor>{Tensor::ints({&n, 1}), Tensor::of<float>({1}, {&x, 1})})[0].doubles();
  };
  const std::vector<double> expected = results(graph);
  run_passes(graph, {.disabled = {}, .verify_types = true});
  EXPECT_EQ(results(graph), expected);
  EXPECT_EQ(expected.size(), 8U);
}

}  // namespace
}  // namespace coracle::internal
