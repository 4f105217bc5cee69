// SPDX-License-Identifier: Apache-2.0
#include "graph/pattern.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/activation/abs.h"
#include "ops/activation/relu.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/scale.h"
#include "ops/movement/split_with_num.h"
#include "ops/norm/batch_norm.h"

namespace coracle::internal {
namespace {

/// Positions in the program order at which a pattern matches.
std::vector<int> places(const Graph& graph, const Pattern& pattern, PatternSlot root) {
  const std::vector<int> uses = graph.use_counts();
  std::vector<int> found;
  for (size_t p = 0; p < graph.order().size(); ++p) {
    Match match(graph, uses);
    if (match.match(pattern, root, graph.order()[p])) found.push_back(static_cast<int>(p));
  }
  return found;
}

using Places = std::vector<int>;

TEST(Pattern, ChainsOfOperatorsMatch) {
  const Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) %c = abs(%b) return %c }");
  Pattern p;
  const auto relu = p.op<Relu>({p.any()});
  const auto root = p.op<Abs>({relu});
  EXPECT_EQ(places(g, p, root), Places{1});
}

TEST(Pattern, SlotsGiveValuesNodesAttributesAndTensors) {
  const Graph g = parse(R"(graph (%x: float32[2]) {
    @c: float32[2] = {3, 4}
    %a = scale(%x) {bias = 5}
    %b = add(%a, @c)
    return %b })");
  Pattern p;
  const auto x = p.any();
  const auto c = p.constant();
  const auto scale = p.op<Scale>({x});
  const auto root = p.op<Add>({scale, c});
  const std::vector<int> uses = g.use_counts();
  Match m(g, uses);
  ASSERT_TRUE(m.match(p, root, g.order()[1]));
  EXPECT_EQ(m[x], g.inputs()[0]);
  EXPECT_EQ(m[scale].bias, 5);
  EXPECT_EQ(m.output(root), g.outputs()[0]);
  EXPECT_EQ(m.node_id(scale), g.order()[0]);
  EXPECT_EQ(m.tensor(c).doubles(), (std::vector<double>{3, 4}));
  EXPECT_EQ(m.uses(m.output(scale)), 1);
}

TEST(Pattern, ConstantsMustBeConstant) {
  Pattern p;
  const auto x = p.any();
  const auto root = p.op<Add>({x, p.constant()});
  EXPECT_EQ(places(parse("graph (%x: float32[2]) { %a = add(%x, %x) return %a }"), p, root), Places{});
  const std::string constant = "@c: float32[2] = {1, 2} ";
  EXPECT_EQ(places(parse("graph (%x: float32[2]) {" + constant + "%a = add(%x, @c) return %a }"), p, root), Places{0});
  EXPECT_EQ(places(parse("graph (%x: float32[2]) {" + constant + "%a = add(@c, %x) return %a }"), p, root), Places{});
}

TEST(Pattern, EitherOrderTriesBoth) {
  const Graph g = parse(R"(graph (%x: float32[2]) {
    %r = relu(%x)
    %a = add(%r, %x)
    %b = add(%x, %r)
    %c = add(%x, %x)
    return %a, %b, %c })");
  Pattern p;
  const auto relu = p.op<Relu>({p.any()});
  const auto root = p.either_order<Add>(p.any(), relu);
  EXPECT_EQ(places(g, p, root), (Places{1, 2}));
}

TEST(Pattern, ASlotUsedTwiceIsOneValue) {
  const Graph g = parse(R"(graph (%x: float32[2], %y: float32[2]) {
    %r = relu(%x)
    %a = add(%r, %x)
    %b = add(%r, %y)
    return %a, %b })");
  Pattern p;
  const auto x = p.any();
  const auto root = p.op<Add>({p.op<Relu>({x}), x});
  EXPECT_EQ(places(g, p, root), Places{1});
}

TEST(Pattern, UsedOnceRefusesAnotherUse) {
  Pattern p;
  const auto relu = p.used_once(p.op<Relu>({p.any()}));
  const auto root = p.used_once(p.op<Abs>({relu}));
  EXPECT_EQ(places(parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) return %b, %b }"), p, root), Places{1})
      << "the root may have any number of uses";
  EXPECT_EQ(places(parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) return %b, %a }"), p, root), Places{});
}

TEST(Pattern, OneOfSeveralOperators) {
  const Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) %c = exp(%b) return %c }");
  Pattern p;
  const auto root = p.one_of({&kOpSchema<Relu>, &kOpSchema<Abs>}, {p.any()});
  EXPECT_EQ(places(g, p, root), (Places{0, 1}));
}

TEST(Pattern, AnyOperator) {
  const Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) %b = abs(%a) %c = exp(%b) return %c }");
  Pattern p;
  const auto root = p.any_op({p.any_op({p.any()})});
  EXPECT_EQ(places(g, p, root), (Places{1, 2}));
}

TEST(Pattern, ConditionsSeeFactsNodesAndValues) {
  const Graph g = parse(R"(graph (%x: float32[2], %y: float32[3]) {
    %a = relu(%x)
    %b = relu(%y)
    %c = abs(%b)
    return %a, %c })");
  const auto relu_of = [&](auto holds) {
    Pattern p;
    const auto root = p.op<Relu>({p.where(p.any(), holds)});
    return places(g, p, root);
  };
  EXPECT_EQ(relu_of([](const Fact& f) { return f.shape == Shape{3}; }), Places{1});
  EXPECT_EQ(relu_of([&](const Graph&, ValueId v) { return v == g.inputs()[0]; }), Places{0});
  Pattern p;
  const auto root = p.where(p.any_op({}), [](const Node& node) { return node.op.is<Abs>(); });
  EXPECT_EQ(places(g, p, root), Places{2});
}

TEST(Pattern, ConditionsDecideBetweenOrders) {
  const Graph g = parse("graph (%x: float32[2], %y: float32[1]) { %a = add(%y, %x) %b = add(%x, %x) return %a, %b }");
  Pattern p;
  const auto y = p.where(p.any(), [](const Fact& f) { return f.shape == Shape{1}; });
  const auto x = p.any();
  const auto root = p.either_order<Add>(x, y);
  EXPECT_EQ(places(g, p, root), Places{0});
  const std::vector<int> uses = g.use_counts();
  Match m(g, uses);
  ASSERT_TRUE(m.match(p, root, g.outputs()[0]));
  EXPECT_EQ(m[x], g.inputs()[0]);
  EXPECT_EQ(m[y], g.inputs()[1]);
}

TEST(Pattern, ValuesThatNoNodeMakesMatchNoOperator) {
  const Graph g = parse("graph (%x: float32[2]) { %a = relu(%x) return %a }");
  const std::vector<int> uses = g.use_counts();
  Pattern p;
  const auto root = p.any_op({});
  EXPECT_FALSE(Match(g, uses).match(p, root, g.inputs()[0]));
  EXPECT_TRUE(Match(g, uses).match(p, root, g.outputs()[0]));
}

TEST(Pattern, OtherResultsThatAreRead) {
  for (const bool read : {false, true}) {
    const Graph g = parse(std::string(R"(graph (%x: float32[4]) {
      @axis: int32[1] = {0}
      [%a, %b] = split_with_num(%x, @axis) {num = 2}
      return %a)") + (read ? ", %b }" : " }"));
    const std::vector<int> uses = g.use_counts();
    Pattern p;
    const auto root = p.any_op({});
    Match m(g, uses);
    ASSERT_TRUE(m.match(p, root, g.order()[0]));
    EXPECT_EQ(m.reads_others(root), read);
  }
}

TEST(Pattern, OnlyTheFirstResultMatches) {
  const Graph g = parse(R"(graph (%x: float32[4]) {
    @axis: int32[1] = {0}
    [%a, %b] = split_with_num(%x, @axis) {num = 2}
    %c = relu(%a)
    %d = relu(%b)
    return %c, %d })");
  Pattern p;
  const auto split = p.op<SplitWithNum>({p.any()});
  const auto root = p.op<Relu>({split});
  EXPECT_EQ(places(g, p, root), Places{1});
}

TEST(Pattern, OperandsThatAreAbsentDoNotMatch) {
  const Graph g = parse(R"(graph (%x: float32[1, 2, 4]) {
    @c: float32[2] = {1, 2}
    %a = batch_norm(%x, @c, @c)
    %b = batch_norm(%a, @c, @c, @c, @c)
    return %b })");
  Pattern p;
  const auto c = p.constant();
  const auto root = p.op<BatchNorm>({p.any(), c, c, c, c});
  EXPECT_EQ(places(g, p, root), Places{1});
}

}  // namespace
}  // namespace coracle::internal
