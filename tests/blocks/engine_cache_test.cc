// SPDX-License-Identifier: Apache-2.0
// What engines have compiled is found again on disk where all that it follows from is the same, and nowhere else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "blocks/engine_key.h"
#include "run/fact_key.h"
#include "run/session_results.h"
#include "support/chance_engine.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

namespace fs = std::filesystem;

class EngineCache : public ::testing::Test {
 protected:
  std::shared_ptr<const Model> load(const Graph& graph) const {
    ModelOptions options;
    options.engines = {.engines = {use(*engine_)}, .min_ops = 1, .cache = FileCache(folder_.path("cache"), 1U << 24U)};
    options.passes.disabled = {"engine_cost"};
    return model_of(Graph(graph), options);
  }

  TemporaryFolder folder_;
  std::shared_ptr<ChanceEngine> engine_ = ChanceEngine::make("chance", 1, 80);
  Graph graph_ = random_graph(4, 30);
  Tensor x_ = random_tensor({1, 4, 6, 6}, 1);
};

TEST_F(EngineCache, BlocksAreCompiledOnceForAllProcesses) {
  const std::vector<Tensor> expected = run_fresh(load(graph_), {x_});
  const int compiled = engine_->counts().compiled;
  EXPECT_GT(compiled, 0);
  EXPECT_EQ(engine_->counts().loaded, 0);
  EXPECT_TRUE(same_bits(run_fresh(load(graph_), {x_}), expected));
  EXPECT_EQ(engine_->counts().compiled, compiled);
  EXPECT_EQ(engine_->counts().loaded, compiled);
  run_fresh(load(graph_), {random_tensor({1, 4, 6, 7}, 1)});
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled) << "another size";
  run_fresh(load(graph_), {x_}, {.threads = 1});
  EXPECT_EQ(engine_->counts().compiled, 3 * compiled) << "other threads";
}

TEST_F(EngineCache, WhatCannotBeUsedIsMadeAnew) {
  const std::vector<Tensor> expected = run_fresh(load(graph_), {x_});
  const int compiled = engine_->counts().compiled;
  engine_->set_faults({.load = 1});
  EXPECT_TRUE(same_bits(run_fresh(load(graph_), {x_}), expected));
  EXPECT_EQ(engine_->counts().compiled, compiled + 1) << "the first was refused by the engine";
  for (const fs::path& file : fs::directory_iterator(folder_.path("cache"))) {
    std::fstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(-1, std::ios::end).put('?');
  }
  EXPECT_TRUE(same_bits(run_fresh(load(graph_), {x_}), expected));
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled + 1) << "all were damaged";
  fs::remove_all(folder_.path("cache"));
  folder_.write("cache", "a file where the folder was");
  EXPECT_TRUE(same_bits(run_fresh(load(graph_), {x_}), expected));
  EXPECT_EQ(engine_->counts().compiled, 3 * compiled + 1);
}

/// A block of two nodes, and the types of its values.
struct Subject {
  explicit Subject(float weight = 2, const Shape& shape = {2, 3}) {
    graph = parse(text("graph (%x \"x\": float32", "[2, 3]) {\n  @w: float32[1] = {", weight,
                       "}\n  %1 = multiply(%x, @w)\n  %2 = tanh(%1)\n  return %2 \"y\"\n}\n"));
    const Fact x(DType::kFloat32, shape);
    facts = infer_graph(graph, std::span(&x, 1));
  }
  std::string key(const Engine& engine) const {
    return engine_key(engine, {.graph = graph,
                               .facts = facts,
                               .threads = threads,
                               .options = options,
                               .varying = varying,
                               .examples = examples});
  }
  Graph graph;
  std::vector<Fact> facts;
  EngineOptions options;
  int threads = 2;
  std::vector<VaryingDim> varying;
  std::vector<std::vector<Fact>> examples;
};

TEST_F(EngineCache, KeysHoldAllThatABlockFollowsFrom) {
  const std::string key = Subject().key(*engine_);
  EXPECT_EQ(Subject().key(*engine_), key) << "made again";
  EXPECT_NE(Subject(2.5F).key(*engine_), key) << "a constant";
  EXPECT_NE(Subject(2, {2, 4}).key(*engine_), key) << "a size";
  EXPECT_NE(Subject().key(*ChanceEngine::make("other", 1, 80)), key) << "the engine";
  Subject other;
  other.threads = 1;
  EXPECT_NE(other.key(*engine_), key) << "threads";
  other = Subject();
  other.options.device = "GPU";
  EXPECT_NE(other.key(*engine_), key) << "the device";
  other = Subject();
  other.options.precision = Precision::kBf16;
  EXPECT_NE(other.key(*engine_), key) << "precision";
  other = Subject();
  other.varying = {{.input = 0, .dim = 1}};
  const std::string open = other.key(*engine_);
  EXPECT_NE(open, key) << "a dimension varies";
  other.varying[0].max = 7;
  const std::string bounded = other.key(*engine_);
  EXPECT_NE(bounded, open) << "its bound";
  other.varying[0].dim = 0;
  EXPECT_NE(other.key(*engine_), bounded) << "another dimension";
  other.varying[0].dim = 1;
  other.examples = {other.facts};
  EXPECT_NE(other.key(*engine_), bounded) << "an example";
}

/// What engines save may name the values of a block by their numbers.
TEST_F(EngineCache, KeysHoldTheNumbersOfInputs) {
  const auto key_of = [&](bool swapped) {
    Subject s;
    s.graph = Graph();
    const Fact fact(DType::kFloat32, {2});
    ValueId x = kNoValue;
    ValueId y = kNoValue;
    if (swapped) {
      s.graph.add_constant(random_tensor({1}, 1));  // nobody reads it
      x = s.graph.add_input("x", fact), y = s.graph.add_input("y", fact);
    } else {
      x = s.graph.add_input("x", fact), y = s.graph.add_input("y", fact);
      s.graph.add_constant(random_tensor({1}, 1));
    }
    s.graph.add_output(s.graph.add(Op(find_op("add")), {{x}, {y}}), "z");
    const Fact both[] = {fact, fact};
    s.facts = infer_graph(s.graph, both);
    return std::pair(x, s.key(*engine_));
  };
  const auto [first, first_key] = key_of(false);
  const auto [second, second_key] = key_of(true);
  ASSERT_NE(first, second);
  const auto holds = [](const std::string& key, ValueId v) {
    std::string number;
    append_raw(number, v);
    std::string of_input = number;
    append_fact(of_input, Fact(DType::kFloat32, {2}));
    return key.find(of_input) != std::string::npos;
  };
  EXPECT_TRUE(holds(first_key, first));
  EXPECT_TRUE(holds(second_key, second));
  EXPECT_FALSE(holds(second_key, first));
}

TEST_F(EngineCache, LargeConstantsCountWithEachOfTheirBytes) {
  const auto key_of = [&](const Tensor& weights) {
    Subject s;
    s.graph = Graph();
    const ValueId x = s.graph.add_input("x", Fact(DType::kFloat32, {1, 1000}));
    const ValueId w = s.graph.add_constant(weights);
    s.graph.add_output(s.graph.add(Op(find_op("add")), {{x}, {w}}), "y");
    const Fact fact(DType::kFloat32, {1, 1000});
    s.facts = infer_graph(s.graph, std::span(&fact, 1));
    return s.key(*engine_);
  };
  const Tensor weights = random_tensor({1000}, 1);
  const std::string key = key_of(weights);
  for (const int64_t i : {0, 1, 500, 998, 999}) {
    Tensor changed = weights.clone();
    changed.data<uint8_t>()[4 * i + i % 4] ^= 1U;
    EXPECT_NE(key_of(changed), key) << i;
  }
  EXPECT_EQ(key_of(weights.clone()), key);
}

}  // namespace
}  // namespace coracle::internal::test
