// SPDX-License-Identifier: Apache-2.0
#include "passes/pass.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/text.h"
#include "ops/activation/abs.h"
#include "ops/activation/relu.h"
#include "ops/activation/tanh.h"
#include "ops/elementwise/cast.h"
#include "passes/pass_cases.h"
#include "support/graph_access.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

const char* const kNetwork = R"(graph (%x: float32[?, 3, 8, 8]) {
  @w: float32[4, 3, 3, 3] = random(1)
  @c: float32[4] = random(2, 1, 2)
  @matrix: float32[4, 5] = random(3)
  @bias: float32[5] = random(4)
  @axes: int64[2] = {2, 3}
  %0 = assign(%x)
  %1 = conv2d(%0, @w) {paddings = [1, 1]}
  %2 = batch_norm(%1, @c, @c, @c, @c)
  %3 = relu(%2)
  %4 = mean(%3, @axes)
  %5 = matmul(%4, @matrix)
  %6 = add(%5, @bias)
  %7 = softmax(%6)
  %8 = exp(%7)
  return %7 "out"
})";

std::set<std::string> names(const std::vector<PassCount>& counts) {
  std::set<std::string> out;
  for (const PassCount& c : counts) out.insert(c.name);
  return out;
}

Graph after(const PassOptions& options, std::vector<PassCount>* counts = nullptr) {
  Graph graph = parse(kNetwork);
  const std::vector<PassCount> done = run_passes(graph, options);
  if (counts != nullptr) *counts = done;
  verify(graph, true);
  return graph;
}

std::string results_differ(const Graph& graph) {
  const Graph before = parse(kNetwork);
  const std::vector<Tensor> inputs = test::inputs_for(before, 7);
  return test::difference(evaluate_graph(before, inputs), evaluate_graph(graph, inputs));
}

TEST(Passes, AllTogetherLeaveOneNodePerProduct) {
  const Graph graph = after({.disabled = {}, .verify_types = true});
  std::vector<std::string> ops;
  for (NodeId id : graph.order()) ops.emplace_back(graph.node(id).op.name());
  EXPECT_EQ(ops, (std::vector<std::string>{"conv2d_fused", "mean", "linear", "softmax"}));
  EXPECT_EQ(results_differ(graph), "");
}

TEST(Passes, EachAloneKeepsTheResults) {
  for (const Pass& pass : pipeline()) {
    PassOptions options{.disabled = {}, .verify_types = true};
    for (const Pass& other : pipeline()) {
      if (std::string_view(other.name) != pass.name) options.disabled.emplace_back(other.name);
    }
    EXPECT_EQ(results_differ(after(options)), "") << pass.name;
  }
}

TEST(Passes, GeneratedGraphsKeepTheirResults) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Graph before = test::random_graph(seed, 30);
    const std::vector<Tensor> inputs{test::random_tensor({2, 4, 5, 6}, seed)};
    const std::vector<Tensor> expected = evaluate_graph(before, inputs);
    for (const Pass& pass : pipeline()) {
      Graph graph = test::random_graph(seed, 30);
      RewriteBudget unlimited(-1);
      run_pass(pass, graph, unlimited);
      verify(graph, true);
      EXPECT_EQ(test::difference(expected, evaluate_graph(graph, inputs)), "") << pass.name << ", seed " << seed;
    }
    Graph graph = test::random_graph(seed, 30);
    run_passes(graph, {.disabled = {}, .verify_types = true});
    EXPECT_EQ(test::difference(expected, evaluate_graph(graph, inputs)), "") << "all passes, seed " << seed;
  }
}

TEST(Passes, SwitchesLeavePassesOut) {
  std::vector<PassCount> counts;
  after({}, &counts);
  const std::set<std::string> all = names(counts);
  EXPECT_GE(all.size(), 5U);
  for (const std::string& name : all) {
    const Graph graph = after({.disabled = {name}}, &counts);
    EXPECT_FALSE(names(counts).contains(name));
    EXPECT_EQ(results_differ(graph), "") << "without " << name;
  }
  const Graph untouched = after({.disabled = {"all"}}, &counts);
  EXPECT_TRUE(counts.empty());
  EXPECT_EQ(print(untouched), print(parse(kNetwork)));
}

TEST(Passes, TheBisectLimitStopsAfterThatManyRewrites) {
  std::vector<PassCount> counts;
  const std::string full = print(after({}, &counts));
  int total = 0;
  for (const PassCount& c : counts) total += c.count;
  ASSERT_GE(total, 8);
  std::set<std::string> stages;
  for (int limit = 0; limit <= total; ++limit) {
    const Graph graph = after({.disabled = {}, .max_rewrites = limit, .verify_types = true}, &counts);
    int done = 0;
    bool swept = false;
    for (const PassCount& c : counts) {
      done += c.count;
      swept |= c.name == "dead_code";
    }
    // A sweep of dead code is one rewrite that takes many nodes.
    EXPECT_TRUE(swept || done == std::min(limit, total)) << done << " of " << limit;
    EXPECT_EQ(results_differ(graph), "") << "after " << limit << " rewrites";
    stages.insert(print(graph));
  }
  EXPECT_EQ(print(after({.disabled = {}, .max_rewrites = 0})), print(parse(kNetwork)));
  EXPECT_EQ(print(after({.disabled = {}, .max_rewrites = total})), full);
  EXPECT_GE(stages.size(), 6U);
}

// ---- the driver

/// A pass of one rewrite at nodes of type T.
template <class T, class F>
Pass single(const char* name, const F& apply) {
  Pattern p;
  const auto x = p.any();
  const auto root = p.op<T>({x});
  return {.name = name,
          .rewrites = {{p, root, [=](const Match& m, Patch& patch) { return apply(patch, m[x], m.output(root)); }}}};
}

TEST(PassDriver, ARewriteThatDeclinesChangesNothing) {
  const Pass pass = single<Relu>("declines", [](Patch& patch, ValueId x, ValueId) {
    patch.add(Abs{}, {{x}});
    return false;
  });
  Graph graph = parse("graph (%x: float32[2]) { %y = relu(%x) return %y }");
  const std::string before = print(graph);
  RewriteBudget budget(-1);
  EXPECT_EQ(run_pass(pass, graph, budget), 0);
  EXPECT_EQ(print(graph), before);
}

TEST(PassDriver, ARewriteToAnotherTypeIsRefused) {
  const Pass pass = single<Relu>("to_int", [](Patch& patch, ValueId x, ValueId out) {
    patch.replace(out, patch.add(Cast{DType::kInt32}, {{x}}));
    return true;
  });
  Graph graph = parse("graph (%x: float32[2]) { %y = relu(%x) return %y }");
  const std::string before = print(graph);
  RewriteBudget budget(-1);
  EXPECT_THROW(run_pass(pass, graph, budget), Error);
  EXPECT_EQ(print(graph), before);
}

TEST(PassDriver, RewritesThatUndoEachOtherEnd) {
  Pass pass = single<Relu>("there_and_back", [](Patch& patch, ValueId x, ValueId out) {
    patch.replace(out, patch.add(Abs{}, {{x}}));
    return true;
  });
  const Pass back = single<Abs>("back", [](Patch& patch, ValueId x, ValueId out) {
    patch.replace(out, patch.add(Relu{}, {{x}}));
    return true;
  });
  pass.rewrites.push_back(back.rewrites.front());
  Graph graph = parse("graph (%x: float32[2]) { %y = relu(%x) return %y }");
  RewriteBudget budget(-1);
  EXPECT_EQ(run_pass(pass, graph, budget), 100);
  verify(graph, true);
}

TEST(PassDriver, FromTheEndLargerPatternsMeetTheirPartsFirst) {
  const Pass relu_only = single<Relu>("relu_only", [](Patch& patch, ValueId x, ValueId out) {
    patch.replace(out, patch.add(Tanh{}, {{x}}));
    return true;
  });
  Pattern p;
  const auto x = p.any();
  const auto pair = p.op<Abs>({p.used_once(p.op<Relu>({x}))});
  const Rewrite both{p, pair, [=](const Match& m, Patch& patch) {
                       patch.replace(m.output(pair), patch.add(Tanh{}, {{m[x]}}));
                       return true;
                     }};
  const auto left_of = [&](WalkFrom from) {
    Graph graph = parse("graph (%x: float32[2]) { %y = relu(%x) %z = abs(%y) return %z }");
    RewriteBudget budget(-1);
    run_pass({.name = "pair", .rewrites = {both, relu_only.rewrites.front()}, .from = from}, graph, budget);
    return graph.order().size();
  };
  EXPECT_EQ(left_of(WalkFrom::kBegin), 2U);
  EXPECT_EQ(left_of(WalkFrom::kEnd), 1U);
}

TEST(PassDriver, AFunctionRunsBeforeRewrites) {
  Pass pass = single<Relu>("both", [](Patch& patch, ValueId x, ValueId out) {
    patch.replace(out, patch.add(Abs{}, {{x}}));
    return true;
  });
  std::vector<size_t> seen;
  pass.function = [&](Graph& graph, RewriteBudget&) {
    seen.push_back(graph.node(graph.order()[0]).op.is<Relu>() ? 1 : 0);
    return 0;
  };
  Graph graph = parse("graph (%x: float32[2]) { %y = relu(%x) return %y }");
  RewriteBudget budget(-1);
  EXPECT_EQ(run_pass(pass, graph, budget), 1);
  EXPECT_EQ(seen, (std::vector<size_t>{1, 0}));
}

TEST(PassDriver, ErrorsNameThePass) {
  // The recorded type of %y is wrong: the verifier finds it after the first pass that changes something.
  Graph graph = parse("graph (%x: float32[2]) { %a = assign(%x) %y = relu(%a) return %y }");
  GraphTestAccess::value(graph, graph.outputs()[0]).fact.shape = Shape{3};
  try {
    run_passes(graph, {.disabled = {}, .verify_types = true});
    FAIL() << "the wrong type passed";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("is recorded as float32[3] but is float32[2]"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("rewriting the graph by identity"), std::string::npos) << e.text();
  }
}

}  // namespace
}  // namespace coracle::internal
