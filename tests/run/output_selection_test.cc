// SPDX-License-Identifier: Apache-2.0
#include "run/output_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

// Runs that compute some outputs only.
namespace coracle::internal {
namespace {

using test::model_of;
using test::random_graph;
using test::random_tensor;

std::vector<std::string_view> some_of(const std::vector<std::string>& names, std::mt19937& random) {
  std::vector<std::string_view> chosen;
  for (const std::string& name : names) {
    if (random() % 2 == 0) chosen.emplace_back(name);
  }
  return chosen;
}

std::set<std::string> nodes_that_ran(const Session& session) {
  std::set<std::string> nodes;
  for (const ProfileEvent& event : session.profile()) nodes.insert(event.node);
  return nodes;
}

TEST(OutputSelection, ChosenOutputsHaveTheirBitsWhateverElseIsChosen) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto model = model_of(random_graph(seed, 25, seed % 3 == 0 ? 2 : 0));
    std::vector<std::string> names;
    for (const TensorInfo& info : model->info().outputs) names.push_back(info.name);
    std::set<std::string> different(names.begin(), names.end());
    ASSERT_EQ(different.size(), names.size());
    Session all(model, {.threads = 2});
    Session some(model, {.threads = 2});
    std::mt19937 random(seed);
    for (const Shape& shape : test::kSmallImages) {
      const Tensor x = random_tensor(shape, seed);
      const std::vector<Tensor> expected = test::run(all, {x});
      const std::vector<std::string_view> chosen = some_of(names, random);
      some.select_outputs(chosen);
      some.set_input(0, x);
      some.run();
      for (size_t i = 0; i < names.size(); ++i) {
        const bool is_chosen = chosen.empty() || std::find(chosen.begin(), chosen.end(), names[i]) != chosen.end();
        if (is_chosen) {
          EXPECT_TRUE(test::same_bits({some.output(i)}, {expected[i]})) << names[i];
        } else {
          EXPECT_THROW(some.output(i), Error) << names[i];
        }
      }
    }
  }
}

const char* const kTwoWays = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(3)
  @v: float32[8, 8] = random(4)
  %a "a" = matmul(%x, @w)
  %b "b" = tanh(%a)
  %c "c" = matmul(%x, @v)
  %d "d" = matmul(%c, @v)
  %e "e" = softmax(%d)
  return %b "b", %e "e"
})";

TEST(OutputSelection, WhatIsNotNeededDoesNotRun) {
  const auto model = model_of(kTwoWays);
  Session session(model, {.threads = 1});
  session.set_profiling(true);
  const std::vector<Tensor> expected = test::run(session, {random_tensor({3, 8}, 1)});
  const std::set<std::string> all = nodes_that_ran(session);
  const size_t plans = model->program()->steps().plans_made();
  const std::string_view first = "b";
  session.select_outputs({&first, 1});
  session.run();
  const std::set<std::string> of_first = nodes_that_ran(session);
  EXPECT_TRUE(test::same_bits({session.output(0)}, {expected[0]}));
  const std::string_view second = "e";
  session.select_outputs({&second, 1});
  session.run();
  const std::set<std::string> of_second = nodes_that_ran(session);
  EXPECT_TRUE(test::same_bits({session.output(1)}, {expected[1]}));
  EXPECT_LT(of_first.size(), all.size());
  EXPECT_LT(of_second.size(), all.size());
  std::set<std::string> together = of_first;
  together.insert(of_second.begin(), of_second.end());
  EXPECT_EQ(together, all);
  std::vector<std::string> in_both;
  std::set_intersection(of_first.begin(), of_first.end(), of_second.begin(), of_second.end(),
                        std::back_inserter(in_both));
  EXPECT_TRUE(in_both.empty());
  EXPECT_EQ(model->program()->steps().plans_made(), plans) << "plans are those of all outputs";
  session.select_outputs({});
  session.run();
  EXPECT_EQ(nodes_that_ran(session), all);
  EXPECT_TRUE(test::same_bits({session.output(0), session.output(1)}, expected));
}

TEST(OutputSelection, KeepsMemoryThatOutputsAreBoundTo) {
  const auto model = model_of(kTwoWays);
  Session session(model, {.threads = 1});
  const Tensor x = random_tensor({4, 8}, 2);
  const std::vector<Tensor> expected = test::run(session, {x});
  std::vector<float> b(32, 7);
  std::vector<float> e(32, 7);
  const std::string_view second = "e";
  session.select_outputs({&second, 1});
  session.bind_output(0, b.data(), 128);
  session.bind_output(1, e.data(), 128);
  session.run();
  EXPECT_TRUE(std::equal(e.begin(), e.end(), expected[1].data<float>()));
  EXPECT_EQ(std::count(b.begin(), b.end(), 7.0F), 32) << "an output that is not computed leaves its memory alone";
  session.select_outputs({});
  session.run();
  EXPECT_TRUE(std::equal(b.begin(), b.end(), expected[0].data<float>()));
}

TEST(OutputSelection, NamesAreChecked) {
  const auto model = model_of(kTwoWays);
  Session session(model, {.threads = 1});
  const std::string_view wrong = "f";
  EXPECT_THROW(session.select_outputs({&wrong, 1}), Error);
  test::run(session, {random_tensor({1, 8}, 3)});  // as before
}

}  // namespace
}  // namespace coracle::internal
