// SPDX-License-Identifier: Apache-2.0
#include "plan/copy_elision.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "devices/cpu/isa.h"
#include "support/without_kernels.h"

namespace coracle::internal {
namespace {

using test::expect_same_bits_without;
using test::model_of;
using test::random_tensor;
using test::without_kernels;

struct Program {
  const char* name;
  const char* graph;
  std::vector<Shape> shapes;  ///< of its input
  size_t moves;               ///< steps that still move elements of it
};

/// [batch, tokens, channels] for heads, [batch, channels, height, width] for images.
const std::vector<Shape> kTokens = {{1, 9, 48}, {3, 40, 48}, {2, 133, 48}};
const std::vector<Shape> kImages = {{1, 12, 9, 7}, {2, 12, 24, 40}, {3, 12, 1, 1}, {1, 12, 64, 64}};

/// Ways in which programs take heads out of one product, and channels out of an image, and put results together again.
const Program kPrograms[] = {
    {"SplitAndTranspose", R"(graph (%x "x": float32[?, ?, 48]) {
  @axis: int64[] = {2}
  @heads: int64[4] = {0, 0, 2, 8}
  @row: int64[3] = {0, 0, 16}
  [%a, %b, %c] = split_with_num(%x, @axis) {num = 3}
  %d = reshape(%a, @heads)
  %e = reshape(%b, @heads)
  %f = reshape(%c, @heads)
  %q = transpose(%d) {perm = [0, 2, 1, 3]}
  %k = transpose(%e) {perm = [0, 2, 1, 3]}
  %v = transpose(%f) {perm = [0, 2, 1, 3]}
  %g = attention(%q, %k, %v) {scale = 0.3}
  %h = transpose(%g) {perm = [0, 2, 1, 3]}
  %y = reshape(%h, @row)
  %z = relu(%y)
  return %z "y"
})",
     kTokens, 0},
    {"FiveDimensionsAndSlices", R"(graph (%x "x": float32[?, ?, 48]) {
  @heads: int64[5] = {0, -1, 3, 2, 8}
  @row: int64[3] = {0, 0, 16}
  @0: int64[1] = {0}
  @1: int64[1] = {1}
  @2: int64[1] = {2}
  @3: int64[1] = {3}
  %a = reshape(%x, @heads)
  %b = transpose(%a) {perm = [2, 0, 3, 1, 4]}
  %q = slice(%b, @0, @1) {axes = [0], infer_flags = [1], decrease_axis = [0]}
  %k = slice(%b, @1, @2) {axes = [0], infer_flags = [1], decrease_axis = [0]}
  %v = slice(%b, @2, @3) {axes = [0], infer_flags = [1], decrease_axis = [0]}
  %g = attention(%q, %k, %v)
  %h = transpose(%g) {perm = [0, 2, 1, 3]}
  %y = reshape(%h, @row)
  return %y "y"
})",
     kTokens, 0},
    {"Unbind", R"(graph (%x "x": float32[?, ?, 48]) {
  @heads: int64[5] = {0, 0, 3, 2, 8}
  %a = reshape(%x, @heads)
  %b = transpose(%a) {perm = [2, 0, 3, 1, 4]}
  [%q, %k, %v] = unbind(%b)
  %g = attention(%q, %k, %v)
  return %g "y"
})",
     kTokens, 0},
    {"OperandsReadElsewhere", R"(graph (%x "x": float32[?, ?, 48]) {
  @axis: int64[] = {2}
  @heads: int64[4] = {0, 0, 2, 8}
  [%a, %b, %c] = split_with_num(%x, @axis) {num = 3}
  %d = reshape(%a, @heads)
  %e = reshape(%b, @heads)
  %f = reshape(%c, @heads)
  %q = transpose(%d) {perm = [0, 2, 1, 3]}
  %k = transpose(%e) {perm = [0, 2, 1, 3]}
  %v = transpose(%f) {perm = [0, 2, 1, 3]}
  %g = attention(%q, %k, %v)
  %h = transpose(%g) {perm = [0, 2, 1, 3]}
  %i = add(%g, %q)
  return %h "y", %i "sum", %v "values"
})",
     kTokens, 4},
    {"ChannelsOfQueriesApart", R"(graph (%x "x": float32[?, ?, 48]) {
  @0: int64[1] = {0}
  @16: int64[1] = {16}
  @32: int64[1] = {32}
  @48: int64[1] = {48}
  %q = transpose(%x) {perm = [0, 2, 1]}
  %a = slice(%x, @0, @16) {axes = [2]}
  %b = slice(%x, @16, @32) {axes = [2]}
  %k = transpose(%a) {perm = [0, 2, 1]}
  %v = transpose(%b) {perm = [0, 2, 1]}
  %y = attention(%q, %k, %v)
  return %y "y"
})",
     kTokens, 1},
    {"PartsOfRows", R"(graph (%x "x": float32[?, ?, 48]) {
  @1: int64[1] = {1}
  @5: int64[1] = {5}
  @7: int64[1] = {7}
  @end: int64[1] = {1000}
  @m0: int64[1] = {-17}
  @m1: int64[1] = {-1}
  @mask: float32[4, 1] = {0.5, 1, -1, 0}
  %q = slice(%x, @1, @5) {axes = [1]}
  %a = slice(%x, @7, @end) {axes = [1]}
  %k = slice(%a, @1, @end) {axes = [1]}
  %v = slice(%a, @1, @end) {axes = [1]}
  %w = slice(%v, @m0, @m1) {axes = [2]}
  %y = attention(%q, %k, %w, @mask)
  return %y "y"
})",
     kTokens, 0},
    {"MaskWhoseRowsAreColumns", R"(graph (%x "x": float32[?, ?, 48]) {
  %a = transpose(%x) {perm = [0, 2, 1]}
  %m = matmul(%x, %a)
  %b = transpose(%m) {perm = [0, 2, 1]}
  %y = attention(%x, %x, %x, %b) {scale = 0.1}
  return %y "y"
})",
     kTokens, 0},
    {"ConvolutionsIntoConcat", R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @axis: int64[] = {1}
  @w1: float32[20, 12, 1, 1] = random(1)
  @w3: float32[17, 12, 3, 3] = random(2)
  @wd: float32[12, 1, 3, 3] = random(3)
  @w4: float32[8, 3, 3, 3] = random(4)
  %a = conv2d(%x, @w1)
  %b = conv2d(%x, @w3) {paddings = [1, 1]}
  %c = relu(%b)
  %d = conv2d(%x, @wd) {paddings = [1, 1], groups = 12}
  %e = conv2d(%x, @w4) {paddings = [1, 1], groups = 4}
  %g = hardswish(%e)
  %f = concat([%a, %c, %d, %x, %g], @axis)
  %y = relu(%f)
  return %y "y"
})",
     kImages, 1},
    {"WinogradIntoConcat",
     R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @axis: int64[] = {1}
  @w0: float32[64, 12, 1, 1] = random(1)
  @w1: float32[64, 64, 3, 3] = random(2)
  @w2: float32[32, 64, 3, 3] = random(3)
  %a = conv2d(%x, @w0)
  %b = conv2d(%a, @w1) {paddings = [1, 1]}
  %c = conv2d(%a, @w2) {paddings = [1, 1]}
  %d = relu(%c)
  %y = concat([%b, %d], @axis)
  %z = sigmoid(%y)
  return %z "y"
})",
     {{1, 12, 64, 64}, {2, 12, 40, 33}},
     0},
    {"PoolsAndResizedImagesIntoConcat", R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @axis: int64[] = {1}
  @w: float32[20, 12, 1, 1] = random(1)
  @k: int64[2] = {2, 2}
  %i = conv2d(%x, @w)
  %a = pool2d(%i, @k) {strides = [1, 1], padding_algorithm = SAME}
  %b = pool2d(%i, @k) {strides = [2, 2], pooling_type = avg, ceil_mode = true}
  %c = nearest_interp(%b, [], []) {out_h = 18, out_w = 22}
  %d = bilinear_interp(%b, [], []) {out_h = 18, out_w = 22, align_corners = false}
  %y = concat([%c, %d], @axis)
  %z = relu(%y)
  %u = concat([%a, %i], @axis)
  %v = relu(%u)
  return %z "y", %v "v"
})",
     kImages, 1},
    {"HalvesOfChannels", R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @axis: int64[] = {1}
  @w: float32[40, 12, 1, 1] = random(1)
  @wp: float32[20, 20, 1, 1] = random(2)
  @wd: float32[20, 1, 3, 3] = random(3)
  @wk: float32[24, 20, 3, 3] = random(4)
  %i = conv2d(%x, @w)
  %j = relu(%i)
  [%a, %b] = split_with_num(%j, @axis) {num = 2}
  %c = conv2d(%b, @wp)
  %d = relu(%c)
  %e = conv2d(%b, @wd) {paddings = [1, 1], strides = [2, 2], groups = 20}
  %f = conv2d(%b, @wk) {paddings = [1, 1]}
  %y = concat([%a, %d], @axis)
  return %y "y", %e "e", %f "f"
})",
     kImages, 1},
    {"RowsOfABatch", R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @axis: int64[] = {0}
  @w: float32[20, 12, 1, 1] = random(1)
  @v: float32[20, 12, 1, 1] = random(2)
  %a = conv2d(%x, @w)
  %b = conv2d(%x, @v)
  %y = concat([%a, %b, %a], @axis)
  %z = relu(%y)
  return %z "y"
})",
     kImages, 2},
};

size_t moves_of(const std::shared_ptr<const Model>& model, const Tensor& x) {
  Session session(model, {.threads = 1});
  session.set_input(0, x);
  const std::shared_ptr<const Steps> planned = session.explain();
  const std::vector<Step>& steps = planned->steps;
  // A concatenation moves those operands that were not written where they belong.
  size_t moves = 0;
  for (const Step& step : steps) {
    const std::string_view name = step.op.name();
    if (name == "transpose" || name == "slice" || name == "split_with_num" || name == "unbind") ++moves;
    if (name != "concat") continue;
    for (int l : step.in) {
      const SegmentBuffer& part = planned->buffers[static_cast<size_t>(l)];
      if (part.fact.shape.rank() == 4 && (part.view == nullptr || part.alias_of != step.out[0])) ++moves;
    }
  }
  return moves;
}

class CopyElision : public testing::TestWithParam<Program> {};

TEST_P(CopyElision, GivesTheSameBits) {
  expect_same_bits_without(kCopyElision.name, GetParam().graph, GetParam().shapes);
}

TEST_P(CopyElision, MovesNothingThatCanBeReadInPlace) {
  if (cpu::detected_isa() == cpu::Isa::kAny) GTEST_SKIP() << "no vector kernels on this machine";
  const Tensor x = random_tensor(GetParam().shapes.at(0), 1);
  EXPECT_EQ(moves_of(model_of(GetParam().graph), x), GetParam().moves);
  EXPECT_GT(moves_of(model_of(GetParam().graph, without_kernels(kCopyElision.name)), x), GetParam().moves);
}

INSTANTIATE_TEST_SUITE_P(Graphs, CopyElision, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace coracle::internal
