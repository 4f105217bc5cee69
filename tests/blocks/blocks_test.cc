// SPDX-License-Identifier: Apache-2.0
// Blocks of engines are closed, as large as asked for, and leave the graph what it was.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "blocks/cut.h"
#include "graph/patch.h"
#include "graph/text.h"
#include "ops/activation/relu.h"
#include "ops/control/engine_block.h"
#include "support/chance_engine.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

std::vector<const Node*> blocks_of(const Graph& graph) {
  std::vector<const Node*> blocks;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op.is<EngineBlock>()) blocks.push_back(&node);
    for (const std::shared_ptr<Graph>& region : node.regions) {
      for (const Node* inner : blocks_of(*region)) blocks.push_back(inner);
    }
  }
  return blocks;
}

/// Cuts without the model of costs, which looks at sizes.
const std::vector<std::string> kWithoutCost = {"engine_cost"};

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i].shape() == b[i].shape()) || a[i].doubles() != b[i].doubles()) return false;
  }
  return true;
}

class RandomBlocks : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomBlocks, KeepTheGraph) {
  const unsigned seed = GetParam();
  Graph graph = random_graph(seed, 60);
  remove_dead(graph);
  const Tensor x = random_tensor({1, 4, 6, 5}, seed);
  const std::vector<Tensor> expected = evaluate_graph(graph, std::span(&x, 1));
  for (const int percent : {30, 60, 90, 100}) {
    for (const int64_t min_ops : {1, 2, 10}) {
      SCOPED_TRACE(text(percent, " %, min_ops ", min_ops));
      const auto first = ChanceEngine::make("first", seed, percent);
      const auto second = ChanceEngine::make("second", seed + 1, 70);
      const EngineChoice choice{.engines = {use(*first), use(*second)}, .min_ops = min_ops};
      Graph cut = graph;
      const CutReport report = cut_blocks(cut, choice, kWithoutCost);
      verify(cut, true);
      EXPECT_TRUE(same(evaluate_graph(cut, std::span(&x, 1)), expected));

      const std::vector<const Node*> blocks = blocks_of(cut);
      EXPECT_EQ(blocks.size(), static_cast<size_t>(report.blocks));
      size_t inside = 0;
      for (const Node* block : blocks) {
        inside += block->regions[0]->order().size();
        EXPECT_GE(static_cast<int64_t>(block->regions[0]->order().size()), min_ops) << block->name;
        EXPECT_FALSE(block->outputs.empty());
        verify(*block->regions[0], true);
      }
      EXPECT_EQ(inside + cut.order().size() - blocks.size(), graph.order().size());
      EXPECT_EQ(report.nodes.size(), graph.order().size());
      for (const CutNode& node : report.nodes) EXPECT_EQ(node.engine.empty(), !node.cause.empty()) << node.node;

      Graph again = graph;
      cut_blocks(again, choice, kWithoutCost);
      EXPECT_EQ(print(again), print(cut));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomBlocks, ::testing::Range(1U, 13U));

/// %a and %c would be one block, were there not %b between them.
const char* const kAround = R"(graph (%x "x": float32[2, 3]) {
  %a "abs" = abs(%x)
  %b "erf" = erf(%a)
  %c "add" = add(%a, %b)
  %d "tanh" = tanh(%c)
  return %d "y"
}
)";

std::vector<std::string> engines_by_node(const CutReport& report) {
  std::vector<std::string> engines;
  for (const CutNode& node : report.nodes) engines.push_back(node.op + " " + node.block);
  return engines;
}

TEST(Blocks, NoWayLeadsOutAndInAgain) {
  const auto engine = ChanceEngine::make("some", 0, 100);
  EngineChoice choice{.engines = {use(*engine)}, .min_ops = 1};
  choice.engines[0].automatic = false;
  for (const char* type : {"abs", "add", "tanh"}) add_mark(text("some=", type), Precision::kDefault, choice);
  Graph graph = parse(kAround);
  const CutReport report = cut_blocks(graph, choice, {});
  EXPECT_EQ(engines_by_node(report), (std::vector<std::string>{"abs some_0", "erf ", "add some_1", "tanh some_1"}));
}

TEST(Blocks, MarksTakeNodesByNameTypeAndVariables) {
  const auto engine = ChanceEngine::make("some", 0, 100);
  const auto marked = [&](std::string_view mark) {
    EngineChoice choice{.engines = {use(*engine)}, .min_ops = 10};
    choice.engines[0].automatic = false;
    add_mark(mark, Precision::kDefault, choice);
    Graph graph = parse(kAround);
    std::vector<std::string> on_engine;
    for (const CutNode& node : cut_blocks(graph, choice, {}).nodes) {
      if (!node.engine.empty()) on_engine.push_back(node.op);
    }
    return on_engine;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(marked("some=erf"), (Names{"erf"}));
  EXPECT_EQ(marked("some=a*"), (Names{"abs", "add"}));
  EXPECT_EQ(marked("some:a??_*"), (Names{"abs", "add"}));
  EXPECT_EQ(marked("some:nothing"), Names{});
  EXPECT_EQ(marked("some:abs..add"), (Names{"erf", "add"}));
  EXPECT_EQ(marked("some:x..erf"), (Names{"abs", "erf"}));
  EXPECT_EQ(marked("some:erf..abs"), Names{});
  for (const char* bad : {"", "some", "some:", ":x", "some:..x", "some:x.."}) {
    EXPECT_THROW(marked(bad), Error) << bad;
  }
}

TEST(Blocks, MarksTakeNodesByNameScope) {
  const auto engine = ChanceEngine::make("some", 0, 100);
  const auto marked = [&](std::string_view mark) {
    EngineChoice choice{.engines = {use(*engine)}, .min_ops = 10};
    choice.engines[0].automatic = false;
    if (!mark.empty()) add_mark(mark, Precision::kDefault, choice);
    Graph graph = parse(kAround);
    const char* const scopes[] = {"/head/conv/", "/coracle_engine_some/conv_1/", "/coracle_engine_other/", "/header/"};
    for (size_t i = 0; i < 4; ++i) graph.set_scope(graph.order()[i], scopes[i]);
    std::vector<std::string> on_engine;
    for (const CutNode& node : cut_blocks(graph, choice, {}).nodes) {
      if (!node.engine.empty()) on_engine.push_back(node.op);
    }
    for (NodeId id : graph.order()) {
      if (const Node& node = graph.node(id); node.op.is<EngineBlock>()) {
        const Graph& region = *node.regions[0];
        for (NodeId inner : region.order()) EXPECT_FALSE(region.node(inner).scope.empty());
      }
    }
    return on_engine;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(marked(""), (Names{"erf"}));
  EXPECT_EQ(marked("some@head"), (Names{"abs", "erf"}));
  EXPECT_EQ(marked("some@head/conv"), (Names{"abs", "erf"}));
  EXPECT_EQ(marked("some@/header/"), (Names{"erf", "tanh"}));
  EXPECT_EQ(marked("some@con"), (Names{"erf"}));
}

TEST(Blocks, ScopesOfAModelNameItsEngines) {
  Graph graph = parse(kAround);
  graph.set_scope(graph.order()[1], "/coracle_engine_no_such_engine/");
  EngineChoice choice;
  add_marked_engines(graph, Precision::kDefault, choice);
  ASSERT_EQ(choice.engines.size(), 1U);
  EXPECT_EQ(choice.engines[0].name, "no_such_engine");
  EXPECT_FALSE(choice.engines[0].automatic);
  EXPECT_FALSE(choice.engines[0].missing.empty());
  add_marked_engines(graph, Precision::kDefault, choice);
  EXPECT_EQ(choice.engines.size(), 1U);
}

TEST(Blocks, AMissingEngineIsNoError) {
  EngineChoice choice{.engines = {used_engine("no_such_engine", Precision::kDefault)}};
  EXPECT_EQ(choice.engines[0].engine, nullptr);
  EXPECT_NE(choice.engines[0].missing.find("no_such_engine"), std::string::npos);
  Graph graph = parse(kAround);
  EXPECT_EQ(cut_blocks(graph, choice, {}).blocks, 0);
  EXPECT_EQ(print(graph), print(parse(kAround)));
}

TEST(Blocks, WhatCostsMoreThanItSavesStaysNative) {
  const auto engine = ChanceEngine::make("some", 0, 100);
  const EngineChoice choice{.engines = {use(*engine)}, .min_ops = 1};
  Graph graph = parse(kAround);
  const CutReport report = cut_blocks(graph, choice, {});
  EXPECT_EQ(report.blocks, 0);
  EXPECT_NE(report.nodes[0].cause.find("small"), std::string::npos) << report.nodes[0].cause;
}

TEST(Blocks, AThousandLayersAreCutInNoTime) {
  Graph graph;
  ValueId last = graph.add_input("x", Fact(DType::kFloat32, {1, 8}));
  for (int i = 0; i < 20'000; ++i) last = graph.add(Relu{}, {{last}});
  graph.add_output(last, "y");
  const auto engine = ChanceEngine::make("some", 0, 90);
  const EngineChoice choice{.engines = {use(*engine)}, .min_ops = 2};
  const CutReport report = cut_blocks(graph, choice, kWithoutCost);
  EXPECT_GT(report.blocks, 1000);
  verify(graph, false);
}

}  // namespace
}  // namespace coracle::internal::test
