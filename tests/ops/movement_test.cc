// SPDX-License-Identifier: Apache-2.0
// What one-operator cases of a file do not show for operators that move elements: unknown dimensions while inferring,
// refused arguments, results whose size depends on the data, tensor arrays, regions.

#include <gtest/gtest.h>

#include "graph/graph.h"
#include "ops/activation/relu.h"
#include "ops/control/array_length.h"
#include "ops/control/array_read.h"
#include "ops/control/array_to_tensor.h"
#include "ops/control/array_write.h"
#include "ops/control/if.h"
#include "ops/creation/int_array.h"
#include "ops/index/embedding.h"
#include "ops/index/gather.h"
#include "ops/index/nonzero.h"
#include "ops/movement/concat.h"
#include "ops/movement/pad3d.h"
#include "ops/movement/slice.h"
#include "ops/movement/split.h"
#include "ops/movement/strided_slice.h"
#include "ops/movement/tile.h"
#include "ops/movement/transpose.h"
#include "ops/shape/squeeze.h"

namespace coracle::internal {
namespace {

constexpr int64_t kAnyDimension = Shape::kUnknown;

Tensor moved_floats(const Shape& shape) {
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = static_cast<float>(i);
  return t;
}

ValueId moved_ints(Graph& graph, Ints values) { return graph.add_constant(Tensor::ints(values)); }

Slice slice_of_axes(Ints axes, Ints decreased = {}) {
  Slice op;
  op.axes = std::move(axes);
  op.decrease_axis = std::move(decreased);
  return op;
}

StridedSlice strided_slice_of_axis_0() {
  StridedSlice op;
  op.axes = {0};
  return op;
}

/// The inferred shape of operator `op` on x of `shape` and constant integer operands.
Shape movement_inferred(const Op& op, const Shape& shape, const std::vector<Ints>& operands) {
  Graph graph;
  PortValues inputs{{graph.add_input("x", Fact(DType::kFloat32, shape))}};
  for (const Ints& values : operands) inputs.push_back({moved_ints(graph, values)});
  return graph.fact(graph.add(op, inputs)).shape;
}

std::string movement_refusal(const Op& op, const Shape& shape, const std::vector<Ints>& operands) {
  try {
    movement_inferred(op, shape, operands);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    return e.text();
  }
  return "accepted";
}

ErrorCode run_failure(const Graph& graph, std::span<const Tensor> inputs) {
  try {
    evaluate_graph(graph, inputs);
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::kInvalidArgument;
}

TEST(Moving, UnknownDimensionsStayUnknown) {
  EXPECT_EQ(movement_inferred(Transpose{.perm = {0, 2, 1}}, {kAnyDimension, 3, kAnyDimension}, {}),
            (Shape{kAnyDimension, kAnyDimension, 3}));
  EXPECT_EQ(movement_inferred(slice_of_axes({0}), {kAnyDimension, 3}, {{0}, {2}}), (Shape{kAnyDimension, 3}));
  EXPECT_EQ(movement_inferred(slice_of_axes({0}, {0}), {kAnyDimension, 3}, {{0}, {1}}), (Shape{3}));
  EXPECT_EQ(movement_inferred(Squeeze{}, {1, 3, 1}, {}), (Shape{3}));
  EXPECT_FALSE(movement_inferred(Squeeze{}, {kAnyDimension, 3}, {{0}}).rank_known());
  EXPECT_EQ(movement_inferred(Tile{}, {kAnyDimension, 2}, {{2, 3, 4}}), (Shape{2, kAnyDimension, 8}));
}

TEST(Moving, BoundsAreClampedAsPaddleDoes) {
  EXPECT_EQ(movement_inferred(slice_of_axes({0, 1}), {5, 4}, {{-100, 1}, {INT32_MAX, -1}}), (Shape{5, 2}));
  EXPECT_EQ(movement_inferred(slice_of_axes({0}), {5}, {{4}, {2}}), (Shape{0}));
  StridedSlice legacy = strided_slice_of_axis_0();
  legacy.legacy_bounds = true;
  EXPECT_EQ(movement_inferred(legacy, {5}, {{4}, {-1}, {-2}}), (Shape{3}));
  EXPECT_EQ(movement_inferred(strided_slice_of_axis_0(), {5}, {{4}, {-1}, {-2}}), (Shape{0}));
  EXPECT_EQ(movement_inferred(strided_slice_of_axis_0(), {5}, {{0}, {100}, {INT64_MAX}}), (Shape{1}));
}

TEST(Moving, WrongArgumentsAreRefused) {
  EXPECT_NE(movement_refusal(Transpose{.perm = {0, 0}}, {2, 3}, {}).find("twice"), std::string::npos);
  EXPECT_NE(movement_refusal(slice_of_axes({0}, {0}), {3}, {{3}, {4}}).find("expected 1"), std::string::npos);
  EXPECT_NE(movement_refusal(strided_slice_of_axis_0(), {3}, {{0}, {3}, {0}}).find("step"), std::string::npos);
  EXPECT_NE(movement_refusal(Squeeze{}, {3}, {{1}}).find("axis"), std::string::npos);
  EXPECT_NE(movement_refusal(Pad3d{.mode = "reflect"}, {1, 1, 2, 2, 2}, {{2, 0, 0, 0, 0, 0}}).find("reflecting"),
            std::string::npos);
  EXPECT_NE(movement_refusal(Tile{}, {2}, {}).find("repeat_times"), std::string::npos);
}

TEST(Moving, OfAnAxisNamedTwiceTheLastSliceHolds) {
  Graph graph;
  StridedSlice op;
  op.axes = {1, 1};
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2, 6}));
  graph.add_output(
      graph.add(op, {{x}, {moved_ints(graph, {1, 4})}, {moved_ints(graph, {6, 0})}, {moved_ints(graph, {2, -2})}}),
      "out");
  const std::vector<Tensor> inputs{moved_floats({2, 6})};
  EXPECT_EQ(evaluate_graph(graph, inputs)[0].integers(), (Ints{4, 2, 10, 8}));
}

TEST(Moving, SectionsMustAddUp) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {6, 2}));
  const NodeId node = graph.add_node(Split{}, {{x}, {moved_ints(graph, {1, -1})}, {}}, {2});
  EXPECT_EQ(graph.fact(graph.node(node).output(0, 1)).shape, (Shape{5, 2}));
  EXPECT_THROW(graph.add_node(Split{}, {{x}, {moved_ints(graph, {3, 4})}, {}}, {2}), Error);
}

TEST(Moving, ScalarsJoinLikeOneElement) {
  Graph graph;
  const ValueId a = graph.add_input("a", Fact(DType::kFloat32, Shape{}));
  const ValueId b = graph.add_input("b", Fact(DType::kFloat32, {2}));
  graph.add_output(graph.add(Concat{}, {{a, b}, {}}), "out");
  const std::vector<Tensor> inputs{Tensor::scalar(7.0F), moved_floats({2})};
  const Tensor out = evaluate_graph(graph, inputs)[0];
  EXPECT_EQ(out.integers(), (Ints{7, 0, 1}));
}

TEST(Moving, IntegersOfAListAreKnownWhileInferring) {
  Graph graph;
  const ValueId list =
      graph.add(IntArray{}, {{graph.add_constant(Tensor::scalar<int32_t>(2)), moved_ints(graph, {3})}});
  ASSERT_NE(graph.fact(list).value, nullptr);
  EXPECT_EQ(graph.fact(list).value->integers(), (Ints{2, 3}));
}

TEST(Moving, IndicesOutOfRangeFailTheRun) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {3, 2}));
  const ValueId index = graph.add_input("index", Fact(DType::kInt64, {1}));
  graph.add_output(graph.add(Gather{}, {{x}, {index}, {}}), "rows");
  graph.add_output(graph.add(Embedding{}, {{index}, {x}}), "embedded");
  for (const int64_t i : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN}) {
    const std::vector<Tensor> inputs{moved_floats({3, 2}), Tensor::ints(Ints{i})};
    EXPECT_EQ(run_failure(graph, inputs), ErrorCode::kRunFailure) << i;
  }
}

TEST(Moving, SizesThatDependOnDataAreUnknownUntilTheRun) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2, 2}));
  const ValueId found = graph.add(Nonzero{}, {{x}});
  EXPECT_EQ(graph.fact(found).shape, (Shape{kAnyDimension, 2}));
  graph.add_output(found, "out");
  const std::vector<Tensor> inputs{moved_floats({2, 2})};
  EXPECT_EQ(evaluate_graph(graph, inputs)[0].integers(), (Ints{0, 1, 1, 0, 1, 1}));
}

TEST(Moving, ArraysKeepTheirOwnElements) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2}));
  const ValueId one = graph.add(ArrayWrite{}, {{}, {x}, {moved_ints(graph, {0})}});
  const ValueId two = graph.add(ArrayWrite{}, {{one}, {x}, {moved_ints(graph, {1})}});
  graph.add_output(graph.add(ArrayLength{}, {{one}}), "length of the first");
  graph.add_output(graph.add(ArrayRead{}, {{two}, {moved_ints(graph, {1})}}), "element");
  graph.add_output(graph.add(ArrayToTensor{.use_stack = true}, {{two}}), "all");
  const std::vector<Tensor> inputs{moved_floats({2})};
  const std::vector<Tensor> out = evaluate_graph(graph, inputs);
  EXPECT_EQ(out[0].integers(), (Ints{1}));
  EXPECT_EQ(out[1].integers(), (Ints{0, 1}));
  EXPECT_EQ(out[2].shape(), (Shape{2, 2}));
  graph.add_output(graph.add(ArrayRead{}, {{two}, {moved_ints(graph, {2})}}), "missing");
  EXPECT_EQ(run_failure(graph, inputs), ErrorCode::kRunFailure);
}

/// A region that gives its argument changed by `op`.
std::shared_ptr<Graph> region_of(const Op& op, const std::vector<Ints>& operands) {
  auto graph = std::make_shared<Graph>();
  PortValues inputs{{graph->add_input("x", Fact(DType::kFloat32, Shape::unknown_rank()))}};
  for (const Ints& values : operands) inputs.push_back({moved_ints(*graph, values)});
  graph->add_output(graph->add(op, inputs), "out");
  return graph;
}

TEST(Moving, IfGivesWhatBothRegionsAgreeOn) {
  Graph graph;
  const ValueId condition = graph.add_input("condition", Fact(DType::kBool, {1}));
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {2, 3}));
  const NodeId node = graph.add_node(If{}, {{condition}, {x}}, {1}, "if_0",
                                     {region_of(Relu{}, {}), region_of(slice_of_axes({0}), {{0}, {1}})});
  EXPECT_EQ(graph.fact(graph.node(node).output()).shape, (Shape{kAnyDimension, 3}));
  graph.add_output(graph.node(node).output(), "out");
  for (const bool yes : {false, true}) {
    const std::vector<Tensor> inputs{Tensor::of<bool>({1}, std::span<const bool>(&yes, 1)), moved_floats({2, 3})};
    EXPECT_EQ(evaluate_graph(graph, inputs)[0].shape(), (Shape{yes ? 2 : 1, 3}));
  }
}

}  // namespace
}  // namespace coracle::internal
