// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <gtest/gtest.h>

#include <functional>

#include "graph/patch.h"
#include "graph/text.h"
#include "ops/activation/relu.h"
#include "ops/elementwise/add.h"
#include "support/graph_access.h"

namespace coracle::internal {
namespace {

using access = GraphTestAccess;

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

Tensor floats(const std::vector<float>& values) {
  return Tensor::of<float>(Shape{static_cast<int64_t>(values.size())}, values);
}

TEST(Graph, NodesAreInferredAsTheyAreAdded) {
  Graph g;
  const ValueId x = g.add_input("x", {DType::kFloat32, {Shape::kUnknown, 3}});
  const ValueId y = g.add(Relu{}, {{x}});
  EXPECT_EQ(g.fact(y).shape, (Shape{Shape::kUnknown, 3}));
  EXPECT_EQ(g.node(g.value(y).producer).name, "relu_0");
  const ValueId wrong = g.add_input("wrong", {DType::kFloat32, {1, 4}});
  const std::string error = error_of([&] { g.add(Add{}, {{y}, {wrong}}, "my_add"); });
  EXPECT_NE(error.find("add (my_add)"), std::string::npos) << error;
  EXPECT_NE(error.find("x float32[?, 3], y float32[1, 4]"), std::string::npos) << error;
  EXPECT_EQ(g.order().size(), 1U);
}

TEST(Graph, OperandsMustFitThePorts) {
  Graph g;
  const ValueId x = g.add_input("x", {DType::kFloat32, {2}});
  EXPECT_NE(error_of([&] { g.add(Relu{}, {{x}, {x}}); }).find("takes 1 operand, given 2"), std::string::npos);
  EXPECT_NE(error_of([&] { g.add(Relu{}, {{x, x}}); }).find("'x' needs one value, given 2"), std::string::npos);
  EXPECT_NE(error_of([&] { g.add(Relu{}, {{kNoValue}}); }).find("'x' needs one value, given 0"), std::string::npos);
  EXPECT_NE(error_of([&] { g.add(Add{}, {{x}}); }).find("'y' needs one value, given 0"), std::string::npos);
}

TEST(Graph, OptionalResultsExistOnRequestOnly) {
  Graph g = parse(R"(graph (%x: float32[1, 2, 4]) {
    @c: float32[2] = {1, 2}
    %y, _, %v = batch_norm(%x, @c, @c)
    return %y, %v })");
  const Node& node = g.node(g.order()[0]);
  EXPECT_EQ(node.output_counts, (PortCounts{1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(node.output(0), g.outputs()[0]);
  EXPECT_EQ(node.output(1), kNoValue);
  EXPECT_EQ(node.output(2), g.outputs()[1]);
  EXPECT_EQ(node.input(3), kNoValue);
}

TEST(Graph, SmallKnownOperandsAreComputedWhileInferring) {
  const Graph g = parse(R"(graph (%x: float32[2, ?]) {
    @rest: int64[1] = {-1}
    @axis: int32[1] = {0}
    %four = scale(@rest) {bias = 5}
    %target = concat([%four, @rest], @axis)
    %y = reshape(%x, %target)
    return %y })");
  EXPECT_EQ(g.fact(g.node(g.order()[1]).output(0)).value->integers(), (std::vector<int64_t>{4, -1}));
  EXPECT_EQ(g.fact(g.outputs()[0]).shape, (Shape{4, Shape::kUnknown}));
}

TEST(Graph, ShapesOfANewInputReachAllValues) {
  const Graph g = parse(R"(graph (%x: float32[?, 4, 2]) {
    %shape = shape(%x)
    @zero: float32[1] = {0}
    %zeros = full_with_tensor(@zero, %shape)
    return %x })");
  EXPECT_FALSE(g.fact(g.node(g.order()[1]).output(0)).known());
  const std::vector<Fact> facts = infer_graph(g, std::vector<Fact>{{DType::kFloat32, {3, 4, 2}}});
  EXPECT_EQ(facts[index(g.node(g.order()[0]).output(0))].value->integers(), (std::vector<int64_t>{3, 4, 2}));
  EXPECT_EQ(facts[index(g.node(g.order()[1]).output(0))].shape, (Shape{3, 4, 2}));
}

TEST(Graph, NodesGoInFrontOfOthers) {
  Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) return %b }");
  Patch patch(g, g.order()[1]);
  patch.replace(g.node(g.order()[0]).output(0), patch.add(Add{}, {{g.inputs()[0]}, {g.inputs()[0]}}));
  patch.commit();
  EXPECT_EQ(remove_dead(g), 1);
  verify(g, true);
  EXPECT_EQ(print(g), print(parse("graph (%x: float32[2]) { %a = add(%x, %x) %b = abs(%a) return %b }")));
}

TEST(Graph, UsesCountOperandsAndOutputs) {
  const Graph g = parse("graph (%x: float32[2]) { %a = add(%x, %x) %b = relu(%a) return %a, %a }");
  const std::vector<int> uses = g.use_counts();
  EXPECT_EQ(uses[index(g.inputs()[0])], 2);
  EXPECT_EQ(uses[index(g.outputs()[0])], 3);
}

TEST(Graph, RunsByReference) {
  const Graph g = parse(R"(graph (%c: bool[1], %x: float32[?]) {
    @two: float32[1] = {2}
    [%y] = if(%c, [%x]) graph (%v: float32[?]) {
      @two: float32[1] = {2}
      %r = multiply(%v, @two)
      return %r
    } graph (%v: float32[?]) {
      return %v
    }
    %z = add(%y, @two)
    return %z })");
  for (bool condition : {true, false}) {
    const std::vector<Tensor> out =
        evaluate_graph(g, std::vector<Tensor>{Tensor::of<bool>({1}, {&condition, 1}), floats({1, 5})});
    EXPECT_EQ(out[0].doubles(), condition ? (Floats{4, 12}) : (Floats{3, 7}));
  }
  EXPECT_THROW(evaluate_graph(g, std::vector<Tensor>{floats({1})}), Error);
}

// ---- verify

/// A graph of two nodes that `damage` breaks.
std::string complaint(const std::function<void(Graph&)>& damage, bool infer = false) {
  Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) return %b }");
  verify(g, true);
  damage(g);
  return error_of([&] { verify(g, infer); });
}

TEST(Verify, OperandsAreDefinedBeforeTheirUse) {
  const auto damage = [](Graph& g) { access::node(g, g.order()[0]).inputs[0] = g.node(g.order()[1]).output(0); };
  EXPECT_EQ(complaint(damage), "node relu_0 uses a value before it is defined");
}

TEST(Verify, OperandsAreValuesOfTheGraph) {
  const auto damage = [](Graph& g) { access::node(g, g.order()[0]).inputs[0] = ValueId{99}; };
  EXPECT_EQ(complaint(damage), "node relu_0 uses a value before it is defined");
}

TEST(Verify, OutputsAreDefined) {
  const auto damage = [](Graph& g) { access::remove_node(g, g.order()[1]); };
  EXPECT_EQ(complaint(damage), "an output of the program is not defined");
}

TEST(Verify, ResultsKnowTheirProducer) {
  const auto damage = [](Graph& g) { access::value(g, g.node(g.order()[0]).output(0)).producer = g.order()[1]; };
  EXPECT_EQ(complaint(damage), "a result of node relu_0 belongs to another node");
}

TEST(Verify, PortsAreThoseOfTheOperator) {
  const auto damage = [](Graph& g) { access::node(g, g.order()[0]).input_counts.push_back(0); };
  EXPECT_EQ(complaint(damage), "node relu_0 has wrong operand ports");
}

TEST(Verify, CountsAgreeWithTheValues) {
  const auto operands = [](Graph& g) { access::node(g, g.order()[0]).input_counts[0] = 2; };
  EXPECT_EQ(complaint(operands), "node relu_0 has wrong operand ports");
  const auto results = [](Graph& g) { access::node(g, g.order()[0]).output_counts[0] = 2; };
  EXPECT_EQ(complaint(results), "node relu_0 has wrong result ports");
}

TEST(Verify, RegionsAreThoseOfTheOperator) {
  const auto damage = [](Graph& g) { access::node(g, g.order()[0]).regions.push_back(std::make_shared<Graph>()); };
  EXPECT_EQ(complaint(damage), "node relu_0 has 1 region, expected 0");
}

TEST(Verify, RecordedTypesAreThoseInferred) {
  const auto damage = [](Graph& g) { access::value(g, g.node(g.order()[0]).output(0)).fact.shape = Shape{3}; };
  EXPECT_EQ(complaint(damage), "no error");
  EXPECT_EQ(complaint(damage, true), "a result of node relu_0 is recorded as float32[3] but is float32[2]");
  const auto dtype = [](Graph& g) { access::value(g, g.node(g.order()[1]).output(0)).fact.dtype = DType::kInt32; };
  EXPECT_EQ(complaint(dtype, true), "a result of node abs_1 is recorded as int32[2] but is float32[2]");
}

TEST(Verify, RegionsAreGraphsToo) {
  Graph g = parse(R"(graph (%c: bool[1], %x: float32[2]) {
    [%y] = if(%c, [%x]) graph (%v: float32[2]) { %r = relu(%v) return %r } graph (%v: float32[2]) { return %v }
    return %y })");
  Graph& region = *g.node(g.order()[0]).regions[0];
  verify(g, true);
  access::node(region, region.order()[0]).inputs[0] = region.node(region.order()[0]).output(0);
  EXPECT_EQ(error_of([&] { verify(g, false); }), "node relu_0 uses a value before it is defined");
}

}  // namespace
}  // namespace coracle::internal
