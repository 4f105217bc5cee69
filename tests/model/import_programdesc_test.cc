// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/load.h"
#include "support/memory_file.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using test::BlockWriter;
using test::OpWriter;
using test::variable;

LoadedModel load(const std::vector<BlockWriter>& blocks, const std::string& params = {}) {
  const std::string program = test::program_file(blocks);
  return load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file(params)));
}

std::string error_of(const std::vector<BlockWriter>& blocks, const std::string& params = {}) {
  try {
    load(blocks, params);
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

Tensor float_value(const Shape& shape, const std::vector<float>& values) { return Tensor::of<float>(shape, values); }

/// y = relu(x + w), written to x's own name in between.
BlockWriter in_place_block() {
  BlockWriter block;
  test::add_feed(block, "x", test::kFloat32, {-1, 2}, 0);
  block.variables.push_back(variable("w", test::kFloat32, {2}, true));
  block.operators.push_back(
      OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"w"}).out("Out", {"x"}).integer("axis", -1));
  block.operators.push_back(OpWriter("relu").in("X", {"x"}).out("Out", {"x"}));
  test::add_fetch(block, "x", 0);
  return block;
}

TEST(ImportProgramDesc, NamesWrittenInPlaceAreSeveralValues) {
  const LoadedModel model = load({in_place_block()}, test::record<float>(test::kFloat32, {2}, {1, -3}));
  ASSERT_EQ(model.graph.order().size(), 2U);
  const std::vector<Tensor> in{float_value({2, 2}, {1, 2, -5, 4})};
  const std::vector<Tensor> out = evaluate_graph(model.graph, in);
  EXPECT_EQ(std::vector<float>(out[0].values<float>().begin(), out[0].values<float>().end()),
            (std::vector<float>{2, 0, 0, 1}));
  EXPECT_EQ(model.info.producer, "2.6.2");
  ASSERT_EQ(model.info.inputs.size(), 1U);
  EXPECT_EQ(model.info.inputs[0].shape, (Shape{Shape::kUnknown, 2}));
}

// Paddle's optimiser declares weights that it has padded so.
TEST(ImportProgramDesc, TypeAndShapeOfAnUndescribedParameterAreThoseOfItsFile) {
  BlockWriter block = in_place_block();
  block.variables.back() = test::Message().bytes(1, "w").message(2, test::Message().varint(1, 7)).varint(3, 1);
  const LoadedModel model = load({block}, test::record<float>(test::kFloat32, {2}, {1, -3}));
  const std::vector<Tensor> out = evaluate_graph(model.graph, std::vector<Tensor>{float_value({1, 2}, {1, 4})});
  EXPECT_EQ(out[0].number(0), 2);
  EXPECT_EQ(out[0].number(1), 1);
  EXPECT_EQ(model.info.parameters[0].shape, Shape{2});
}

TEST(ImportProgramDesc, FeedsAndFetchesAreInTheOrderOfCol) {
  BlockWriter block;
  test::add_feed(block, "b", test::kFloat32, {1}, 1);
  test::add_feed(block, "a", test::kFloat32, {2}, 0);
  test::add_fetch(block, "b", 1);
  test::add_fetch(block, "a", 0);
  const LoadedModel model = load({block});
  EXPECT_EQ(model.info.inputs[0].name, "a");
  EXPECT_EQ(model.graph.value(model.graph.inputs()[1]).name, "b");
  EXPECT_EQ(model.graph.output_names(), (std::vector<std::string>{"a", "b"}));
}

TEST(ImportProgramDesc, ShapeComesFromListThenTensorThenAttribute) {
  BlockWriter block;
  test::add_feed(block, "x", test::kFloat32, {2, 3}, 0);
  block.variables.push_back(variable("s", test::kInt64, {2}));
  block.variables.push_back(variable("d", test::kInt64, {1}));
  block.operators.push_back(OpWriter("reshape2").in("X", {"x"}).out("Out", {"y"}).integers("shape", {3, 2}));
  block.operators.push_back(
      OpWriter("fill_constant").out("Out", {"d"}).integers("shape", {1}).integer("dtype", 3).real("value", 6));
  block.operators.push_back(OpWriter("reshape2")
                                .in("X", {"x"})
                                .in("Shape", {})
                                .in("ShapeTensor", {"d"})
                                .out("Out", {"z"})
                                .integers("shape", {1, 6}));
  test::add_fetch(block, "y", 0);
  test::add_fetch(block, "z", 1);
  const LoadedModel model = load({block});
  EXPECT_EQ(text(model.graph.fact(model.graph.outputs()[0])), "float32[3, 2]");
  EXPECT_EQ(text(model.graph.fact(model.graph.outputs()[1])), "float32[6]");
}

TEST(ImportProgramDesc, UnsupportedOperatorsAreListedTogetherBeforeParametersAreRead) {
  BlockWriter block = in_place_block();
  block.operators.push_back(OpWriter("no_such_operator"));
  block.operators.push_back(OpWriter("py_func"));
  block.operators.push_back(OpWriter("no_such_operator"));
  block.operators.push_back(OpWriter("adam"));
  const std::string text = error_of({block}, "not parameters at all");
  EXPECT_NE(text.find("no_such_operator (2 times): neither Paddle 2.6 nor 3.3 has it: a custom operator (PD_BUILD_OP)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("adam (1 time): it belongs to training"), std::string::npos) << text;
  EXPECT_NE(text.find("py_func (1 time): it calls Python code"), std::string::npos) << text;
  const std::string program = test::program_file({block});
  const ModelInfo info = inspect_model(ModelSource::in_memory(test::memory_file(program), {}));
  EXPECT_EQ(info.unsupported.size(), 3U);
  EXPECT_EQ(info.parameters.size(), 1U);
}

TEST(ImportProgramDesc, ErrorsNameOperatorAndVariable) {
  BlockWriter block;
  block.operators.push_back(OpWriter("relu").in("X", {"nowhere"}).out("Out", {"y"}));
  const std::string text = error_of({block});
  EXPECT_NE(text.find("'nowhere'"), std::string::npos) << text;
  EXPECT_NE(text.find("operator 0 'relu' of block 0"), std::string::npos) << text;
}

/// while (i < 3) { i = i + 1; x = x + x }
std::vector<BlockWriter> blocks_of_loop() {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  for (const char* n : {"i", "n"}) {
    main.variables.push_back(variable(n, test::kFloat32, {1}));
    main.operators.push_back(OpWriter("fill_constant")
                                 .out("Out", {n})
                                 .integers("shape", {1})
                                 .integer("dtype", 5)
                                 .real("value", *n == 'i' ? 0 : 3));
  }
  main.variables.push_back(variable("go", test::kBool, {1}));
  main.operators.push_back(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  main.operators.push_back(OpWriter("while")
                               .in("X", {"x", "i", "n"})
                               .in("Condition", {"go"})
                               .out("Out", {"x", "i", "go"})
                               .block("sub_block", 1));
  test::add_fetch(main, "x", 0);
  test::add_fetch(main, "i", 1);
  test::add_fetch(main, "go", 2);
  BlockWriter body{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  body.variables.push_back(variable("t", test::kFloat32, {2}));
  body.operators.push_back(OpWriter("increment").in("X", {"i"}).out("Out", {"i"}).real("step", 1));
  body.operators.push_back(OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"x"}).out("Out", {"t"}));
  body.operators.push_back(OpWriter("assign").in("X", {"t"}).out("Out", {"x"}));
  body.operators.push_back(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  return {main, body};
}

TEST(ImportProgramDesc, WhileCarriesWhatItsBlockWrites) {
  const LoadedModel model = load(blocks_of_loop());
  const std::vector<Tensor> in{float_value({2}, {1, -1})};
  const std::vector<Tensor> out = evaluate_graph(model.graph, in);
  EXPECT_EQ(out[0].number(0), 8);
  EXPECT_EQ(out[0].number(1), -8);
  EXPECT_EQ(out[1].number(0), 3);
  EXPECT_EQ(out[2].number(0), 0);
}

TEST(ImportProgramDesc, LoopsThatCannotEndAndBrokenBlockTreesAreRefused) {
  std::vector<BlockWriter> blocks = blocks_of_loop();
  blocks[1].operators.pop_back();
  EXPECT_NE(error_of(blocks).find("never changes its condition"), std::string::npos) << error_of(blocks);
  blocks = blocks_of_loop();
  blocks[1].parent = 1;
  EXPECT_NE(error_of(blocks), "no error");
  blocks = blocks_of_loop();
  blocks[0].operators.push_back(blocks[0].operators[4]);
  EXPECT_NE(error_of(blocks), "no error");
  blocks = blocks_of_loop();
  blocks.pop_back();
  EXPECT_NE(error_of(blocks), "no error");
}

/// if (c) { y = x + x } else { y = relu(x) } as exporters write it.
std::vector<BlockWriter> branch_blocks() {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {2}, 0);
  test::add_feed(main, "c", test::kBool, {1}, 1);
  for (const char* n : {"yes", "no", "y"}) main.variables.push_back(variable(n, test::kFloat32, {2}));
  main.variables.push_back(variable("not_c", test::kBool, {1}));
  const auto conditional = [](const char* condition, const char* out, int block) {
    return OpWriter("conditional_block")
        .in("Cond", {condition})
        .in("Input", {"x"})
        .out("Out", {out})
        .boolean("is_scalar_condition", true)
        .block("sub_block", block);
  };
  main.operators.push_back(conditional("c", "yes", 1));
  main.operators.push_back(OpWriter("logical_not").in("X", {"c"}).out("Out", {"not_c"}));
  main.operators.push_back(conditional("not_c", "no", 2));
  main.operators.push_back(
      OpWriter("cast").in("X", {"c"}).out("Out", {"mask"}).integer("in_dtype", 0).integer("out_dtype", 2));
  main.operators.push_back(OpWriter("select_input").in("X", {"no", "yes"}).in("Mask", {"mask"}).out("Out", {"y"}));
  test::add_fetch(main, "y", 0);
  BlockWriter yes{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  yes.operators.push_back(OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"x"}).out("Out", {"yes"}));
  BlockWriter no{.index = 2, .parent = 0, .variables = {}, .operators = {}};
  no.operators.push_back(OpWriter("relu").in("X", {"x"}).out("Out", {"no"}));
  return {main, yes, no};
}

Tensor bool_value(bool value) { return Tensor::of<bool>(Shape{1}, {&value, 1}); }

int number_of_ops(const Graph& graph, std::string_view op) {
  int count = 0;
  for (NodeId n : graph.order()) count += graph.node(n).op.name() == op ? 1 : 0;
  return count;
}

TEST(ImportProgramDesc, PairedConditionalBlocksBecomeOneIf) {
  const LoadedModel model = load(branch_blocks());
  EXPECT_EQ(number_of_ops(model.graph, "if"), 1);
  EXPECT_EQ(number_of_ops(model.graph, "select_input"), 0);
  EXPECT_EQ(text(model.graph.fact(model.graph.outputs()[0])), "float32[?]");
  const Tensor x = float_value({2}, {3, -4});
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(true)})[0].number(1), -8);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(false)})[0].number(1), 0);
}

TEST(ImportProgramDesc, ALoneConditionalBlockKeepsWhatWasThere) {
  std::vector<BlockWriter> blocks = branch_blocks();
  // y = x unless c, where y = x + x
  blocks.pop_back();
  std::vector<OpWriter>& main = blocks[0].operators;
  const OpWriter conditional = main[2];
  main = {main[0], main[1], OpWriter("assign").in("X", {"x"}).out("Out", {"yes"}), conditional};
  test::add_fetch(blocks[0], "yes", 0);
  const LoadedModel model = load(blocks);
  const Tensor x = float_value({2}, {3, -4});
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(true)})[0].number(1), -8);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(false)})[0].number(1), -4);
}

TEST(ImportProgramDesc, ABranchNotTakenLeavesItsVariableUndefined) {
  std::vector<BlockWriter> blocks = branch_blocks();
  blocks[0].operators.pop_back();  // fetch y
  test::add_fetch(blocks[0], "yes", 0);
  test::add_fetch(blocks[0], "y", 1);
  const LoadedModel model = load(blocks);
  const Tensor x = float_value({2}, {3, -4});
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(true)})[0].number(1), -8);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(false)})[0].count(), 0);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{x, bool_value(false)})[1].number(0), 3);
}

TEST(ImportProgramDesc, TensorArraysAreValues) {
  BlockWriter block;
  test::add_feed(block, "x", test::kFloat32, {2}, 0);
  block.variables.push_back(variable("array", test::kFloat32, {}, false, 13));
  for (int i = 0; i < 2; ++i) {
    const std::string name = "i" + std::to_string(i);
    block.operators.push_back(OpWriter("fill_constant")
                                  .out("Out", {name})
                                  .integers("shape", {1})
                                  .integer("dtype", 3)
                                  .real("value", static_cast<float>(i)));
    block.operators.push_back(OpWriter("write_to_array").in("X", {"x"}).in("I", {name}).out("Out", {"array"}));
  }
  block.operators.push_back(OpWriter("lod_array_length").in("X", {"array"}).out("Out", {"n"}));
  block.operators.push_back(OpWriter("read_from_array").in("X", {"array"}).in("I", {"i1"}).out("Out", {"y"}));
  test::add_fetch(block, "n", 0);
  test::add_fetch(block, "y", 1);
  const LoadedModel model = load({block});
  const std::vector<Tensor> out = evaluate_graph(model.graph, std::vector<Tensor>{float_value({2}, {5, 6})});
  EXPECT_EQ(out[0].integer(0), 2);
  EXPECT_EQ(out[1].number(1), 6);
}

}  // namespace
}  // namespace coracle::internal
