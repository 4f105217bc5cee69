// SPDX-License-Identifier: Apache-2.0
// Rewrites keep name scopes: see Patch.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "passes/pass.h"
#include "passes/pass_cases.h"

namespace coracle::internal {
namespace {

void mark_all(Graph& graph, std::string_view scope) {
  for (NodeId id : graph.order()) {
    graph.set_scope(id, scope);
    for (const std::shared_ptr<Graph>& region : graph.node(id).regions) mark_all(*region, scope);
  }
}

std::string without_scope(const Graph& graph, std::string_view scope) {
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.scope != scope) return text(node.op.name(), " has the scope '", node.scope, "'");
    for (const std::shared_ptr<Graph>& region : node.regions) {
      if (std::string wrong = without_scope(*region, scope); !wrong.empty()) return wrong;
    }
  }
  return {};
}

/// Whatever a pass makes of nodes of one scope has it.
TEST(ScopesOfRewrites, AreNeverLostWithinOne) {
  size_t rewritten = 0;
  for (const Pass& pass : pipeline()) {
    for (const test::PassCase& c : test::read_pass_cases(CORACLE_PASS_CASES, pass.name)) {
      SCOPED_TRACE(text(c.pass, ".txt, line ", c.line, ": ", c.name));
      Graph graph = parse(c.before);
      mark_all(graph, "/one/");
      RewriteBudget unlimited(-1);
      rewritten += run_pass(pass, graph, unlimited) > 0 ? 1 : 0;
      EXPECT_EQ(without_scope(graph, "/one/"), "");
    }
  }
  EXPECT_GT(rewritten, 20U);
}

/// The nodes that the whole pipeline leaves of these lines: "conv2d_fused /a/". %x is [1, 3, 8, 8].
std::string left_of(const std::string& lines) {
  Graph graph = parse(R"(graph (%x: float32[1, 3, 8, 8]) {
    @w: float32[3, 3, 3, 3] = random(1)
    @channels: float32[3] = random(2, 1, 2)
    @matrix: float32[8, 8] = random(3)
    @row: float32[8] = random(4)
    @two: float32[1] = {2}
)" + lines + "}");
  run_passes(graph, {.disabled = {}, .verify_types = true});
  std::string out;
  for (NodeId id : graph.order()) {
    out += text(out.empty() ? "" : ", ", graph.node(id).op.name(), " ", graph.node(id).scope);
  }
  return out;
}

TEST(ScopesOfRewrites, WhatIsFusedStandsWhereTheProductStood) {
  // Through the epilogue, in any number of steps.
  EXPECT_EQ(left_of(R"(
    %0 = conv2d(%x, @w) {paddings = [1, 1]} scope "/a/"
    %1 = batch_norm(%0, @channels, @channels, @channels, @channels) scope "/b/"
    %2 = relu(%1) scope "/c/"
    return %2)"),
            "conv2d_fused /a/");
  EXPECT_EQ(left_of(R"(
    %0 = matmul(%x, @matrix)
    %1 = add(%0, @row) scope "/a/"
    %2 = gelu(%1) scope "/a/"
    return %2)"),
            "linear ")
      << "what is not marked does not become so";
  // A residual is added to one product, whose scope it then has.
  EXPECT_EQ(left_of(R"(
    %0 = abs(%x) scope "/r/"
    %1 = conv2d(%0, @w) {paddings = [1, 1]} scope "/a/"
    %2 = add(%0, %1) scope "/b/"
    return %2)"),
            "abs /r/, conv2d_fused /a/");
  // What comes before the product does not count: the transposition goes into it.
  EXPECT_EQ(left_of(R"(
    %0 = abs(%x) scope "/r/"
    %1 = transpose(%0) {perm = [0, 1, 3, 2]} scope "/t/"
    %2 = matmul(%x, %1) scope "/m/"
    return %2)"),
            "abs /r/, matmul /m/");
}

TEST(ScopesOfRewrites, WithoutAProductTheFirstCounts) {
  EXPECT_EQ(left_of(R"(
    %0 = multiply(%x, @two) scope "/a/"
    %1 = add(%x, %0) scope "/b/"
    return %1)"),
            "multiply /a/");
}

/// Of two equal nodes the first stays as it is.
TEST(ScopesOfRewrites, EqualNodesKeepTheFirstOne) {
  EXPECT_EQ(left_of(R"(
    %0 = exp(%x) scope "/a/"
    %1 = exp(%x) scope "/b/"
    %2 = subtract(%0, %1)
    return %2)"),
            "exp /a/, subtract ");
}

}  // namespace
}  // namespace coracle::internal
