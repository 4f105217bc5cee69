// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "graph/text.h"
#include "passes/passes.h"

namespace coracle::internal {
namespace {

TEST(IntegerRegions, ReasonsOfWhatStaysInFloat32) {
  Graph graph = parse(R"(graph (%x: float32[2, 3], %i: float32[1, 4, 4, 4], %m: float32[3, 2], %s: float32[1]) {
  @w: float32[3, 2] = {127, -64, 0, 254, -1, 2}
  @v: float32[3, 1] = {1, 0.30103, 0.4771213}
  @f: float32[4, 4, 1, 1] = random(2)
  @t: float32[4, 1, 2, 2] = random(1)
  @k: float32[1] = {12.7}
  @l: float32[3] = {1, 2, 3}
  @z: float32[1] = {3}
  %a = fake_quantize_dequantize_moving_average_abs_max(%x, @k)
  %b = fake_quantize_dequantize_moving_average_abs_max(%i, @k)
  %c = fake_quantize_dequantize_moving_average_abs_max(%x, %s)
  %d = fake_quantize_dequantize_moving_average_abs_max(%x, @k) {bit_length = 4}
  %e = quantize_linear(%x, @k, @z, _, _) {quant_axis = -1}
  %g = dequantize_linear(%e, @k, _, _, _) {quant_axis = -1}
  %y0 = linear(%a, @w, [])
  %y1 = linear(%a, @v, [])
  %y2 = linear(%x, @w, [])
  %y3 = linear(%c, @w, [])
  %y4 = linear(%d, @w, [])
  %y5 = linear(%g, @w, [])
  %y6 = matmul(%a, %m)
  %y7 = conv2d_fused(%b, @f, []) {data_format = NHWC}
  %y8 = conv2d_transpose_fused(%b, @t, []) {strides = [2, 2]}
  %y9 = relu(%a)
  %y10 = conv2d_transpose_fused(%b, @t, []) {strides = [1, 2]}
  %y11 = conv2d_transpose_fused(%b, @t, []) {strides = [2, 2], groups = 2}
  %y12 = matmul(%x, %a) {transpose_y = true}
  %y13 = matmul(%a, @l)
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12, %y13
})");
  RewriteBudget unlimited(-1);
  const auto reasons = [&] {
    const std::vector<std::string> all = why_left(graph);
    std::vector<std::string> list;
    for (const ValueId v : graph.outputs()) list.push_back(all[index(graph.value(v).producer)]);
    return list;
  };
  const std::string left_out = "the rewrite integer_regions was left out";
  EXPECT_EQ(reasons().front(), left_out);
  EXPECT_EQ(run_pass(integer_regions(), graph, unlimited), 1);
  const std::string no_scale = "its operand is not rounded with one constant scale and 8 bits";
  const std::vector<std::string> expected = {"",
                                             "its weights are not integers of one step for each channel",
                                             "its operand is not rounded to steps",
                                             no_scale,
                                             no_scale,
                                             "its operand has a zero point",
                                             "its operand is not rounded to steps",
                                             "no operator on integers for NHWC",
                                             "its weights are not integers of one step for each channel",
                                             "",
                                             "no operator on integers for transposed filters that overlap or are cut",
                                             "no operator on integers for groups of a transposed convolution",
                                             "its operand is not rounded to steps",
                                             "no operator on integers for vectors"};
  EXPECT_EQ(reasons(), expected);
}

}  // namespace
}  // namespace coracle::internal
