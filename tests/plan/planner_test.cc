// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/text.h"
#include "passes/pass.h"
#include "support/check_steps.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

/// Plans the first segment of a graph.
class Planning {
 public:
  explicit Planning(Graph graph) : graph_(std::move(graph)), selector_(KernelChoice{}) {}
  explicit Planning(std::string_view text) : Planning(parse(text)) {}

  Steps plan(const std::vector<Shape>& shapes, size_t position = 0) {
    std::vector<Fact> facts(graph_.value_count());
    for (size_t i = 0; i < facts.size(); ++i) facts[i] = graph_.fact(ValueId{static_cast<int32_t>(i)});
    for (size_t i = 0; i < shapes.size(); ++i) {
      const ValueId input = graph_.inputs()[i];
      facts[index(input)] = Fact(graph_.fact(input).dtype, shapes[i]);
    }
    return plan_segment(graph_, GraphUses(graph_), position, facts,
                        {.selector = &selector_, .packed = &packed_, .pool = &pool_});
  }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  KernelSelector selector_;
  PackedWeights packed_;
  ThreadPool pool_{2};
};

using Names = std::vector<std::string>;

Names ops(const Steps& steps) {
  Names out;
  for (const Step& step : steps.steps) out.emplace_back(step.op.name());
  return out;
}

const Slot& slot_of(const Steps& steps, const Graph& graph, size_t node) {
  const ValueId v = graph.node(graph.order()[node]).output(0);
  const auto it =
      std::find_if(steps.buffers.begin(), steps.buffers.end(), [&](const SegmentBuffer& l) { return l.value == v; });
  return it->slot;
}

/// True if the first results of two nodes lie at the same place.
bool same_place(const Steps& steps, const Graph& graph, size_t node, size_t other) {
  const Slot& a = slot_of(steps, graph, node);
  const Slot& b = slot_of(steps, graph, other);
  return a.kind == b.kind && a.offset == b.offset && a.external == b.external;
}

TEST(Planner, ResultsAreTensorsOfTheSession) {
  Planning p("graph (%x: float32[?]) { %a = relu(%x) %b = abs(%a) return %b }");
  const Steps steps = p.plan({{100}});
  EXPECT_EQ(ops(steps), (Names{"relu", "abs"}));
  ASSERT_EQ(steps.live_out.size(), 1U);
  EXPECT_EQ(slot_of(steps, p.graph(), 1).kind, Slot::Kind::kExternal);
  EXPECT_EQ(steps.stop, 2U);
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
}

TEST(Planner, WhatNobodyNeedsDoesNotRun) {
  Planning p(R"(graph (%x: float32[?, 6]) {
    @axis: int32[1] = {0}
    @begin: int64[1] = {0}
    @end: int64[1] = {1}
    @rest: int32[1] = {-1}
    %dead = exp(%x)
    %shape = shape(%x)
    %rows = slice(%shape, @begin, @end) {axes = [0]}
    %target = concat([%rows, @rest], @axis)
    %a = relu(%x)
    %y = reshape(%a, %target)
    %z = abs(%y)
    return %z })");
  const Steps steps = p.plan({{5, 6}});
  EXPECT_EQ(ops(steps), (Names{"relu", "abs"})) << "shape arithmetic is done, the reshape is a view";
}

TEST(Planner, ResultsThatAreKnownAreConstants) {
  Planning p("graph (%x: float32[?, 6]) { %shape = shape(%x) return %shape }");
  const Steps steps = p.plan({{5, 6}});
  EXPECT_TRUE(steps.steps.empty());
  ASSERT_EQ(steps.live_out.size(), 1U);
  const SegmentBuffer& result = steps.buffers[static_cast<size_t>(steps.live_out[0].buffer)];
  EXPECT_EQ(result.slot.kind, Slot::Kind::kConstant);
  EXPECT_EQ(result.fact.value->integers(), (std::vector<int64_t>{5, 6}));
}

TEST(Planner, ViewsLieWhereTheirTensorLies) {
  Planning p(R"(graph (%x: float32[?, 6]) {
    @shape: int64[2] = {-1, 3}
    %a = exp(%x)
    %v = reshape(%a, @shape)
    %b = softmax(%v)
    %c = add(%b, %v)
    return %c })");
  const Steps steps = p.plan({{5, 6}});
  EXPECT_EQ(ops(steps), (Names{"exp", "softmax", "add"}));
  EXPECT_TRUE(same_place(steps, p.graph(), 0, 1));
  EXPECT_FALSE(same_place(steps, p.graph(), 1, 2)) << "the view is read again";
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
}

TEST(Planner, InPlaceWhereTheOperandIsNotNeededAnyMore) {
  Planning p("graph (%x: float32[?]) { %a = exp(%x) %b = relu(%a) %c = abs(%b) %d = add(%b, %c) return %d }");
  const Steps steps = p.plan({{1000}});
  EXPECT_TRUE(same_place(steps, p.graph(), 0, 1)) << "relu(a) over a";
  EXPECT_FALSE(same_place(steps, p.graph(), 1, 2)) << "b is read again";
  EXPECT_TRUE(same_place(steps, p.graph(), 1, 3)) << "the sum over b";
  EXPECT_EQ(steps.arena_bytes, 4032U) << "c alone: the others are one tensor, the result";
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
}

TEST(Planner, InputsAreNeverOverwritten) {
  Planning p("graph (%x: float32[?]) { %a = relu(%x) %b = abs(%a) return %b, %x }");
  EXPECT_EQ(test::memory_complaint(p.graph(), p.plan({{1000}})), "");
}

TEST(Planner, AnInputOfTheSegmentMayBeAResultInAnotherShape) {
  Planning p(R"(graph (%x: float32[?, 6]) {
    @shape: int64[2] = {-1, 3}
    %v = reshape(%x, @shape)
    return %v })");
  const Steps steps = p.plan({{5, 6}});
  ASSERT_EQ(steps.live_out.size(), 1U);
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
  EXPECT_EQ(steps.steps.size(), 1U) << "a result has memory of its own";
}

int count(const Names& names, const std::string& name) {
  return static_cast<int>(std::count(names.begin(), names.end(), name));
}

TEST(Planner, ConvolutionsRunChannelsLastAndRelayoutStandsAtTheBorders) {
  const std::string convolutions = R"(graph (%x: float32[?, 4, ?, ?]) {
    @w: float32[4, 4, 3, 3] = random(1)
    %a = conv2d_fused(%x, @w, []) {paddings = [1, 1]}
    %b = conv2d_fused(%x, @w, []) {paddings = [1, 1]}
    %c = add(%a, %b)
    %d = relu(%c)
    %e = conv2d_fused(%d, @w, []) {paddings = [1, 1]}
    return %e })";
  Planning p(convolutions);
  const Steps steps = p.plan({{1, 4, 9, 9}});
  const Names names = ops(steps);
  if (std::string_view(steps.steps[1].kernel->name) == "reference") GTEST_SKIP() << "no vector kernels on this machine";
  EXPECT_EQ(count(names, "relayout"), 2) << "the input once for both, and the result";
  EXPECT_EQ(names.front(), "relayout");
  EXPECT_EQ(names.back(), "relayout");
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
  EXPECT_EQ(count(ops(p.plan({{1, 4, 1, 1}})), "relayout"), 0) << "one pixel is the same in both orders";
}

TEST(Planner, OperatorsThatKnowOneOrderGetIt) {
  Planning p(R"(graph (%x: float32[?, 4, ?, ?]) {
    @w: float32[4, 4, 3, 3] = random(1)
    %a = conv2d_fused(%x, @w, []) {paddings = [1, 1]}
    %b = cumsum(%a)
    %c = conv2d_fused(%b, @w, []) {paddings = [1, 1]}
    return %a, %c })");
  const Steps steps = p.plan({{1, 4, 9, 9}});
  for (const Step& step : steps.steps) {
    if (std::string_view(step.op.name()) != "cumsum") continue;
    EXPECT_EQ(steps.buffers[static_cast<size_t>(step.in[0])].fact.layout, Layout::kRowMajor);
    EXPECT_EQ(steps.buffers[static_cast<size_t>(step.out[0])].fact.layout, Layout::kRowMajor);
  }
  for (const LiveOut& out : steps.live_out) {
    EXPECT_EQ(steps.buffers[static_cast<size_t>(out.buffer)].fact.layout, Layout::kRowMajor);
  }
  EXPECT_EQ(test::memory_complaint(p.graph(), steps), "");
}

TEST(Planner, SegmentsEndBeforeSizesThatDependOnData) {
  Planning p(R"(graph (%x: float32[?]) {
    %a = relu(%x)
    %n = nonzero(%a)
    %b = cast(%n) {dtype = float32}
    return %b })");
  const Steps first = p.plan({{10}});
  EXPECT_EQ(first.stop, 1U);
  EXPECT_EQ(ops(first), Names{"relu"});
  ASSERT_EQ(first.live_out.size(), 1U) << "what the next segment needs outlives this one";
  EXPECT_EQ(p.plan({{10}}, 1).stop, 1U) << "the node itself runs on its own";
}

TEST(Planner, SegmentsEndBeforeRegions) {
  Planning p(R"(graph (%c: bool[1], %x: float32[?]) {
    %a = relu(%x)
    [%y] = if(%c, [%a]) graph (%v: float32[?]) { return %v } graph (%v: float32[?]) { return %v }
    return %y })");
  EXPECT_EQ(p.plan({{1}, {10}}).stop, 1U);
}

TEST(Planner, ShapesThatDoNotFitAreErrors) {
  Planning p("graph (%x: float32[?, ?], %y: float32[?, ?]) { %a = matmul(%x, %y) return %a }");
  try {
    p.plan({{2, 3}, {4, 5}});
    FAIL() << "3 is not 4";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("matmul_0"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("x float32[2, 3], y float32[4, 5]"), std::string::npos) << e.text();
  }
}

TEST(Planner, WeightsArePackedOnceForAllShapes) {
  Planning p(R"(graph (%x: float32[?, 4, ?, ?]) {
    @w: float32[4, 4, 3, 3] = random(1)
    %a = conv2d_fused(%x, @w, []) {paddings = [1, 1]}
    return %a })");
  const auto packed = [&](const Shape& shape) -> std::shared_ptr<const void> {
    const Steps steps = p.plan({shape});
    for (const Step& step : steps.steps) {
      if (step.prepared.weights != nullptr) return step.prepared.weights;
    }
    return nullptr;
  };
  EXPECT_EQ(packed({1, 4, 9, 9}), packed({1, 4, 9, 9}));
}

class RandomPlans : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPlans, NothingNeededIsOverwritten) {
  for (const bool rewritten : {false, true}) {
    Graph graph = test::random_graph(GetParam(), 40);
    if (rewritten) run_passes(graph, {});
    Planning p(std::move(graph));
    for (const Shape& shape : {Shape{1, 4, 8, 8}, Shape{3, 4, 5, 7}, Shape{2, 4, 1, 1}, Shape{1, 4, 1, 40}}) {
      const Steps steps = p.plan({shape});
      EXPECT_EQ(steps.stop, p.graph().order().size());
      EXPECT_EQ(test::memory_complaint(p.graph(), steps), "") << text(shape) << '\n' << print(p.graph());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(0U, 20U));

}  // namespace
}  // namespace coracle::internal
