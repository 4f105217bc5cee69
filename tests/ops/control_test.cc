// SPDX-License-Identifier: Apache-2.0
// Operators on tensor arrays that exporters write for training programs only: the real Paddle has no cases of them.
#include <gtest/gtest.h>

#include "graph/graph.h"
#include "ops/control/tensor_to_array.h"
#include "ops/logic/has_elements.h"

namespace coracle::internal {
namespace {

Fact array_input() {
  Fact fact(DType::kFloat32, Shape::unknown_rank());
  fact.is_array = true;
  return fact;
}

Tensor array_of(const std::vector<Shape>& shapes) {
  Tensor array = Tensor::array(DType::kFloat32);
  for (const Shape& shape : shapes) array.elements().push_back(Tensor::make(DType::kFloat32, shape));
  return array;
}

TEST(ArrayOperators, HasElements) {
  Graph graph;
  graph.add_output(graph.add(HasElements{}, {{graph.add_input("x", array_input())}}), "y");
  EXPECT_EQ(evaluate_graph(graph, std::vector<Tensor>{array_of({})})[0].number(0), 0);
  EXPECT_EQ(evaluate_graph(graph, std::vector<Tensor>{array_of({{2}})})[0].number(0), 1);
}

std::vector<Tensor> parts_of(const TensorToArray& op, const Tensor& array, const Tensor& whole) {
  Graph graph;
  const ValueId x = graph.add_input("x", array_input());
  const ValueId y = graph.add_input("whole", Fact(whole.dtype(), whole.shape()));
  graph.add_output(graph.add(op, {{x}, {y}}), "parts");
  return evaluate_graph(graph, std::vector<Tensor>{array, whole})[0].elements();
}

TEST(ArrayOperators, TensorToArrayTakesAJoinedTensorApart) {
  const Tensor whole = Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> joined = parts_of({.axis = 1}, array_of({{2, 1}, {2, 2}}), whole);
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].doubles(), (std::vector<double>{1, 4}));
  EXPECT_EQ(joined[1].shape(), (Shape{2, 2}));
  EXPECT_EQ(joined[1].doubles(), (std::vector<double>{2, 3, 5, 6}));
  const std::vector<Tensor> stacked = parts_of({.axis = 0, .use_stack = true}, array_of({{3}, {3}}), whole);
  ASSERT_EQ(stacked.size(), 2U);
  EXPECT_EQ(stacked[1].shape(), Shape{3});
  EXPECT_EQ(stacked[1].doubles(), (std::vector<double>{4, 5, 6}));
  EXPECT_THROW(parts_of({.axis = 1}, array_of({{2, 1}, {2, 1}}), whole), Error);
  EXPECT_THROW(parts_of({.axis = 1}, array_of({{2, 2}, {2, 2}}), whole), Error);
}

}  // namespace
}  // namespace coracle::internal
