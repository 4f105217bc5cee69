// SPDX-License-Identifier: Apache-2.0
// Runs the cases of <pass>.txt: the pass alone turns the graph before into the one after, and both give the same.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "passes/pass_cases.h"
#include "passes/passes.h"

namespace coracle::internal {
namespace {

using test::PassCase;

/// The passes of the pipeline, each once.
std::vector<Pass> distinct_passes() {
  std::vector<Pass> passes;
  for (const Pass& p : pipeline()) {
    const auto same = [&](const Pass& other) { return std::string_view(other.name) == p.name; };
    if (std::none_of(passes.begin(), passes.end(), same)) passes.push_back(p);
  }
  return passes;
}

const Pass& pass_of(const std::string& name) {
  for (const Pass& p : pipeline()) {
    if (name == p.name) return p;
  }
  fail(ErrorCode::kInvalidArgument, "there is no pass ", name);
}

std::vector<PassCase> all_cases() {
  std::vector<PassCase> cases;
  for (const Pass& p : distinct_passes()) {
    for (PassCase& c : test::read_pass_cases(CORACLE_PASS_CASES, p.name)) cases.push_back(std::move(c));
  }
  return cases;
}

class Rewrites : public ::testing::TestWithParam<PassCase> {};

TEST_P(Rewrites, GiveTheGraphExpectedAndTheSameResults) {
  const PassCase& c = GetParam();
  SCOPED_TRACE(text(c.pass, ".txt, line ", c.line, ": ", c.name));
  const Graph before = parse(c.before);
  Graph graph = parse(c.before);
  RewriteBudget unlimited(-1);
  const int count = run_pass(pass_of(c.pass), graph, unlimited);
  verify(graph, true);
  const bool stays = c.after.starts_with("unchanged");
  EXPECT_EQ(count == 0, stays);
  remove_dead(graph);
  graph.infer_all();
  EXPECT_EQ(print(graph), print(stays ? before : parse(c.after)));
  if (stays) return;
  for (unsigned seed : {1U, 2U, 3U}) {
    const std::vector<Tensor> inputs = test::inputs_for(before, seed);
    EXPECT_EQ(test::difference(evaluate_graph(before, inputs), evaluate_graph(graph, inputs)), "");
  }
}

std::string name_of_case(const ::testing::TestParamInfo<PassCase>& info) {
  return text(info.param.pass, "_line", info.param.line);
}

INSTANTIATE_TEST_SUITE_P(All, Rewrites, ::testing::ValuesIn(all_cases()), name_of_case);

TEST(RewriteCases, EveryPassHasSome) {
  for (const Pass& p : pipeline()) {
    int changes = 0;
    int stays = 0;
    for (const PassCase& c : test::read_pass_cases(CORACLE_PASS_CASES, p.name)) {
      ++(c.after.starts_with("unchanged") ? stays : changes);
    }
    EXPECT_GE(changes, 2) << "tests/passes/" << p.name << ".txt";
    EXPECT_GE(stays, 1) << "near-misses in tests/passes/" << p.name << ".txt";
  }
}

}  // namespace
}  // namespace coracle::internal
