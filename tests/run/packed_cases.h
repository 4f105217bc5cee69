// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/shape.h"
#include "loading/options.h"

/// Graphs whose kernels pack their constants: one at least for each layout.
namespace coracle::internal::test {

struct Case {
  const char* name;
  const char* graph;
  std::vector<Shape> shapes;
  const char* kernel;                      ///< that some run must take; its name's beginning
  std::vector<std::string> left_out = {};  ///< passes
};

inline ModelOptions options_of(const Case& c, ModelOptions options = {}) {
  options.passes.disabled = c.left_out;
  return options;
}

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

inline const std::vector<Shape> kImages{{1, 16, 32, 32}, {1, 16, 33, 33}, {2, 16, 31, 34}};

inline const Case kCases[] = {
    {"Indirect",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[8, 16, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d.indirect"},
    {"JoinedTaps",
     R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w: float32[8, 3, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     {{1, 3, 32, 32}, {1, 3, 33, 33}, {2, 3, 31, 34}},
     "conv2d.indirect"},
    {"Grouped",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[8, 4, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 4}
  return %1 "y"
})",
     kImages, "conv2d.indirect"},
    {"Winograd",
     R"(graph (%x "x": float32[?, 64, ?, ?]) {
  @w: float32[64, 64, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {paddings = [1, 1]}
  return %1 "y"
})",
     {{1, 64, 6, 6}, {1, 64, 48, 48}, {1, 64, 14, 14}},
     "conv2d.winograd"},
    {"WinogradParts",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[32, 16, 5, 7] = random(1)
  %1 = conv2d(%x, @w) {paddings = [2, 3]}
  return %1 "y"
})",
     {{1, 16, 6, 6}, {1, 16, 24, 25}, {2, 16, 14, 14}},
     "conv2d.winograd_parts"},
    {"Integers",
     R"(graph (%x "x": float32[?, 2, ?, ?]) {
  @s: float32[1] = {12.7}
  @w: float32[3, 2, 1, 2] = {127, 1, -2, 3, 4, -5, -127, 0, 7, 8, 9, 127}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = conv2d(%q, @w)
  return %1 "y"
})",
     {{1, 2, 4, 5}, {2, 2, 1, 9}, {1, 2, 33, 34}},
     "integer_conv2d"},
    {"IntegersInGroups",
     R"(graph (%x "x": float32[?, 6, ?, ?]) {
  @s: float32[1] = {12.7}
  @t: float32[1] = {1.27}
  @i: int8[12, 2, 3, 1] = random(1, -127, 127)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = conv2d(%q, %w) {groups = 3}
  return %1 "y"
})",
     {{1, 6, 4, 5}, {2, 6, 3, 9}, {1, 6, 33, 34}},
     "integer_conv2d"},
    {"IntegersOfFewChannels",
     R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @s: float32[1] = {12.7}
  @t: float32[1] = {1.27}
  @i: int8[5, 3, 3, 3] = random(1, -127, 127)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = conv2d(%q, %w) {paddings = [1, 1]}
  return %1 "y"
})",
     {{1, 3, 4, 5}, {2, 3, 3, 14}, {1, 3, 33, 34}},
     "integer_conv2d"},
    {"IntegersTransposed",
     R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @s: float32[1] = {12.7}
  @t: float32[1] = {1.27}
  @i: int8[3, 2, 3, 2] = random(1, -127, 127)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = conv2d_transpose(%q, %w) {strides = [3, 2]}
  return %1 "y"
})",
     {{1, 3, 4, 4}, {2, 3, 3, 8}, {1, 3, 17, 5}},
     "integer_conv2d.transposed"},
    {"IntegersByWinograd",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @s: float32[1] = {12.7}
  @t: float32[1] = {1.27}
  @i: int8[18, 16, 3, 3] = random(1, -127, 127)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = conv2d(%q, %w) {paddings = [1, 1]}
  return %1 "y"
})",
     {{1, 16, 16, 16}, {2, 16, 14, 15}, {1, 16, 33, 34}},
     "integer_conv2d"},
    {"IntegersOneFilterPerChannel",
     R"(graph (%x "x": float32[?, 2, ?, ?]) {
  @s: float32[1] = {12.7}
  @w: float32[2, 1, 2, 2] = {127, 1, -2, 3, 4, -5, -127, 0}
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s)
  %1 = depthwise_conv2d(%q, @w) {groups = 2}
  return %1 "y"
})",
     {{1, 2, 4, 5}, {2, 2, 3, 9}, {1, 2, 33, 34}},
     "integer_conv2d.depthwise"},
    {"Depthwise",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 1, 3, 3] = random(1)
  %1 = depthwise_conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 16}
  return %1 "y"
})",
     kImages, "conv2d.depthwise"},
    {"Transposed",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 16, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedByThree",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 16, 5, 4] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [3, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedGrouped",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 4, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 4}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedDilated",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 4, 4] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, dilations = [1, 1]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedWithOutputPadding",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, output_padding = [1, 1]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedBlocks",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 2, 2] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.blocks"},
    {"Linear",
     R"(graph (%x "x": float32[?, ?, 48]) {
  @w: float32[48, 33] = random(1)
  %1 = matmul(%x, @w)
  return %1 "y"
})",
     {{1, 5, 48}, {3, 70, 48}, {2, 1, 48}},
     "linear"},
    {"Recurrent",
     R"(graph (%x "x": float32[?, ?, 24]) {
  @h: float32[2, 2, 16] = random(1)
  @w: float32[64, 24] = random(2)
  @u: float32[64, 16] = random(3)
  @v: float32[64, 24] = random(4)
  @z: float32[64, 16] = random(5)
  %1, %2, [%3, %4] = rnn(%x, [@h, @h], [@w, @u, @v, @z]) {mode = LSTM, hidden_size = 16, is_bidirec = true, num_layers = 1}
  return %1 "y"
})",
     {{5, 2, 24}, {1, 2, 24}, {9, 2, 24}},
     "rnn"},
    {"Sequences",
     R"(graph (%x "x": float32[?, 48]) {
  @w: float32[16, 48] = random(1)
  @b: float32[1, 48] = random(2)
  _, _, _, %1 = gru(%x, _, @w, @b)
  return %1 "y"
})",
     {{5, 48}, {1, 48}, {9, 48}},
     "gru"},
    {"Volumes",
     R"(graph (%x "x": float32[?, 8, ?, ?, ?]) {
  @w: float32[16, 8, 3, 3, 3] = random(1)
  %1 = conv3d(%x, @w) {paddings = [1, 1, 1]}
  return %1 "y"
})",
     {{1, 8, 6, 6, 6}, {1, 8, 5, 7, 9}, {2, 8, 4, 4, 4}},
     "conv3d"},
    {"ChannelwiseVolumes",
     R"(graph (%x "x": float32[?, 8, ?, ?, ?]) {
  @w: float32[8, 1, 3, 3, 3] = random(1)
  %1 = conv3d(%x, @w) {paddings = [1, 1, 1], groups = 8}
  return %1 "y"
})",
     {{1, 8, 6, 6, 6}, {1, 8, 5, 7, 9}, {2, 8, 4, 4, 4}},
     "convolution.channelwise"},
    {"Halves",
     R"(graph (%x "x": float32[?, 12]) {
  @w: float16[12] = random(1)
  %1 = cast(%x) {dtype = float16}
  %2 = add(%1, @w)
  %3 = cast(%2) {dtype = float32}
  return %3 "y"
})",
     {{1, 12}, {7, 12}, {2, 12}},
     "add",
     {"widen_half"}},
    {"NarrowHalves",
     R"(graph (%x "x": float32[?, 24]) {
  @w: float16[24, 70] = random(1)
  %1 = cast(@w) {dtype = float32}
  %2 = matmul(%x, %1)
  return %2 "y"
})",
     {{1, 24}, {20, 24}, {2, 24}},
     "linear.narrow"},
    {"NarrowFilter",
     R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w: int8[70, 3, 3, 3] = random(1, -127, 127)
  @s: float32[70] = random(2)
  %1 = dequantize_linear(@w, @s) {quant_axis = 0}
  %2 = conv2d(%x, %1) {strides = [2, 2], padding_algorithm = SAME}
  return %2 "y"
})",
     {{1, 3, 8, 8}, {1, 3, 9, 9}, {2, 3, 7, 6}},
     "conv2d.narrow"},
    {"WeightOnly",
     R"(graph (%x "x": float32[?, 64]) {
  @w: int8[36, 64] = random(1, -127, 127)
  @s: float32[2, 72] = random(2)
  %1 = weight_only_linear(%x, @w, _, @s) {weight_dtype = "int4", group_size = 32}
  return %1 "y"
})",
     {{1, 64}, {20, 64}, {2, 64}},
     "weight_only_linear"},
};

}  // namespace coracle::internal::test
