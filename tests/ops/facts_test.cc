// SPDX-License-Identifier: Apache-2.0
// What operators say of themselves beside their references (OpSchema::reshapes, identity, unary_step, views): the same
// as these compute.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "graph/graph.h"
#include "graph/node_facts.h"
#include "ops/activation/dropout.h"
#include "ops/activation/mish.h"
#include "ops/common/epilogue.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/clip.h"
#include "ops/elementwise/scale.h"
#include "ops/matmul/linear.h"
#include "ops/movement/assign.h"
#include "ops/movement/concat.h"
#include "ops/movement/slice.h"
#include "ops/movement/split.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/transpose.h"
#include "ops/movement/unbind.h"
#include "ops/shape/flatten.h"
#include "ops/shape/flatten2.h"
#include "ops/shape/reshape.h"
#include "ops/shape/squeeze.h"
#include "ops/shape/unsqueeze.h"
#include "ops/shape/view_shape.h"
#include "plan/kernel_selector.h"

namespace coracle::internal {
namespace {

Tensor counting(const Shape& shape) {
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = static_cast<float>(i + 1);
  return t;
}

/// A node alone, its operands as constants, and what its reference makes of them.
class Alone {
 public:
  Alone(Op op, const std::vector<std::vector<Tensor>>& operands, PortCounts results = {}) {
    PortValues values;
    for (const std::vector<Tensor>& port : operands) {
      values.emplace_back();
      for (const Tensor& t : port) values.back().push_back(graph_.add_constant(t));
    }
    id_ = graph_.add_node(std::move(op), values, std::move(results));
    std::vector<Tensor> inputs;
    for (ValueId v : node().inputs) inputs.push_back(*graph_.fact(v).value);
    std::vector<Fact> facts;
    for (ValueId v : node().outputs) facts.push_back(graph_.fact(v));
    results_ = evaluate_node(kNoRun, node(), inputs, facts);
  }

  const OpSchema& schema() const { return node().op.schema(); }
  const void* attributes() const { return node().op.attributes(); }
  FactsOfNode facts() const { return {graph_, node()}; }
  const Tensor& operand(size_t i) const { return *graph_.fact(node().inputs[i]).value; }
  const std::vector<Tensor>& results() const { return results_; }

 private:
  const Node& node() const { return graph_.node(id_); }

  Graph graph_;
  NodeId id_;
  std::vector<Tensor> results_;
};

Tensor ints(const Ints& values) { return Tensor::ints(values); }

std::vector<float> values_of(const Tensor& t) { return {t.data<float>(), t.data<float>() + t.count()}; }

/// The elements of `memory` that a view of a tensor of `shape` sees, in row-major order.
std::vector<float> seen(const StridedView& view, const Shape& shape, const std::vector<float>& memory) {
  std::vector<float> out;
  for (int64_t i = 0; i < shape.count(); ++i) {
    int64_t at = view.start;
    int64_t rest = i;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      at += rest % shape[d] * view.step[d];
      rest /= shape[d];
    }
    out.push_back(memory.at(static_cast<size_t>(at)));
  }
  return out;
}

/// A tensor in larger memory: every second element of it, from the third on.
StridedView spread(const Tensor& t, std::vector<float>& memory) {
  memory.assign(static_cast<size_t>(2 * t.count() + 3), -1.0F);
  for (int64_t i = 0; i < t.count(); ++i) memory[static_cast<size_t>(3 + 2 * i)] = t.data<float>()[i];
  StridedView view = dense_view(Fact(t.dtype(), t.shape()));
  view.start = 3;
  for (int64_t& step : view.step) step *= 2;
  return view;
}

TEST(OperatorFacts, ViewsOfResultsSeeTheirElements) {
  Slice slice;
  slice.axes = {0, 2};
  slice.decrease_axis = {0};
  Transpose transpose;
  transpose.perm = {2, 0, 1};
  const Tensor x = counting({4, 6, 5});
  const Alone cases[] = {Alone(transpose, {{x}}), Alone(slice, {{x}, {ints({1, -3})}, {ints({2, 100})}}),
                         Alone(Split{}, {{x}, {ints({1, 2, 3})}, {ints({1})}}, {3}),
                         Alone(SplitWithNum{.num = 2}, {{x}, {ints({-2})}}, {2}),
                         Alone(Unbind{.axis = -1}, {{x}}, {5})};
  for (const Alone& c : cases) {
    SCOPED_TRACE(c.schema().name);
    std::vector<float> memory;
    const StridedView whole = spread(c.operand(0), memory);
    const FactsOfNode facts = c.facts();
    for (size_t i = 0; i < c.results().size(); ++i) {
      const auto view = c.schema().view_of_result(c.attributes(), facts.facts(), whole, static_cast<int>(i));
      ASSERT_TRUE(view.has_value()) << i;
      EXPECT_EQ(seen(*view, c.results()[i].shape(), memory), values_of(c.results()[i])) << i;
    }
  }
}

TEST(OperatorFacts, ViewsOfOperandsLieInTheResult) {
  Transpose transpose;
  transpose.perm = {1, 2, 0};
  const Alone cases[] = {
      Alone(transpose, {{counting({4, 6, 5})}}),
      Alone(Concat{}, {{counting({2, 3, 2}), counting({2, 1, 2}), counting({2, 4, 2})}, {ints({1})}})};
  for (const Alone& c : cases) {
    SCOPED_TRACE(c.schema().name);
    std::vector<float> memory;
    const StridedView whole = spread(c.results()[0], memory);
    const FactsOfNode facts = c.facts();
    for (int i = 0; i < facts.facts().count(0); ++i) {
      const auto view = c.schema().view_of_operand(c.attributes(), facts.facts(), whole, i);
      ASSERT_TRUE(view.has_value()) << i;
      const Tensor& operand = c.operand(static_cast<size_t>(i));
      EXPECT_EQ(seen(*view, operand.shape(), memory), values_of(operand)) << i;
    }
  }
}

TEST(OperatorFacts, WhatReshapesKeepsItsElements) {
  const Tensor x = counting({3, 1, 4});
  const Alone cases[] = {
      Alone(Reshape{}, {{x}, {ints({2, -1})}}), Alone(Flatten{.start_axis = 0, .stop_axis = 1}, {{x}}),
      Alone(Flatten2{.axis = 2}, {{x}}),        Alone(Squeeze{}, {{x}, {ints({1})}}),
      Alone(Unsqueeze{}, {{x}, {ints({0})}}),   Alone(ViewShape{.dims = {4, 3}}, {{x}})};
  std::set<std::string> seen_names;
  for (const Alone& c : cases) {
    SCOPED_TRACE(c.schema().name);
    seen_names.insert(c.schema().name);
    EXPECT_TRUE(c.schema().reshapes);
    EXPECT_EQ(values_of(c.results()[0]), values_of(x));
  }
  for (const OpSchema* schema : all_ops()) {
    EXPECT_TRUE(!schema->reshapes || seen_names.contains(schema->name)) << schema->name << " has no case here";
  }
}

TEST(OperatorFacts, IdentitiesGiveTheirOperand) {
  const Tensor x = counting({2, 3});
  const auto number = [](float n) { return Tensor::scalar(n); };
  const auto identity = [](const Alone& c) {
    const FactsOfNode facts = c.facts();
    return c.schema().identity(c.attributes(), facts.facts());
  };
  const Alone same[] = {Alone(Assign{}, {{x}}),
                        Alone(Cast{DType::kFloat32}, {{x}}),
                        Alone(Scale{}, {{x}, {number(1)}}),
                        Alone(Concat{}, {{x}, {ints({0})}}),
                        Alone(Dropout{.mode = DropoutMode::kUpscaleInTrain}, {{x}, {}, {number(0.25F)}}),
                        Alone(Dropout{}, {{x}, {}, {number(0)}})};
  for (const Alone& c : same) {
    EXPECT_TRUE(identity(c)) << c.schema().name;
    EXPECT_EQ(values_of(c.results()[0]), values_of(x)) << c.schema().name;
  }
  EXPECT_FALSE(identity(Alone(Cast{DType::kFloat64}, {{x}})));
  EXPECT_FALSE(identity(Alone(Scale{}, {{x}, {number(2)}})));
  EXPECT_FALSE(identity(Alone(Scale{.bias = 1}, {{x}, {number(1)}})));
  EXPECT_FALSE(identity(Alone(Concat{}, {{x, x}, {ints({0})}})));
  EXPECT_FALSE(identity(Alone(Dropout{}, {{x}, {}, {number(0.25F)}})));
}

/// x, and f(x) as the epilogue of a product with 1 has it.
std::vector<float> in_epilogue(const EpilogueStep& step, const Tensor& x) {
  Linear linear;
  linear.epilogue = {step};
  const Tensor column = Tensor::of<float>(Shape{x.count(), 1}, {x.data<float>(), static_cast<size_t>(x.count())});
  return values_of(Alone(linear, {{column}, {counting({1, 1})}, {}}).results()[0]);
}

// Every operator that says which function it is: its reference computes that function where epilogues have it, and the
// CPU has a kernel for it.
TEST(OperatorFacts, UnaryStepsAreWhatReferencesCompute) {
  const std::vector<float> numbers = {-30, -4, -3, -1.5F, -0.25F, 0, 0.125F, 1, 2.75F, 3, 6, 7, 25};
  const Tensor x = Tensor::of<float>(Shape{static_cast<int64_t>(numbers.size())}, numbers);
  const KernelSelector selector(KernelChoice{});
  std::set<EpilogueKind> kinds;
  for (const OpSchema* schema : all_ops()) {
    if (schema->unary_step == nullptr) continue;
    SCOPED_TRACE(schema->name);
    EXPECT_STRNE(selector.kernels(*schema).front()->name, "reference");
    const Alone alone(Op(schema), {{x}});
    const FactsOfNode facts = alone.facts();
    const std::optional<UnaryStep> step = schema->unary_step(alone.attributes(), facts.facts());
    ASSERT_TRUE(step.has_value());
    const std::optional<EpilogueKind> kind = epilogue_kind(step->kind);
    if (!kind) continue;
    kinds.insert(*kind);
    const std::vector<float> expected = values_of(alone.results()[0]);
    const std::vector<float> found = in_epilogue({*kind, step->a, step->b, step->c}, x);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(expected[i]) && std::isnan(found[i])) continue;
      EXPECT_NEAR(found[i], expected[i], 1e-5 * (1 + std::fabs(expected[i]))) << "x is " << numbers[i];
    }
  }
  EXPECT_GE(kinds.size(), 16U);
}

TEST(OperatorFacts, FunctionsWhoseNumbersAreNotKnownHaveNoStep) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {3}));
  const ValueId least = graph.add_input("least", Fact(DType::kFloat32, {1}));
  graph.add(Clip{}, {{x}, {least}, {}});
  const Node& clip = graph.node(graph.order().back());
  const FactsOfNode facts(graph, clip);
  EXPECT_FALSE(clip.op.schema().unary_step(clip.op.attributes(), facts.facts()).has_value());
  Mish early;
  early.threshold = 3;
  const Alone mish(early, {{counting({3})}});
  const FactsOfNode of_mish = mish.facts();
  EXPECT_FALSE(mish.schema().unary_step(mish.attributes(), of_mish.facts()).has_value());
}

}  // namespace
}  // namespace coracle::internal
