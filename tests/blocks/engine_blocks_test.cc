// SPDX-License-Identifier: Apache-2.0
// Blocks on an engine give what they give natively, whatever the engine does.
#include <gtest/gtest.h>

#include <thread>

#include "graph/text.h"
#include "run/session_results.h"
#include "support/engine_models.h"
#include "support/random_graph.h"
#include "support/small_models.h"
#include "support/warnings.h"

namespace coracle::internal::test {
namespace {

class RandomEngineBlocks : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomEngineBlocks, GiveTheBitsOfNativeRegions) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 40);
  for (const int percent : {30, 70, 100}) {
    SCOPED_TRACE(text(percent, " % of the nodes taken"));
    const auto engine = ChanceEngine::make("chance", seed, percent);
    const auto other = ChanceEngine::make("other", seed + 7, 60);
    {
      const auto model = model_of(Graph(graph), with_engines({.engines = {use(*engine), use(*other)}, .min_ops = 1}));
      const auto same = natively(model);
      const auto plain = model_of(Graph(graph));
      Session used(model, {.threads = 2});
      for (const Shape& shape : kSmallImages) {
        SCOPED_TRACE(text(shape));
        const Tensor x = random_tensor(shape, seed);
        const std::vector<Tensor> expected = run_fresh(same, {x});
        EXPECT_TRUE(same_bits(run(used, {x}), expected)) << "used session";
        EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 1}), expected)) << "fresh session";
        const std::vector<Tensor> uncut = run_fresh(plain, {x});
        for (size_t i = 0; i < uncut.size(); ++i) {
          for (int64_t e = 0; e < uncut[i].count(); ++e) {
            ASSERT_NEAR(expected[i].number(e), uncut[i].number(e), 1e-4 * (1 + std::abs(uncut[i].number(e))));
          }
        }
      }
      EXPECT_GT(engine->counts().runs, 0);
    }
    EXPECT_EQ(engine->counts().alive + other->counts().alive, 0) << "the model is gone";
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomEngineBlocks, ::testing::Range(1U, 9U));

TEST(EngineBlocks, AreCompiledOnceForEachSizeAndSession) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  const auto model = model_of(random_graph(3, 20), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
  const int blocks = model->engine_report().blocks;
  Session first(model, {.threads = 1});
  Session second(model, {.threads = 1});
  const auto run_both = [&](const Shape& shape) {
    run(first, {random_tensor(shape, 1)});
    run(second, {random_tensor(shape, 1)});
  };
  for (int i = 0; i < 3; ++i) run_both({1, 4, 8, 8});
  EXPECT_EQ(engine->counts().compiled, blocks);
  for (int64_t width = 1; width <= 20; ++width) run_both({1, 4, 8, width});
  EXPECT_EQ(engine->counts().compiled, blocks * 20) << "width 8 was there";
  EXPECT_LE(engine->counts().alive, blocks * 8 * 2) << "the model and its sessions keep eight each";
  second.release_memory();
  first.release_memory();
  EXPECT_LE(engine->counts().alive, blocks * 8);
}

TEST(EngineBlocks, ThatFailRunNativelyWithOneNotice) {
  const Graph graph = random_graph(5, 30);
  const Tensor x = random_tensor({1, 4, 6, 6}, 1);
  for (const auto& [name, faults] : {std::pair{"compile", ChanceFaults{.compile = 1}},
                                     {"start", {.start = 1}},
                                     {"run", {.run = 1}},
                                     {"later run", {.run = 3}},
                                     {"memory", {.memory = 2}}}) {
    SCOPED_TRACE(name);
    const auto engine = ChanceEngine::make("chance", 1, 70);
    const auto model = model_of(Graph(graph), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
    const std::vector<Tensor> expected = run_fresh(natively(model), {x});
    const Warnings messages;
    engine->set_faults(faults);
    Session session(model, {.threads = 2});
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "run " << i;
    EXPECT_EQ(messages.lines(), 1) << messages.all();
    EXPECT_NE(messages.all().find("chance"), std::string::npos) << messages.all();
    EXPECT_NE(messages.all().find("natively"), std::string::npos) << messages.all();
  }
}

/// A list of no axes is a constant without elements, not a tensor without.
TEST(EngineBlocks, MayHaveEmptyConstants) {
  const auto engine = ChanceEngine::make("chance", 1, 100);
  const auto model = model_of(R"(graph (%x "x": float32[4, 3]) {
  @axes: int64[0] = {}
  %a = relu(%x)
  %m = mean(%a, @axes)
  %y = exp(%m)
  return %y "y"
})",
                              with_engines({.engines = {use(*engine)}, .min_ops = 1}));
  ASSERT_EQ(model->engine_report().blocks, 1);
  const Tensor x = random_tensor({4, 3}, 1);
  const std::vector<Tensor> expected = run_fresh(natively(model), {x});
  const Warnings messages;
  EXPECT_TRUE(same_bits(run_fresh(model, {x}), expected));
  EXPECT_EQ(engine->counts().runs, 1);
  EXPECT_EQ(messages.lines(), 0) << messages.all();
}

TEST(EngineBlocks, FailNativelyTooWithoutBlameForTheEngine) {
  const auto engine = ChanceEngine::make("chance", 1, 100);
  const auto model = model_of(R"(graph (%x "x": float32[4, 3], %i "i": int64[100]) {
  @a: int32[1] = {0}
  %1 = gather(%x, %i, @a)
  %2 = relu(%1)
  return %2 "y"
}
)",
                              with_engines({.engines = {use(*engine)}, .min_ops = 1}));
  const Warnings messages;
  Session session(model, {.threads = 1});
  const Tensor x = random_tensor({4, 3}, 1);
  const auto indices = [](int64_t last) {
    std::vector<int64_t> all(100, 1);
    all.back() = last;
    return Tensor::ints(all);
  };
  run(session, {x, indices(3)});
  EXPECT_THROW(run(session, {x, indices(4)}), Error);
  const int before = engine->counts().runs;
  run(session, {x, indices(2)});
  EXPECT_EQ(engine->counts().runs, before + 1) << "it still runs on the engine";
  EXPECT_EQ(messages.all(), "");
}

TEST(EngineBlocks, OfAFileWhoseEngineIsMissingRunNatively) {
  const auto engine = ChanceEngine::make("chance", 1, 70);
  const auto model = model_of(random_graph(6, 30), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
  const Tensor x = random_tensor({1, 4, 6, 6}, 1);
  const std::vector<Tensor> expected = run_fresh(model, {x});
  const Warnings messages;
  EXPECT_TRUE(same_bits(run_fresh(natively(model), {x}), expected));
  EXPECT_EQ(messages.lines(), 1) << messages.all();
  EXPECT_NE(messages.all().find("there is no engine 'chance'"), std::string::npos) << messages.all();
}

TEST(EngineBlocks, OfEnginesThatAModelNames) {
  Graph graph = random_graph(6, 10);
  graph.set_scope(graph.order()[2], "/coracle_engine_no_such_engine/");
  {
    const Warnings messages;
    model_of(Graph(graph));
    EXPECT_NE(messages.all().find("there is no engine 'no_such_engine'"), std::string::npos) << messages.all();
  }
  const Warnings messages;
  ModelOptions options;
  options.passes.disabled = {"engine_marks"};
  EXPECT_TRUE(model_of(Graph(graph), options)->options().engines.engines.empty());
  EXPECT_EQ(messages.all(), "");
}

TEST(EngineBlocks, OfEnginesThatAreMissingKeepNoIntegersAway) {
  const char* const lines = R"(graph (%x "x": float32[4, 8]) {
  @s: float32[1] = {2}
  @w: float32[8, 4] = random(1)
  %q = fake_quantize_dequantize_moving_average_abs_max(%x, @s, _, _)
  %r = fake_channel_wise_quantize_dequantize_abs_max(@w) {quant_axis = 1}
  %y = matmul(%q, %r)
  return %y "y"
})";
  ModelOptions options;
  options.engines.engines = {used_engine("nobody?", Precision::kDefault)};
  const auto graph_of = [](const auto& model) { return print(model->program()->graph()); };
  const std::string graph = graph_of(model_of(lines, options));
  EXPECT_EQ(graph, graph_of(model_of(lines)));
  EXPECT_NE(graph.find("integer_linear"), std::string::npos) << graph;
}

TEST(EngineBlocks, RunInSessionsOfManyThreads) {
  const auto engine = ChanceEngine::make("chance", 2, 80);
  const auto model = model_of(random_graph(7, 30), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
  const auto same = natively(model);
  std::vector<std::vector<Tensor>> expected;
  for (const Shape& shape : kSmallImages) expected.push_back(run_fresh(same, {random_tensor(shape, 1)}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Session session(model, {.threads = 1});
      for (size_t i = 0; i < 2 * kSmallImages.size(); ++i) {
        const size_t at = (i + static_cast<size_t>(t)) % kSmallImages.size();
        if (!same_bits(run(session, {random_tensor(kSmallImages[at], 1)}), expected[at])) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace coracle::internal::test
