// SPDX-License-Identifier: Apache-2.0
// Products of integers are those of the same numbers in float32, times what an integer stands for.
#include <gtest/gtest.h>

#include "base/convert.h"
#include "graph/graph.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/matmul/matmul.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"

namespace coracle::internal {
namespace {

/// int8 numbers from -128 (or, as weights, -127) to 127.
Tensor integers(const Shape& shape, int least = -128) {
  Tensor t = Tensor::make(DType::kInt8, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<int8_t>()[i] = static_cast<int8_t>(least + i * 37 % (128 - least));
  return t;
}

Tensor run_integers(const Op& op, const std::vector<Tensor>& inputs) {
  Graph graph;
  PortValues values;
  for (const Tensor& t : inputs) values.push_back({graph.add_input("x", Fact(t.dtype(), t.shape()))});
  while (values.size() < op.schema().inputs.size()) values.emplace_back();
  const NodeId node = graph.add_node(op, values, {1});
  graph.add_output(graph.node(node).output(0), "y");
  return evaluate_graph(graph, inputs).front();
}

/// `op` gives `factor` times what `plain` gives for the same numbers in float32.
void expect_product(const Op& op, const Op& plain, const std::vector<Tensor>& inputs, float factor) {
  std::vector<Tensor> reals;
  for (size_t i = 0; i < 2; ++i) reals.push_back(converted(kNoRun, inputs[i], DType::kFloat32));
  const Tensor got = run_integers(op, inputs);
  const Tensor expected = run_integers(plain, reals);
  ASSERT_EQ(got.shape(), expected.shape());
  ASSERT_EQ(got.dtype(), DType::kFloat32);
  for (int64_t i = 0; i < got.count(); ++i) {
    ASSERT_EQ(got.data<float>()[i], factor * expected.data<float>()[i]) << i;
  }
}

TEST(Integers, ConvolutionsInGroups) {
  IntegerConv2d op;
  op.groups = 3;
  op.epilogue = {{EpilogueKind::kMultiplyChannel}};
  Conv2d plain;
  plain.groups = 3;
  const Tensor factor = Tensor::of<float>(Shape{9}, std::vector<float>(9, 0.5F));
  expect_product(op, plain, {integers({2, 6, 4, 5}), integers({9, 2, 3, 2}, -127), factor}, 0.5F);
}

TEST(Integers, TransposedConvolutions) {
  const Tensor factor = Tensor::of<float>(Shape{4}, std::vector<float>(4, 0.25F));
  for (const Ints& paddings : {Ints{0, 0}, Ints{1, 0}}) {
    for (const int groups : {1, 2}) {
      IntegerConv2d op;
      op.transposed = true;
      op.strides = {2, 1};
      op.paddings = paddings;
      op.groups = groups;
      op.epilogue = {{EpilogueKind::kMultiplyChannel}};
      Conv2dTranspose plain;
      static_cast<ConvolutionAttributes&>(plain) = op;
      expect_product(op, plain, {integers({2, 6, 3, 4}), integers({6, 4 / groups, 2, 3}, -127), factor}, 0.25F);
    }
  }
}

TEST(Integers, SeveralMatrices) {
  IntegerLinear op;
  op.epilogue = {{EpilogueKind::kScaleShift, 0.125F, 0}};
  Matmul plain;
  for (const bool transposed : {false, true}) {
    op.transpose_w = plain.transpose_y = transposed;
    const auto matrices = [&](Shape batch) {
      batch.push_back(transposed ? 5 : 7);
      batch.push_back(transposed ? 7 : 5);
      return integers(batch);
    };
    expect_product(op, plain, {integers({2, 3, 4, 7}), matrices({2, 3})}, 0.125F);
    expect_product(op, plain, {integers({2, 3, 4, 7}), matrices({})}, 0.125F);
    expect_product(op, plain, {integers({3, 1, 4, 7}), matrices({2})}, 0.125F);
    expect_product(op, plain, {integers({7}), matrices({2})}, 0.125F);
    expect_product(op, plain, {integers({2, 0, 7}), matrices({2})}, 0.125F);
  }
}

TEST(Integers, LongestSumsAreExact) {
  IntegerLinear op;
  const int64_t depth = IntegerProduct::kMostComputedProducts;
  Tensor x = Tensor::make(DType::kInt8, Shape{1, depth});
  std::fill_n(x.data<int8_t>(), depth, int8_t{-128});
  const Tensor got = run_integers(op, {x, x.reshaped(Shape{depth, 1})});
  EXPECT_EQ(got.data<float>()[0], 16384.0F * static_cast<float>(depth));
}

TEST(Integers, OperandsThatDoNotFitAreRefused) {
  const auto refused = [](const Op& op, const std::vector<Tensor>& inputs, const std::string& reason) {
    try {
      run_integers(op, inputs);
      ADD_FAILURE() << "expected: " << reason;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    }
  };
  refused(IntegerLinear{}, {integers({2, 3}), integers({3})}, "w has shape [3], expected matrices");
  refused(IntegerLinear{}, {integers({2, 3}), integers({4, 5})}, "3 against 4");
  refused(IntegerLinear{}, {integers({2, 3}), Tensor::make(DType::kFloat32, Shape{3, 2})}, "expected int8");
  IntegerConv2d transposed;
  transposed.transposed = true;
  refused(transposed, {integers({1, 3, 4, 4}), integers({2, 3, 2, 2})}, "expects 2");
  refused(transposed, {integers({1, 3, 4, 4}), integers({3, 2})}, "expected 4 dimensions");
}

}  // namespace
}  // namespace coracle::internal
