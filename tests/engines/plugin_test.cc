// SPDX-License-Identifier: Apache-2.0
// Plug-ins: how they are found, what is wrong with bad ones, and that the adapter passes everything on.
#include "engines/plugin.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <thread>

#include "coracle/engine.h"
#include "graph/text.h"
#include "run_block.h"

namespace coracle::internal::test {
namespace {

class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override { look_in(CORACLE_TEST_PLUGINS); }
  void TearDown() override { ::unsetenv("CORACLE_ENGINE_PATH"); }
  static void look_in(const std::string& path) { ::setenv("CORACLE_ENGINE_PATH", path.c_str(), 1); }

  static const Engine& good() {
    const FoundEngine found = find_engine("good");
    EXPECT_NE(found.engine, nullptr) << found.missing;
    return *found.engine;
  }
  static std::string refusal_of(const std::string& text) {
    const Graph graph = parse(text);
    return good().refusal(graph, graph.node(graph.order().back()));
  }
};

TEST_F(PluginTest, RunsABlock) {
  const Graph graph = parse("graph (%x: float32[3, 7]) {\n %y = negative(%x)\n return %y\n}");
  EXPECT_EQ(good().name(), "good");
  EXPECT_EQ(good().missing(), "");
  EXPECT_EQ(good().version(), "test \\x1b[1m 1");
  EXPECT_EQ(good().refusal(graph, graph.node(graph.order()[0])), "");
  const std::vector<Tensor> inputs = random_inputs(graph, 1);
  std::shared_ptr<const CompiledBlock> compiled = compile_block(good(), graph, inputs, 1);
  EXPECT_GT(compiled->bytes(), 0U);
  const std::unique_ptr<BlockRun> run = compiled->make_run();
  compiled.reset();  // a run keeps what it runs
  expect_near(run_block(*run, graph, inputs), evaluate_graph(graph, inputs));

  std::vector<Tensor> unlucky{Tensor::make(DType::kFloat32, {3, 7})};
  std::fill_n(unlucky[0].data<float>(), 21, 13.0F);
  try {
    run_block(*run, graph, unlucky);
    FAIL() << "the run has not failed";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_EQ(e.text(), "engine good cannot run: thirteen");
  }
}

TEST_F(PluginTest, SaysWhyABlockIsNotCompiled) {
  const Graph two = parse("graph (%x: float32[3], %z: float32[3]) {\n %y = negative(%x)\n return %y\n}");
  const Graph one = parse("graph (%x: float32[3]) {\n %y = negative(%x)\n return %y\n}");
  const auto failure = [&](const Graph& graph, const char* device) {
    const std::vector<Fact> facts = facts_for(graph, random_inputs(graph, 1));
    const EngineOptions options{.device = device};
    try {
      good().compile({graph, facts, 1, options});
    } catch (const Error& e) {
      return e.text();
    }
    return std::string();
  };
  EXPECT_EQ(failure(two, ""), "engine good cannot compile a block: not one of each");
  EXPECT_EQ(failure(one, "none"), "engine good returned no compiled block");
  EXPECT_EQ(failure(one, ""), "");
}

TEST_F(PluginTest, SeesNodesAsTheyAre) {
  EXPECT_EQ(refusal_of("graph (%x: float32[?]) {\n %y = relu(%x)\n return %y\n}"), "only \\x07 negative");
  EXPECT_EQ(refusal_of("graph (%x: float32[?]) {\n %y = ceil(%x)\n return %y\n}"), "the engine does not take it");
  EXPECT_EQ(refusal_of("graph (%x: float32[2, 3]) {\n %y = transpose(%x) {perm = [1, 0]}\n return %y\n}"),
            "perm begins with 1");
  EXPECT_EQ(refusal_of("graph (%x: float32[1, 3, 5, 5]) {\n @k: int64[2] = {2, 2}\n %y = pool2d(%x, @k)\n"
                       " return %y\n}"),
            "NCHW");
  EXPECT_EQ(refusal_of("graph (%x: float32[2, 3]) {\n %y = mean(%x, _) {keepdim = true}\n return %y\n}"),
            "it keeps dimensions");
  EXPECT_EQ(refusal_of("graph (%x: float32[2, 3]) {\n %y = layer_norm(%x, _, _) {epsilon = 0.5}\n return %y\n}"),
            "epsilon is a half");
  EXPECT_EQ(refusal_of("graph (%x: float32[2, 3]) {\n @w: float32[3, 3] = random(1)\n %y = linear(%x, @w, [])"
                       " {epilogue = [\"relu\", \"tanh\"], epilogue_numbers = [0, 0, 0, 0, 0, 0]}\n return %y\n}"),
            "tanh");
  EXPECT_EQ(refusal_of("graph (%c: bool[1], %x: float32[2]) {\n %y = if(%c, [%x])\n graph (%a: float32[2]) {\n"
                       "  return %a\n }\n graph (%b: float32[2]) {\n  return %b\n }\n return %y\n}"),
            "it holds graphs of its own");
}

TEST_F(PluginTest, BadOnesAreRefusedWithAReason) {
  const std::pair<const char*, const char*> faults[] = {
      {"bad_version", "it was built for version 99 of the interface, this library has version 1"},
      {"bad_symbol", "exports no coracle_engine_get"},
      {"bad_member", "its coracle_engine has no compile"},
      {"bad_size", "its coracle_engine has "},
      {"bad_nothing", "it has no engine for version 1 of the interface"},
      {"bad_name", "it is the engine 'somebody_else', not 'bad_name'"},
      {"bad_file", "it cannot be loaded: "},
  };
  for (const auto& [name, reason] : faults) {
    const FoundEngine found = find_engine(name);
    EXPECT_EQ(found.engine, nullptr) << name;
    EXPECT_NE(found.missing.find(reason), std::string::npos) << found.missing;
    EXPECT_NE(found.missing.find(text("libcoracle_engine_", name, ".so")), std::string::npos) << found.missing;
  }
}

TEST_F(PluginTest, EachMemberIsNeeded) {
  coracle_engine whole{};
  whole.version = CORACLE_ENGINE_API_VERSION;
  whole.struct_size = sizeof(whole);
  whole.name = "whole";
  EXPECT_EQ(plugin_fault(&whole, "whole"), "its coracle_engine has no missing");
  whole.name = nullptr;
  EXPECT_EQ(plugin_fault(&whole, "whole"), "its coracle_engine has no name");
  whole.struct_size = 0;
  EXPECT_NE(plugin_fault(&whole, "whole").find("has 0 bytes"), std::string::npos);
  EXPECT_NE(plugin_fault(nullptr, "whole"), "");
}

TEST_F(PluginTest, StructsOfVersion1StayAsTheyAre) {
  // What is added stands behind these; anything else is another version.
  static_assert(CORACLE_ENGINE_API_VERSION == 1);
  static_assert(offsetof(coracle_attribute, size) == 64);
  static_assert(offsetof(coracle_engine_options, threads) == 24);
  static_assert(offsetof(coracle_engine_host, input_count) == 32);
  static_assert(offsetof(coracle_engine_host, dtype) == 64);
  static_assert(offsetof(coracle_engine_host, value_name) == 104);
  static_assert(offsetof(coracle_engine_host, operand_count) == 128);
  static_assert(offsetof(coracle_engine_host, find_attribute) == 208);
  static_assert(offsetof(coracle_engine, struct_size) == 8);
  static_assert(offsetof(coracle_engine, compile) == 48);
  static_assert(offsetof(coracle_engine, free_run) == 88);
  EXPECT_EQ(sizeof(coracle_engine), 96U);
}

TEST_F(PluginTest, OneThatMissesSomethingSaysSo) {
  const FoundEngine found = find_engine("unable");
  ASSERT_NE(found.engine, nullptr) << found.missing;
  EXPECT_EQ(found.engine->missing(), "the \\x01 moon");
  EXPECT_EQ(found.engine->version(), "");
}

TEST_F(PluginTest, NamesWhereItHasLooked) {
  look_in("/nonexistent/a:relative:/nonexistent/b\x01:");
  const std::string missing = find_engine("nobody").missing;
  EXPECT_NE(missing.find("there is no engine 'nobody'"), std::string::npos) << missing;
  EXPECT_NE(missing.find("there is no libcoracle_engine_nobody.so in '/nonexistent/a', '/nonexistent/b\\x01', "),
            std::string::npos)
      << missing;
  EXPECT_EQ(missing.find("relative"), std::string::npos) << missing;
  for (const char* name : {"", "../good", "Good", "a b", "good.so", "\x1b"}) {
    const FoundEngine found = find_engine(name);
    EXPECT_EQ(found.engine, nullptr);
    EXPECT_NE(found.missing.find("the name of an engine consists of a to z"), std::string::npos) << found.missing;
  }
}

TEST_F(PluginTest, TheFirstFolderCountsAndOneIsLoadedOnce) {
  look_in("/nonexistent:" CORACLE_TEST_PLUGINS ":" CORACLE_TEST_PLUGINS);
  std::vector<const Engine*> found(8);
  std::vector<std::thread> threads;
  for (const Engine*& f : found) threads.emplace_back([&f] { f = find_engine("good").engine; });
  for (std::thread& t : threads) t.join();
  for (const Engine* f : found) EXPECT_EQ(f, found[0]);
  look_in("/nonexistent");
  EXPECT_EQ(find_engine("good").engine, found[0]) << "one that was found stays";
  EXPECT_NE(found[0], nullptr);
}

// examples/engine, which tests/install builds and names.
TEST(ExampleEngine, RunsABlock) {
  const char* name = std::getenv("CORACLE_EXAMPLE_ENGINE");
  if (name == nullptr) GTEST_SKIP() << "CORACLE_EXAMPLE_ENGINE does not name the example";
  const FoundEngine found = find_engine(name);
  ASSERT_NE(found.engine, nullptr) << found.missing;
  const Graph graph = parse(R"(graph (%x: float32[2, 3], %y: float32[2, 3]) {
    @c: float32[2, 3] = random(1)
    %a = add(%x, %y)
    %b = multiply(%a, @c)
    %d = relu(%b)
    return %d, %a, %x
  })");
  for (NodeId id : graph.order()) EXPECT_EQ(found.engine->refusal(graph, graph.node(id)), "");
  const std::vector<Tensor> inputs = random_inputs(graph, 1);
  const auto run = compile_block(*found.engine, graph, inputs, 1)->make_run();
  expect_near(run_block(*run, graph, inputs), evaluate_graph(graph, inputs));

  const Graph other = parse("graph (%x: float32[2, 3], %y: float32[3]) {\n %a = add(%x, %y)\n return %a\n}");
  EXPECT_THROW(compile_block(*found.engine, other, random_inputs(other, 1), 1), Error);
  const Graph unknown = parse("graph (%x: float32[2, 3]) {\n %a = abs(%x)\n return %a\n}");
  EXPECT_EQ(found.engine->refusal(unknown, unknown.node(unknown.order()[0])), "only relu, add and multiply are taken");
}

}  // namespace
}  // namespace coracle::internal::test
