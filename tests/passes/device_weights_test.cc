// SPDX-License-Identifier: Apache-2.0
#include "passes/device_weights.h"

#include <gtest/gtest.h>

#include "graph/patch.h"
#include "graph/text.h"

namespace coracle::internal {
namespace {

TEST(DeviceWeights, AreFloatsOrLieAlongTheirSums) {
  Graph graph = parse(R"(graph (%x: float32[2, 3], %i: float32[1, 1, 4, 4], %q: int8[2, 3], %c: int8[3, 2]) {
  @w: int8[3, 2] = {1, -2, 3, 4, 5, -6}
  @h: float16[3, 2] = {1, 0.5, 3, 4, 5, -6}
  @f: int8[1, 1, 1, 2] = {7, -8}
  %0 = linear(%x, @w, [])
  %1 = linear(%x, @h, [])
  %2 = linear(%x, @w, [])
  %3 = conv2d_fused(%i, @f, [])
  %4 = integer_linear(%q, @w, []) {epilogue = ["relu"], result_scale = 2.5}
  %5 = integer_linear(%q, @w, [])
  %6 = integer_linear(%q, %c, [])
  return %0, %1, %2, %3, %4, %5, %6
})");
  EXPECT_EQ(device_weights(graph), 6);
  verify(graph, true);
  EXPECT_EQ(print(graph),
            print(parse(R"(graph (%x: float32[2, 3], %i: float32[1, 1, 4, 4], %q: int8[2, 3], %c: int8[3, 2]) {
  @w: float32[3, 2] = {1, -2, 3, 4, 5, -6}
  @h: float32[3, 2] = {1, 0.5, 3, 4, 5, -6}
  @f: float32[1, 1, 1, 2] = {7, -8}
  @t: int8[2, 3] = {1, 3, 5, -2, 4, -6}
  %0 = linear(%x, @w, [])
  %1 = linear(%x, @h, [])
  %2 = linear(%x, @w, [])
  %3 = conv2d_fused(%i, @f, [])
  %4 = integer_linear(%q, @t, []) {transpose_w = true, epilogue = ["relu"], result_scale = 2.5}
  %5 = integer_linear(%q, @t, []) {transpose_w = true}
  %6 = integer_linear(%q, %c, [])
  return %0, %1, %2, %3, %4, %5, %6
})")));
  EXPECT_EQ(device_weights(graph), 0);
}

}  // namespace
}  // namespace coracle::internal
