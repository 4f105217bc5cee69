// SPDX-License-Identifier: Apache-2.0
// The name scopes of both formats reach the nodes that their operators become.
#include <gtest/gtest.h>

#include <set>

#include "model/load.h"
#include "support/memory_file.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using test::BlockWriter;
using test::OpWriter;
using test::variable;

Graph loaded(const std::string& program) {
  return load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file(""))).graph;
}

void add_operators(BlockWriter& block, const std::vector<OpWriter>& operators) {
  block.operators.insert(block.operators.end(), operators.begin(), operators.end());
}

/// "relu /a/" for each node, those of regions behind their own.
std::vector<std::string> scopes(const Graph& graph) {
  std::vector<std::string> all;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    all.push_back(text(node.op.name(), " ", node.scope));
    for (const std::shared_ptr<Graph>& region : node.regions) {
      for (const std::string& s : scopes(*region)) all.push_back(s);
    }
  }
  return all;
}

using Lines = std::vector<std::string>;

OpWriter scoped_unary(const char* type, const char* from, const char* to, const char* scope) {
  return OpWriter(type).in("X", {from}).out("Out", {to}).string("op_namescope", scope);
}
OpWriter conditional_block(const char* condition, const char* out, int block, const char* scope) {
  return OpWriter("conditional_block")
      .in("Cond", {condition})
      .out("Out", {out})
      .boolean("is_scalar_condition", true)
      .block("sub_block", block)
      .string("op_namescope", scope);
}

TEST(Scopes, OfAProgramDesc) {
  BlockWriter block;
  test::add_feed(block, "x", test::kFloat32, {2, 3}, 0);
  add_operators(block, {
                           scoped_unary("relu", "x", "a", "/encoder/layer_0/"),
                           scoped_unary("abs", "a", "b", "/"),
                           OpWriter("exp").in("X", {"b"}).out("Out", {"c"}),
                           scoped_unary("tanh", "c", "d", "/a\nb/"),
                           OpWriter("sin").in("X", {"d"}).out("Out", {"e"}).integer("op_namescope", 3),
                           // Of old form: more nodes than one.
                           OpWriter("matmul")
                               .in("X", {"e"})
                               .in("Y", {"e"})
                               .out("Out", {"f"})
                               .boolean("transpose_Y", true)
                               .real("alpha", 2)
                               .string("op_namescope", "/m/"),
                       });
  test::add_fetch(block, "f", 0);
  const Graph graph = loaded(test::program_file({block}));
  EXPECT_EQ(scopes(graph),
            (Lines{"relu /encoder/layer_0/", "abs ", "exp ", R"(tanh /a\x0ab/)", "sin ", "matmul /m/", "scale /m/"}));
}

/// A pair of blocks becomes an `if` where select_input stands, a single one where its result is read: with the scope of
/// the block in either case, and not with that of the reader.
TEST(Scopes, OfBranches) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  test::add_feed(main, "c", test::kBool, {1}, 1);
  for (const char* n : {"a", "b"}) main.variables.push_back(variable(n, test::kFloat32, {2}));
  for (const char* n : {"single", "y"}) main.variables.push_back(variable(n, test::kFloat32, {2}));
  add_operators(main, {
                          OpWriter("cast").in("X", {"c"}).out("Out", {"mask"}).integer("out_dtype", 2),
                          scoped_unary("logical_not", "c", "no", "/"),
                          conditional_block("c", "a", 1, "/pair/"),
                          conditional_block("no", "b", 2, "/pair/"),
                          OpWriter("select_input")
                              .in("X", {"b", "a"})
                              .in("Mask", {"mask"})
                              .out("Out", {"y"})
                              .string("op_namescope", "/s/"),
                          scoped_unary("exp", "y", "z", "/reader/"),
                          scoped_unary("assign", "z", "single", "/"),
                          conditional_block("c", "single", 3, "/single/"),
                          scoped_unary("sqrt", "single", "out", "/reader/"),
                      });
  test::add_fetch(main, "out", 0);
  BlockWriter yes{.index = 1, .parent = 0, .variables = {}, .operators = {scoped_unary("relu", "x", "a", "/pair/in/")}};
  BlockWriter no{.index = 2, .parent = 0, .variables = {}, .operators = {scoped_unary("abs", "x", "b", "/")}};
  BlockWriter one{.index = 3, .parent = 0, .variables = {}, .operators = {scoped_unary("tanh", "z", "single", "/t/")}};
  const Graph graph = loaded(test::program_file({main, yes, no, one}));
  EXPECT_EQ(scopes(graph), (Lines{"cast ", "logical_not ", "if /pair/", "relu /pair/in/", "abs ", "exp /reader/",
                                  "assign ", "if /single/", "tanh /t/", "sqrt /reader/"}));
}

/// What turns its block into a loop's body has the operator's scope, the block's operators have their own.
TEST(Scopes, OfARecurrentBlock) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {3, 2}, 0);
  test::add_feed(main, "h", test::kFloat32, {2}, 1);
  main.variables.push_back(variable("y", test::kFloat32, {3, 2}));
  OpWriter recurrent = OpWriter("recurrent")
                           .in("inputs", {"x"})
                           .in("initial_states", {"h"})
                           .out("outputs", {"y"})
                           .block("sub_block", 1)
                           .string("op_namescope", "/rnn/");
  recurrent.strings("ex_states", {"before"}).strings("states", {"y"});
  add_operators(main, {recurrent});
  test::add_fetch(main, "y", 0);
  BlockWriter step{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  for (const char* n : {"before", "y"}) step.variables.push_back(variable(n, test::kFloat32, {2}));
  step.operators = {OpWriter("elementwise_add")
                        .in("X", {"x"})
                        .in("Y", {"before"})
                        .out("Out", {"y"})
                        .integer("axis", -1)
                        .string("op_namescope", "/step/")};
  const Lines lines = scopes(loaded(test::program_file({main, step})));
  EXPECT_GT(lines.size(), 8U);
  std::multiset<std::string> own;
  for (const std::string& line : lines) {
    if (!line.ends_with(" /rnn/")) own.insert(line);
  }
  EXPECT_EQ(own, (std::multiset<std::string>{"add /step/"}));
}

TEST(Scopes, OfAPirProgram) {
  namespace pir = test::pir;
  const std::string pair = pir::tensor("t_f32", {2});
  const auto in = [](const char* scope) { return Lines{pir::string_attribute("struct_name", scope)}; };
  const std::string yes = pir::region(
      {pir::operation("1.exp", {3}, {{4, pair}}, in("/Net/If/")), pir::operation("2.yield", {4}, {}, in("/Net/"))});
  const std::string no =
      pir::region({pir::operation("1.abs", {3}, {{5, pair}}), pir::operation("2.yield", {5}, {}, in("/Net/"))});
  const Graph graph = loaded(
      pir::program_file({pir::data(1, "x", pair), pir::data(2, "c", pir::tensor("t_bool", {1})),
                         pir::operation("1.relu", {1}, {{3, pair}}, in("/Net/Linear_1/")),
                         pir::operation("1.if", {2}, {{6, pair}}, in("/Net/"), {yes, no}),
                         pir::operation("1.tanh", {6}, {{7, pair}}, in("/")),
                         pir::operation("1.sin", {7}, {{8, pair}}, {pir::attribute("struct_name", "0.a_i32", "3")}),
                         pir::operation("1.gelu", {8}, {{9, pair}}, in("/Net/GELU/")), pir::fetch(9, 10, 0, pair)}));
  EXPECT_EQ(scopes(graph),
            (Lines{"relu /Net/Linear_1/", "if /Net/", "exp /Net/If/", "abs ", "tanh ", "sin ", "gelu /Net/GELU/"}));
}

TEST(Scopes, LongOnesAreNone) {
  for (const size_t length : {kMostScope, kMostScope + 1}) {
    BlockWriter block;
    test::add_feed(block, "x", test::kFloat32, {2}, 0);
    const std::string scope(length, 'a');
    add_operators(block, {scoped_unary("relu", "x", "y", scope.c_str())});
    test::add_fetch(block, "y", 0);
    const Graph graph = loaded(test::program_file({block}));
    EXPECT_EQ(graph.node(graph.order()[0]).scope, length == kMostScope ? scope : "");
  }
}

}  // namespace
}  // namespace coracle::internal
