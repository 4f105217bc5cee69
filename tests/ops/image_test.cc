// SPDX-License-Identifier: Apache-2.0
// What one-operator cases of a file do not show for convolutions, pooling, resizing and recurrent operators: unknown
// dimensions while inferring, refused arguments, data that does not fit.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "graph/graph.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/conv_pool/unpool.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/norm/batch_norm.h"
#include "ops/rnn/gru.h"

namespace coracle::internal {
namespace {

constexpr int64_t kAnySize = Shape::kUnknown;

/// The inferred shape of result 0 for float32 operands of these shapes, each the only value of its port.
Shape image_inferred(const Op& op, const std::vector<Shape>& shapes, const PortValues& more = {}) {
  Graph graph;
  PortValues inputs;
  for (const Shape& s : shapes) inputs.push_back({graph.add_input("", Fact(DType::kFloat32, s))});
  inputs.insert(inputs.end(), more.begin(), more.end());
  return graph.fact(graph.add(op, inputs)).shape;
}

/// The same with a last operand of constant integers.
Shape inferred_with(const Op& op, const Shape& x, const Ints& values) {
  Graph graph;
  const ValueId input = graph.add_input("", Fact(DType::kFloat32, x));
  return graph.fact(graph.add(op, {{input}, {graph.add_constant(Tensor::ints(values))}})).shape;
}

Conv2d convolution_with(Ints strides, Ints paddings, Ints dilations, int groups = 1) {
  Conv2d op;
  op.strides = std::move(strides);
  op.paddings = std::move(paddings);
  op.dilations = std::move(dilations);
  op.groups = groups;
  return op;
}

TEST(Convolution, KeepsUnknownDimensions) {
  EXPECT_EQ(image_inferred(Conv2d{}, {{kAnySize, 3, kAnySize, 8}, {4, 3, 3, 3}}), (Shape{kAnySize, 4, kAnySize, 6}));
  EXPECT_EQ(image_inferred(Conv2d{}, {Shape::unknown_rank(), {4, 3, 3, 3}}),
            (Shape{kAnySize, kAnySize, kAnySize, kAnySize}));
}

TEST(Convolution, SameIgnoresDilation) {
  Conv2d op = convolution_with({2, 2}, {9, 9}, {5, 5});
  op.padding_algorithm = PaddingAlgorithm::kSame;
  EXPECT_EQ(image_inferred(op, {{1, 3, 7, 8}, {4, 3, 3, 3}}), (Shape{1, 4, 4, 4}));
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  EXPECT_THROW(image_inferred(Conv2d{}, {{1, 3, 8, 8}, {4, 2, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(Conv2d{}, {{1, 3, 2, 2}, {4, 3, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(convolution_with({0, 1}, {0, 0}, {1, 1}), {{1, 3, 8, 8}, {4, 3, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(convolution_with({1, 1}, {0, -1}, {1, 1}), {{1, 3, 8, 8}, {4, 3, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(convolution_with({1, 1}, {0, 0, 0}, {1, 1}), {{1, 3, 8, 8}, {4, 3, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(convolution_with({1, 1}, {0, 0}, {int64_t{1} << 40, 1}), {{1, 3, 8, 8}, {4, 3, 3, 3}}),
               Error);
  EXPECT_THROW(image_inferred(convolution_with({1, 1}, {0, 0}, {1, 1}, 3), {{1, 3, 8, 8}, {4, 1, 3, 3}}), Error);
  EXPECT_THROW(image_inferred(convolution_with({1, 1}, {0, 0}, {1, 1}, 0), {{1, 3, 8, 8}, {4, 3, 3, 3}}), Error);
}

TEST(Convolution, TransposedSizes) {
  Conv2dTranspose op;
  op.strides = {2, 2};
  EXPECT_EQ(image_inferred(op, {{1, 3, 4, kAnySize}, {3, 2, 2, 2}}), (Shape{1, 2, 8, kAnySize}));
  op.output_padding = {1, 1};
  EXPECT_EQ(image_inferred(op, {{1, 3, 4, 4}, {3, 2, 2, 2}}), (Shape{1, 2, 9, 9}));
  op.output_padding = {2, 2};
  EXPECT_THROW(image_inferred(op, {{1, 3, 4, 4}, {3, 2, 2, 2}}), Error);
}

TEST(Pooling, KernelMayBeUnknown) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2, 3, 8, 8}));
  const ValueId size = graph.add_input("size", Fact(DType::kInt64, {2}));
  EXPECT_EQ(graph.fact(graph.add(Pool2d{}, {{x}, {size}})).shape, (Shape{2, 3, kAnySize, kAnySize}));
}

TEST(Pooling, SizesAndRefusals) {
  Pool2d op;
  EXPECT_EQ(inferred_with(op, {kAnySize, 3, 8, kAnySize}, {2, 2}), (Shape{kAnySize, 3, 7, kAnySize}));
  EXPECT_THROW(inferred_with(op, {1, 3, 8, 8}, {0, 2}), Error);
  EXPECT_THROW(inferred_with(op, {1, 3, 8, 8}, {9, 2}), Error);
  EXPECT_THROW(inferred_with(op, {1, 3, 8}, {2, 2}), Error);
  op.adaptive = true;
  EXPECT_EQ(inferred_with(op, {1, 3, kAnySize, kAnySize}, {2, 5}), (Shape{1, 3, 2, 5}));
  op.adaptive = false;
  op.global_pooling = true;
  EXPECT_EQ(inferred_with(op, {1, 3, kAnySize, kAnySize}, {2, 5}), (Shape{1, 3, 1, 1}));
}

TEST(Unpool, RefusesAnIndexOutsideTheResult) {
  Unpool op;
  op.ksize = {2, 2};
  op.strides = {2, 2};
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {1, 1, 1, 2}));
  const ValueId at = graph.add_input("indices", Fact(DType::kInt32, {1, 1, 1, 2}));
  graph.add_output(graph.add(op, {{x}, {at}}), "y");
  const std::vector<float> values{1, 2};
  const auto run = [&](std::vector<int32_t> indices) {
    const Tensor in[] = {Tensor::of<float>({1, 1, 1, 2}, values), Tensor::of<int32_t>({1, 1, 1, 2}, indices)};
    return evaluate_graph(graph, in)[0];
  };
  EXPECT_EQ(run({0, 7}).number(7), 2);
  EXPECT_THROW(run({0, 8}), Error);
  EXPECT_THROW(run({-1, 0}), Error);
}

TEST(Interpolation, SizeOperandMayBeUnknown) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2, 3, 8, 8}));
  const ValueId size = graph.add_input("size", Fact(DType::kInt32, {2}));
  EXPECT_EQ(graph.fact(graph.add(BilinearInterp{}, {{x}, {size}})).shape, (Shape{2, 3, kAnySize, kAnySize}));
  EXPECT_THROW(graph.add(BilinearInterp{}, {{x}}), Error);
}

TEST(Interpolation, SizeComesBeforeScale) {
  BilinearInterp op;
  op.scale = {2, 3};
  EXPECT_EQ(image_inferred(op, {{1, 3, 4, kAnySize}}), (Shape{1, 3, 8, kAnySize}));
  EXPECT_EQ(inferred_with(op, {1, 3, 4, 4}, {5, 6}), (Shape{1, 3, 5, 6}));
  EXPECT_THROW(inferred_with(op, {1, 3, 4, 4}, {5, 0}), Error);
  EXPECT_THROW(inferred_with(op, {1, 3, 4, 4}, {5}), Error);
}

TEST(BatchNorm, RefusesOtherChannelNumbers) {
  const Shape five{5};
  const Shape three{3};
  EXPECT_EQ(image_inferred(BatchNorm{}, {{kAnySize, 3, 2, 2}, three, three, three, three}), (Shape{kAnySize, 3, 2, 2}));
  EXPECT_THROW(image_inferred(BatchNorm{}, {{1, 3, 2, 2}, three, three, five, three}), Error);
}

/// Intel's processors gave these numbers, all 2048 that there are between 1 and 4.
TEST(BatchNorm, EstimatesInverseRootsAsIntelsProcessorsDo) {
  EXPECT_EQ(estimate_of_inverse_root(1.0F), 0x1.ffep-1F);
  EXPECT_EQ(estimate_of_inverse_root(2.0F), 0x1.69fp-1F);
  EXPECT_EQ(estimate_of_inverse_root(0x1p-126F), 0x1.ffep+62F);
  EXPECT_EQ(estimate_of_inverse_root(0x1.ffffp+127F), estimate_of_inverse_root(0x1.ffffp+1F) * 0x1p-63F);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 2048; ++i) {
    const float x = std::bit_cast<float>(0x3F800000U + (i << 13U));
    sum = sum * 0x100000001B3U + std::bit_cast<uint32_t>(estimate_of_inverse_root(x));
  }
  EXPECT_EQ(sum, 0x7BA703B119B7D800U);
}

TEST(BatchNorm, InverseRootsOfWhatIsNotNormalAreExact) {
  EXPECT_EQ(estimated_inverse_root(0.0F), std::numeric_limits<float>::infinity());
  EXPECT_EQ(estimated_inverse_root(std::numeric_limits<float>::infinity()), 0.0F);
  EXPECT_EQ(estimated_inverse_root(0x1p-140F), 0x1p70F);
  EXPECT_TRUE(std::isnan(estimated_inverse_root(-1.0F)));
}

TEST(Gru, RefusesOffsetsThatDoNotFitTheRows) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {4, 3}));
  const std::vector<float> weight{0.1F, 0.2F, 0.3F};
  const ValueId w = graph.add_constant(Tensor::of<float>({1, 3}, weight));
  graph.add_output(graph.add(Gru{}, {{x}, {}, {w}, {}}), "hidden");
  const std::vector<float> rows(12, 0.5F);
  Tensor in = Tensor::of<float>({4, 3}, rows);
  in.set_lod({{0, 1, 4}});
  const Tensor hidden = evaluate_graph(graph, std::span<const Tensor>(&in, 1))[0];
  EXPECT_EQ(hidden.lod(), (Lod{{0, 1, 4}}));
  EXPECT_EQ(hidden.number(0), hidden.number(1));
  EXPECT_NE(hidden.number(1), hidden.number(2));
  in.set_lod({{0, 1, 5}});
  EXPECT_THROW(evaluate_graph(graph, std::span<const Tensor>(&in, 1)), Error);
}

}  // namespace
}  // namespace coracle::internal
