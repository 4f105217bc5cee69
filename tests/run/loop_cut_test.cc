// SPDX-License-Identifier: Apache-2.0
#include "run/loop_cut.h"

#include <gtest/gtest.h>

#include "graph/text.h"

namespace coracle::internal {
namespace {

TEST(LoopCut, IsWhereAValueThatGrowsIsReadFirst) {
  EXPECT_EQ(loop_cut(parse(R"(graph (%go: bool[1], %v: float32[?, 4], %h: float32[1, 4], %x: float32[1, 4]) {
    @axis: int32[1] = {0}
    %a = add(%h, %x)
    %b = exp(%a)
    %s = softmax(%v)
    %longer = concat([%v, %b], @axis)
    return %go, %longer, %b })")),
            2U);
}

TEST(LoopCut, IsNowhereWithoutOne) {
  EXPECT_EQ(loop_cut(parse(R"(graph (%go: bool[1], %v: float32[?, 4], %h: float32[1, 4], %x: float32[1, 4]) {
    @axis: int32[1] = {0}
    %joined = concat([%h, %x], @axis)
    %other = concat([%v, %x], @axis)
    return %go, %joined, %other })")),
            size_t{SIZE_MAX})
      << "neither has what it takes the place of";
}

}  // namespace
}  // namespace coracle::internal
