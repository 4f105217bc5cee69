// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "ops/activation/relu.h"
#include "ops/attention/attention.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/rnn/rnn.h"

namespace coracle::internal {
namespace {

/// `counts`: operands at each port; one each where it is left out.
Cost cost(const Op& op, const std::vector<Shape>& in, const Shape& out, PortCounts counts = {}) {
  if (counts.empty()) counts.assign(in.size(), 1);
  std::vector<Fact> facts;
  for (const Shape& shape : in) facts.emplace_back(DType::kFloat32, shape);
  std::vector<const Fact*> operands;
  for (const Fact& f : facts) operands.push_back(&f);
  const Fact result(DType::kFloat32, out);
  const Fact* results[] = {&result};
  const PortCounts one = {1};
  return cost_of(op, NodeFacts(operands, counts, results, one));
}

TEST(Cost, MultiplyAddsCountTwice) {
  // 7 channels of 5 x 4 pixels, each a sum over 3 channels and 3 x 3 taps.
  EXPECT_EQ(cost(Conv2d{}, {{2, 3, 5, 4}, {7, 3, 3, 3}}, {2, 7, 5, 4}).flops, 2 * (2 * 7 * 5 * 4) * (3 * 3 * 3));
  // Depthwise: one channel each.
  EXPECT_EQ(cost(Conv2d{}, {{1, 8, 6, 6}, {8, 1, 3, 3}}, {1, 8, 6, 6}).flops, 2 * (8 * 6 * 6) * 9);
  // Each of 3 x 5 x 4 values goes to 7 channels and 2 x 2 taps.
  EXPECT_EQ(cost(Conv2dTranspose{}, {{1, 3, 5, 4}, {3, 7, 2, 2}}, {1, 7, 10, 8}).flops, 2 * (3 * 5 * 4) * (7 * 4));
  EXPECT_EQ(cost(Linear{}, {{2, 9, 16}, {16, 5}}, {2, 9, 5}).flops, 2 * (2 * 9 * 5) * 16);
  EXPECT_EQ(cost(Matmul{}, {{4, 6, 8}, {4, 8, 3}}, {4, 6, 3}).flops, 2 * (4 * 6 * 3) * 8);
  EXPECT_EQ(cost(Matmul{.transpose_x = true}, {{4, 8, 6}, {4, 8, 3}}, {4, 6, 3}).flops, 2 * (4 * 6 * 3) * 8);
  // Queries [2, 5, 8] against 7 keys, and 7 values of 4.
  EXPECT_EQ(cost(Attention{}, {{2, 5, 8}, {2, 7, 8}, {2, 7, 4}}, {2, 5, 4}).flops, 2 * 2 * 5 * 7 * (8 + 4));
  // 6 steps of 2 sequences through [16, 3] and [16, 4]; the state [1, 2, 4] and the biases are no matrices.
  EXPECT_EQ(cost(Rnn{}, {{6, 2, 3}, {1, 2, 4}, {16, 3}, {16, 4}, {16}, {16}}, {6, 2, 4}, {1, 1, 4}).flops,
            2 * 6 * 2 * (16 * 3 + 16 * 4));
}

TEST(Cost, EverythingElseMovesBytes) {
  const Cost relu = cost(Relu{}, {{3, 5}}, {3, 5});
  EXPECT_EQ(relu.flops, 0);
  EXPECT_EQ(relu.bytes, 2 * 3 * 5 * 4);
  EXPECT_EQ(cost(Matmul{}, {{6, 8}, {8, 3}}, {6, 3}).bytes, 4 * (6 * 8 + 8 * 3 + 6 * 3));
}

TEST(Cost, UnknownAndEmptyShapesCountNothing) {
  const Cost unknown = cost(Conv2d{}, {{Shape::kUnknown, 3, 5, 4}, {7, 3, 3, 3}}, {Shape::kUnknown, 7, 5, 4});
  EXPECT_EQ(unknown.flops, 0);
  EXPECT_EQ(unknown.bytes, 4 * 7 * 27) << "the filter";
  EXPECT_EQ(cost(Conv2d{}, {{0, 3, 5, 4}, {7, 3, 3, 3}}, {0, 7, 5, 4}).flops, 0);
  EXPECT_EQ(cost(Linear{}, {{4, 0}, {0, 0}}, {4, 0}).flops, 0);
}

}  // namespace
}  // namespace coracle::internal
