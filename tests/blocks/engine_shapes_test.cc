// SPDX-License-Identifier: Apache-2.0
// Blocks of engines at sizes that change: answers are those of native runs, and what compiles is bounded.
#include <gtest/gtest.h>

#include <random>

#include "ops/control/engine_block.h"
#include "run/session_results.h"
#include "support/engine_models.h"
#include "support/random_graph.h"
#include "support/warnings.h"

namespace coracle::internal::test {
namespace {

std::shared_ptr<const Model> on_engine(const Graph& graph, const ChanceEngine& engine,
                                       const std::vector<std::string>& shapes = {}, size_t bytes = SIZE_MAX) {
  ModelOptions options;
  options.engines = {.engines = {use(engine)}, .min_ops = 1, .cache = FileCache({}, 0)};
  for (const std::string& s : shapes) options.engines.shapes.push_back(parse_shape_range(s));
  options.passes.disabled = {"engine_cost"};
  options.weights_cache_bytes = bytes;
  return model_of(Graph(graph), options);
}

Graph small_graph(const char* shape = "[?, ?]") {
  return parse(
      text("graph (%x \"x\": float32", shape, ") {\n  %1 = tanh(%x)\n  %2 = relu(%1)\n  return %2 \"y\"\n}\n"));
}

class ChangingSizes : public ::testing::TestWithParam<unsigned> {};

TEST_P(ChangingSizes, OfRandomGraphsGiveTheBitsOfNativeRuns) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 30);
  for (const int served : {100, 50, 0}) {
    SCOPED_TRACE(text(served, " % of the sizes served"));
    const auto engine = ChanceEngine::make("chance", seed, 80);
    engine->set_varies(served);
    const auto model = on_engine(graph, *engine);
    const auto same = natively(model);
    Session used(model, {.threads = 1});
    std::mt19937 random(seed);
    const auto size = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
    constexpr int kRuns = 30;
    for (int i = 0; i < kRuns; ++i) {
      const Shape shape{size(2), 4, size(12), size(12)};
      SCOPED_TRACE(text(shape));
      const Tensor x = random_tensor(shape, seed + static_cast<unsigned>(i));
      EXPECT_TRUE(same_bits(run(used, {x}), run_fresh(same, {x}, {.threads = 1})));
    }
    const ChanceEngine::Counts counts = engine->counts();
    const int blocks = model->engine_report().blocks;
    EXPECT_GT(counts.runs, 0);
    if (served != 100) continue;
    // One for the first size and one for each dimension that has differed; where elements decide sizes, each for
    // itself.
    int64_t most = 0;
    const Graph& cut = model->program()->graph();
    for (const NodeId id : cut.order()) {
      const Node& node = cut.node(id);
      if (!node.op.is<EngineBlock>()) continue;
      const std::vector<bool>& decides = model->engine_blocks().decides_sizes(node);
      const bool any = std::find(decides.begin(), decides.end(), true) != decides.end();
      most += any ? kRuns : 1 + 3 * static_cast<int64_t>(node.inputs.size());
    }
    EXPECT_LE(counts.compiled, most) << blocks << " blocks";
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ChangingSizes, ::testing::Range(1U, 9U));

TEST(EngineShapes, TheSecondSizeIsCompiledForAllThatFollow) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  engine->set_varies(100);
  const auto model = on_engine(small_graph(), *engine);
  ASSERT_EQ(model->engine_report().blocks, 1);
  Session session(model, {.threads = 1});
  const auto compiled_after = [&](const Shape& shape) {
    run(session, {random_tensor(shape, 1)});
    return engine->counts().compiled;
  };
  EXPECT_EQ(compiled_after({2, 3}), 1);
  EXPECT_EQ(compiled_after({2, 4}), 2) << "the second dimension varies";
  for (int64_t width = 1; width < 100; ++width) EXPECT_EQ(compiled_after({2, width}), 2);
  EXPECT_EQ(compiled_after({5, 4}), 3) << "the first one, too";
  for (int64_t width = 1; width < 100; ++width) EXPECT_EQ(compiled_after({width % 7 + 1, width}), 3);
  EXPECT_EQ(engine->counts().varying, 2);
  EXPECT_EQ(engine->counts().alive, 3);
}

TEST(EngineShapes, WhatIsRefusedForManySizesIsCompiledForEach) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  engine->set_varies(0);
  const auto model = on_engine(small_graph(), *engine);
  Session session(model, {.threads = 1});
  for (int64_t width = 1; width <= 10; ++width) run(session, {random_tensor({2, width}, 1)});
  EXPECT_EQ(engine->counts().varying, 1) << "it is asked once";
  EXPECT_EQ(engine->counts().compiled, 11);
  EXPECT_EQ(engine->counts().runs, 10);
}

TEST(EngineShapes, ABlockForManySizesThatFailsIsNotTriedAgain) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  engine->set_varies(100);
  const auto model = on_engine(small_graph(), *engine);
  const auto same = natively(model);
  run_fresh(same, {random_tensor({2, 2}, 1)});  // which warns
  engine->set_faults({.run = 3});
  const Warnings warnings;
  Session session(model, {.threads = 1});
  for (int64_t width = 1; width <= 6; ++width) {
    const Tensor x = random_tensor({2, width}, 1);
    EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(same, {x}, {.threads = 1}))) << width;
  }
  EXPECT_EQ(engine->counts().compiled, 5) << "one, many, and the last three each";
  EXPECT_EQ(warnings.lines(), 1) << warnings.all();
}

TEST(EngineShapes, RangesOfTheUserAreCompiledAtOnce) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  engine->set_varies(100);
  const auto model = on_engine(small_graph(), *engine, {"x=1x8..2x16..4x64"});
  const auto same = natively(model);
  run_fresh(same, {random_tensor({2, 16}, 1)});  // which warns
  const Warnings warnings;
  Session session(model, {.threads = 1});
  const auto right = [&](const Shape& shape) {
    const Tensor x = random_tensor(shape, 1);
    EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(same, {x}, {.threads = 1}))) << text(shape);
  };
  for (const Shape& shape : {Shape{2, 16}, {1, 8}, {4, 64}, {3, 9}}) right(shape);
  EXPECT_EQ(engine->counts().compiled, 1);
  EXPECT_EQ(engine->counts().runs, 4);
  EXPECT_EQ(warnings.lines(), 0) << warnings.all();
  for (const Shape& shape : {Shape{2, 65}, {5, 8}, {1, 7}, {9, 9}}) right(shape);
  EXPECT_EQ(engine->counts().runs, 4) << "sizes outside run natively";
  EXPECT_EQ(warnings.lines(), 1) << warnings.all();
  EXPECT_NE(warnings.all().find("a shape is outside what was compiled"), std::string::npos) << warnings.all();
}

TEST(EngineShapes, WithAnEngineThatCannotVaryRangesCompileEachSize) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  const auto model = on_engine(small_graph(), *engine, {"x=1x8..2x16..4x64"});
  Session session(model, {.threads = 1});
  for (int64_t width = 8; width < 13; ++width) run(session, {random_tensor({1, width}, 1)});
  EXPECT_EQ(engine->counts().compiled, 5);
  EXPECT_EQ(engine->counts().varying, 0);
}

TEST(EngineShapes, RangesThatTheGraphDoesNotTakeAreErrorsOfLoading) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  const Graph graph = parse(
      "graph (%x \"x\": float32[?, ?]) {\n  @w: float32[3, 1] = {1, 2, 3}\n"
      "  %1 = matmul(%x, @w)\n  return %1 \"y\"\n}\n");
  EXPECT_THROW(on_engine(graph, *engine, {"x=1x4..2x4..4x4"}), Error);
  EXPECT_NO_THROW(on_engine(graph, *engine, {"x=1x3..2x3..4x3"}));
}

TEST(EngineShapes, WhatIsCompiledIsBoundByBytes) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  const auto model = on_engine(small_graph(), *engine, {}, 3 * ChanceEngine::kBlockBytes);
  Session session(model, {.threads = 1});
  for (int64_t width = 1; width <= 12; ++width) {
    run(session, {random_tensor({2, width}, 1)});
    EXPECT_EQ(model->engine_blocks().bytes(),
              static_cast<size_t>(std::min<int64_t>(width, 3)) * ChanceEngine::kBlockBytes);
    EXPECT_LE(engine->counts().alive, 4) << "the model's three; a session lets go when it next starts one";
  }
  const auto none = on_engine(small_graph(), *engine, {}, 0);
  run_fresh(none, {random_tensor({2, 2}, 1)});
  EXPECT_EQ(none->engine_blocks().bytes(), ChanceEngine::kBlockBytes) << "what was used last stays";
}

}  // namespace
}  // namespace coracle::internal::test
