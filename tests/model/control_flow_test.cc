// SPDX-License-Identifier: Apache-2.0
// Control flow as Paddle's exporters write it: variables whose type changes, values chosen from branches, arrays.
#include <gtest/gtest.h>

#include <cmath>

#include "model/load.h"
#include "support/memory_file.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using test::BlockWriter;
using test::OpWriter;
using test::variable;

Graph load_blocks(const std::vector<BlockWriter>& blocks) {
  const std::string program = test::program_file(blocks);
  return load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file(""))).graph;
}

Tensor floats(const Shape& shape, const std::vector<float>& values) { return Tensor::of<float>(shape, values); }
Tensor flag(bool value) { return Tensor::of<bool>(Shape{1}, {&value, 1}); }

Tensor first_output(const Graph& graph, const std::vector<Tensor>& inputs) { return evaluate_graph(graph, inputs)[0]; }

OpWriter constant(const char* name, int dtype, const char* value) {
  return OpWriter("fill_constant")
      .out("Out", {name})
      .integers("shape", {1})
      .integer("dtype", dtype)
      .string("str_value", value);
}
OpWriter binary(const char* type, const char* x, const char* y, const char* out) {
  return OpWriter(type).in("X", {x}).in("Y", {y}).out("Out", {out}).integer("axis", -1);
}
OpWriter copy(const char* from, const char* to) { return OpWriter("assign").in("X", {from}).out("Out", {to}); }
OpWriter conditional(const char* condition, const test::Names& out, int block) {
  return OpWriter("conditional_block")
      .in("Cond", {condition})
      .out("Out", out)
      .boolean("is_scalar_condition", true)
      .block("sub_block", block);
}
OpWriter select(const char* no, const char* yes, const char* out) {
  return OpWriter("select_input").in("X", {no, yes}).in("Mask", {"mask"}).out("Out", {out});
}

int count_of(const Graph& graph, std::string_view op) {
  int count = 0;
  for (NodeId n : graph.order()) {
    count += graph.node(n).op.name() == op ? 1 : 0;
    for (const std::shared_ptr<Graph>& region : graph.node(n).regions) count += count_of(*region, op);
  }
  return count;
}

/// i = 0; while i < n: `body`; i += 1. The variable `last` is float32[1] before, as exporters write what has no value.
std::vector<BlockWriter> loop_blocks(const std::vector<OpWriter>& body) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2, 3}, 0);
  test::add_feed(main, "n", test::kInt64, {1}, 1);
  main.variables.push_back(variable("i", test::kInt64, {1}));
  main.variables.push_back(variable("go", test::kBool, {1}));
  main.variables.push_back(variable("last", test::kInt64, {1}));
  main.operators.push_back(constant("i", 3, "0"));
  main.operators.push_back(binary("less_than", "i", "n", "go"));
  main.operators.push_back(OpWriter("assign_value")
                               .out("Out", {"last"})
                               .integer("dtype", test::kFloat32)
                               .integers("shape", {1})
                               .reals("fp32_values", {1.77e27F}));
  main.operators.push_back(OpWriter("while").in("Condition", {"go"}).in("X", {"x", "n"}).block("sub_block", 1));
  test::add_fetch(main, "last", 0);
  BlockWriter loop{.index = 1, .parent = 0, .variables = {}, .operators = body};
  loop.operators.push_back(OpWriter("increment").in("X", {"i"}).out("Out", {"i"}).real("step", 1));
  loop.operators.push_back(binary("less_than", "i", "n", "go"));
  return {main, loop};
}

TEST(ControlFlow, AVariableFirstAssignedInALoop) {
  const Graph graph = load_blocks(loop_blocks({copy("i", "last")}));
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  for (int64_t n : {1, 4}) {
    const Tensor last = first_output(graph, {x, Tensor::ints({&n, 1})});
    EXPECT_EQ(last.dtype(), DType::kInt64);
    EXPECT_EQ(last.integer(0), n - 1);
  }
}

/// The loop inside is imported again with wider types when those of the outer loop change, its branches too.
TEST(ControlFlow, TypesThatChangeReachLoopsInside) {
  std::vector<BlockWriter> blocks =
      loop_blocks({constant("j", 3, "0"), binary("less_than", "j", "n", "more"),
                   OpWriter("while").in("Condition", {"more"}).in("X", {"x", "n"}).block("sub_block", 2)});
  BlockWriter inner{.index = 2, .parent = 1, .variables = {}, .operators = {}};
  blocks[1].variables = {variable("j", test::kInt64, {1}), variable("more", test::kBool, {1})};
  inner.operators = {constant("zero", 3, "0"),
                     binary("equal", "j", "zero", "first"),
                     OpWriter("cast").in("X", {"first"}).out("Out", {"mask"}).integer("out_dtype", 2),
                     OpWriter("logical_not").in("X", {"first"}).out("Out", {"later"}),
                     conditional("first", {"a"}, 3),
                     conditional("later", {"b"}, 4),
                     select("b", "a", "chosen"),
                     copy("chosen", "last"),
                     OpWriter("increment").in("X", {"j"}).out("Out", {"j"}).real("step", 1),
                     binary("less_than", "j", "n", "more")};
  for (const char* n : {"a", "b"}) inner.variables.push_back(variable(n, test::kFloat32, {2, 3}));
  BlockWriter a{.index = 3, .parent = 2, .variables = {}, .operators = {copy("x", "a")}};
  BlockWriter b{.index = 4, .parent = 2, .variables = {}, .operators = {binary("elementwise_add", "last", "x", "b")}};
  blocks.insert(blocks.end(), {inner, a, b});
  const Graph graph = load_blocks(blocks);
  EXPECT_EQ(count_of(graph, "while"), 2);
  EXPECT_EQ(count_of(graph, "if"), 1);
  const Tensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const int64_t n = 3;
  const Tensor last = first_output(graph, {x, Tensor::ints({&n, 1})});
  EXPECT_EQ(last.shape(), (Shape{2, 3}));
  EXPECT_EQ(last.number(1), 6);
}

/// x, c -> y from a pair of conditional blocks, of which each writes another variable; the other side of each
/// select_input is a placeholder.
std::vector<BlockWriter> placeholder_blocks() {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  test::add_feed(main, "c", test::kBool, {1}, 1);
  for (const char* n : {"a", "b"}) main.variables.push_back(variable(n, test::kFloat32, {2}));
  main.operators.insert(main.operators.end(),
                        {conditional("c", {"a"}, 1), OpWriter("logical_not").in("X", {"c"}).out("Out", {"not_c"}),
                         constant("placeholder", 3, "7"), conditional("not_c", {"b"}, 2),
                         OpWriter("cast").in("X", {"c"}).out("Out", {"mask"}).integer("out_dtype", 2),
                         select("placeholder", "a", "y"), select("b", "placeholder", "z")});
  test::add_fetch(main, "y", 0);
  test::add_fetch(main, "z", 1);
  BlockWriter yes{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  yes.operators.push_back(binary("elementwise_add", "x", "x", "a"));
  BlockWriter no{.index = 2, .parent = 0, .variables = {}, .operators = {}};
  no.operators.push_back(OpWriter("relu").in("X", {"x"}).out("Out", {"b"}));
  return {main, yes, no};
}

TEST(ControlFlow, BranchesThatAssignDifferentVariablesAreOneIf) {
  const Graph graph = load_blocks(placeholder_blocks());
  EXPECT_EQ(count_of(graph, "if"), 1);
  EXPECT_EQ(count_of(graph, "select_input"), 0);
  EXPECT_FALSE(graph.fact(graph.outputs()[0]).type_known());
  const Tensor x = floats({2}, {3, -4});
  const std::vector<Tensor> yes = evaluate_graph(graph, std::vector<Tensor>{x, flag(true)});
  EXPECT_EQ(yes[0].number(1), -8);
  EXPECT_EQ(yes[1].dtype(), DType::kInt64);
  const std::vector<Tensor> no = evaluate_graph(graph, std::vector<Tensor>{x, flag(false)});
  EXPECT_EQ(no[0].integer(0), 7);
  EXPECT_EQ(no[1].number(1), 0);
}

TEST(ControlFlow, SelectInputOfThreeBranches) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  test::add_feed(main, "k", test::kInt32, {1}, 1);
  const char* const names[] = {"a", "b", "c"};
  const char* const numbers[] = {"0", "1", "2"};
  const char* const conditions[] = {"is_a", "is_b", "is_c"};
  const char* const types[] = {"relu", "abs", "exp"};
  std::vector<BlockWriter> blocks(1);
  for (int i = 0; i < 3; ++i) {
    main.variables.push_back(variable(names[i], test::kFloat32, {2}));
    main.operators.push_back(constant("number", 2, numbers[i]));
    main.operators.push_back(binary("equal", "k", "number", conditions[i]));
    main.operators.push_back(conditional(conditions[i], {names[i]}, i + 1));
    BlockWriter branch{.index = i + 1, .parent = 0, .variables = {}, .operators = {}};
    branch.operators.push_back(OpWriter(types[i]).in("X", {"x"}).out("Out", {names[i]}));
    blocks.push_back(branch);
  }
  main.operators.push_back(OpWriter("select_input").in("X", {"a", "b", "c"}).in("Mask", {"k"}).out("Out", {"y"}));
  main.operators.push_back(OpWriter("fetch_v2").in("X", {"y"}).out("Out", {"fetch"}).integer("col", 0));
  blocks[0] = main;
  const Graph graph = load_blocks(blocks);
  ASSERT_EQ(graph.outputs().size(), 1U);
  const double expected[] = {0, 1, std::exp(-1)};
  for (int32_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(first_output(graph, {floats({2}, {-1, 0}), Tensor::of<int32_t>({1}, {&k, 1})}).number(0), expected[k],
                1e-6);
  }
}

TEST(ControlFlow, AnArrayThatNothingHasWrittenIsEmpty) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  test::add_feed(main, "c", test::kBool, {1}, 1);
  main.variables.push_back(variable("array", test::kFloat32, {}, false, 13));
  main.operators.push_back(OpWriter("lod_array_length").in("X", {"array"}).out("Out", {"before"}));
  main.operators.push_back(conditional("c", {"array"}, 1));
  main.operators.push_back(OpWriter("lod_array_length").in("X", {"array"}).out("Out", {"after"}));
  test::add_fetch(main, "before", 0);
  test::add_fetch(main, "after", 1);
  BlockWriter yes{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  yes.operators.push_back(OpWriter("lod_array_length").in("X", {"array"}).out("Out", {"at"}));
  yes.operators.push_back(OpWriter("write_to_array").in("X", {"x"}).in("I", {"at"}).out("Out", {"array"}));
  const Graph graph = load_blocks({main, yes});
  for (const bool c : {true, false}) {
    const std::vector<Tensor> lengths = evaluate_graph(graph, std::vector<Tensor>{floats({2}, {1, 2}), flag(c)});
    EXPECT_EQ(lengths[0].integer(0), 0);
    EXPECT_EQ(lengths[1].integer(0), c ? 1 : 0);
  }
}

/// y = x + w [3] where c holds, else x: that x has 2 elements matters only where the branch is taken.
TEST(ControlFlow, ABranchThatDoesNotFitMayGuardItself) {
  std::vector<BlockWriter> blocks = placeholder_blocks();
  blocks[0].operators.insert(
      blocks[0].operators.begin() + 2,
      {constant("one", 5, "1"), OpWriter("expand_v2").in("X", {"one"}).out("Out", {"w"}).integers("shape", {3})});
  blocks[1].operators = {binary("elementwise_add", "x", "w", "a")};
  const Graph graph = load_blocks(blocks);
  const Tensor x = floats({2}, {3, -4});
  EXPECT_EQ(evaluate_graph(graph, std::vector<Tensor>{x, flag(false)})[1].number(0), 3);
  EXPECT_THROW(evaluate_graph(graph, std::vector<Tensor>{x, flag(true)}), Error);
}

TEST(ControlFlow, SelectInputOfPirHasItsValuesOneByOne) {
  namespace pir = test::pir;
  const std::string pair = pir::tensor("t_f32", {2});
  const std::string mask = pir::tensor("t_i32", {1});
  const std::vector<std::string> operations{pir::data(1, "x", pair),
                                            pir::data(2, "k", mask),
                                            pir::operation("1.abs", {1}, {{3, pair}}),
                                            pir::operation("1.exp", {1}, {{4, pair}}),
                                            pir::operation("1.select_input", {2, 1, 3, 4}, {{5, pair}}),
                                            pir::fetch(5, 6, 0, pair)};
  const std::string program = pir::program_file(operations);
  const LoadedModel model = load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file("")));
  const double expected[] = {-1, 1, std::exp(-1)};
  for (int32_t k = 0; k < 3; ++k) {
    const std::vector<Tensor> inputs{floats({2}, {-1, 0}), Tensor::of<int32_t>({1}, {&k, 1})};
    EXPECT_NEAR(first_output(model.graph, inputs).number(0), expected[k], 1e-6);
  }
}

/// Pops inside a loop's region shorten the list around it.
TEST(ControlFlow, AListPoppedInALoopOfPir) {
  namespace pir = test::pir;
  const std::string one = pir::tensor("t_f32", {1});
  const std::string position = pir::tensor("t_i64", {1});
  const std::string truth = pir::tensor("t_bool", {1});
  const std::string array = R"({"#":"1.t_dense_tensor_array","D":[{"#":"0.t_f32"},[1],"NCHW"]})";
  const std::string body = pir::region(
      {pir::operation("1.array_pop", {5}, {{10, array}, {11, one}}, {pir::attribute("index", "0.a_i32", "-1")}),
       pir::operation("1.add", {-1, -1}, {{12, one}}), pir::operation("1.add", {12, 11}, {{13, one}}),
       pir::operation("1.array_length", {5}, {{14, position}}), pir::operation("1.less_than", {6, 14}, {{15, truth}}),
       pir::operation("2.yield", {15, 13}, {})},
      {{-1, one}});
  std::vector<std::string> operations{
      pir::data(1, "x", one),
      pir::full(2, 0, "int64", "t_i64", {1}),
      pir::full(6, 1, "int64", "t_i64", {1}),
      pir::operation("1.create_array", {}, {{5, array}}),
  };
  for (int i = 0; i < 3; ++i) {
    operations.push_back(pir::full(20 + i, i, "int64", "t_i64", {1}));
    operations.push_back(pir::full(30 + i, i + 1, "float32", "t_f32", {1}));
    operations.push_back(pir::operation("1.array_write_", {5, 30 + i, 20 + i}, {{40 + i, array}}));
  }
  operations.insert(operations.end(), {pir::operation("1.array_length", {5}, {{50, position}}),
                                       pir::operation("1.less_than", {6, 50}, {{51, truth}}),
                                       pir::operation("1.while", {51, 1}, {{52, one}}, {}, {body}),
                                       pir::operation("1.array_length", {5}, {{53, position}}),
                                       pir::fetch(52, 60, 0, one), pir::fetch(53, 61, 1, position)});
  const std::string program = pir::program_file(operations);
  const LoadedModel model = load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file("")));
  const std::vector<Tensor> out = evaluate_graph(model.graph, std::vector<Tensor>{floats({1}, {1})});
  EXPECT_EQ(out[0].number(0), 12) << "((1 * 2) + 3) * 2 + 2";
  EXPECT_EQ(out[1].integer(0), 1);
}

}  // namespace
}  // namespace coracle::internal
