// SPDX-License-Identifier: Apache-2.0
#include "quantize/program.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "quantize/insertions.h"
#include "quantize/original.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal::quantize {
namespace {

FileBytes in_memory(const std::string& bytes) {
  return {.name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
}

TEST(QuantizeProgram, ProgramDescIsWrittenAsItWasRead) {
  for (const test::ModelBytes& model : test::small_program_models()) {
    EXPECT_EQ(bytes_of(parse_programdesc(in_memory(model.program))), model.program) << model.name;
  }
}

TEST(QuantizeProgram, AttributesHaveTheKindThatIsAskedFor) {
  test::BlockWriter block;
  block.operators.push_back(test::OpWriter("conv2d")
                                .integer("groups", 2)
                                .boolean("flag", true)
                                .real("alpha", 0.5F)
                                .string("mode", "m")
                                .integers("strides", {1, 2}));
  const std::string file = test::program_file({block});
  const Program program = parse_programdesc(in_memory(file));
  const ProgramOperator& o = program.operators[0];
  EXPECT_EQ(o.integer("groups", 1), 2);
  EXPECT_EQ(o.integer("flag", 0), 1);
  EXPECT_EQ(o.integer("alpha", 7), 7);  // it is no integer
  EXPECT_EQ(o.integer("none", 7), 7);
  EXPECT_EQ(o.real("alpha", 1), 0.5);
  EXPECT_EQ(o.real("groups", 1), 1);
  ASSERT_NE(o.text("mode"), nullptr);
  EXPECT_EQ(*o.text("mode"), "m");
  EXPECT_EQ(o.text("groups"), nullptr);
  EXPECT_EQ(o.list("strides"), (Ints{1, 2}));
  EXPECT_EQ(o.list("groups"), Ints());
}

/// A change of one operator leaves all others byte for byte: what is written differs by what is put in alone.
TEST(QuantizeProgram, ChangesAreOfWhatChanged) {
  test::BlockWriter block;
  block.variables.push_back(test::variable("x", test::kFloat32, {-1, 4}));
  block.variables.push_back(test::variable("w", test::kFloat32, {4, 4}, true));
  block.operators.push_back(test::OpWriter("relu").in("X", {"x"}).out("Out", {"r"}));
  block.operators.push_back(test::OpWriter("mul").in("X", {"r"}).in("Y", {"w"}).out("Out", {"y"}));
  test::BlockWriter inner{.index = 1, .parent = 0, .variables = {}, .operators = {}};
  inner.operators.push_back(test::OpWriter("assign").in("X", {"r"}).out("Out", {"s"}));
  const std::string file = test::program_file({block, inner});
  Program program = parse_programdesc(in_memory(file));
  EXPECT_EQ(program.parameters(), (std::vector<std::string>{"w"}));
  EXPECT_EQ(program.read_by_others, (std::vector<std::string>{"r"}));
  program.operators.insert(program.operators.begin() + 1, new_operator({"scale", {{"X", "r"}}, {{"Out", "t"}}, {}}));
  program.operators[2].replace_input("X", "r", "t");
  test::BlockWriter expected = block;
  expected.operators.insert(expected.operators.begin() + 1, test::OpWriter("scale").in("X", {"r"}).out("Out", {"t"}));
  expected.operators[2] = test::OpWriter("mul").in("X", {"t"}).in("Y", {"w"}).out("Out", {"y"});
  EXPECT_EQ(bytes_of(program), test::program_file({expected, inner}));
}

TEST(QuantizeProgram, PirIsWrittenAsItWasRead) {
  for (const test::ModelBytes& model : test::small_pir_models()) {
    EXPECT_EQ(bytes_of(parse_pir(in_memory(model.program))), model.program) << model.name;
  }
}

/// Numbers, spaces, keys that nobody knows and the order of all of them stay as they are.
TEST(QuantizeProgram, ChangesOfPirAreOfWhatChanged) {
  using namespace test::pir;
  const std::string type = tensor("t_f32", {-1, 4});
  const std::string relu =
      R"({ "later" : {"I":[{"%":1}]}, "#":"1.relu", "I" : [ { "%" : 2 , "x":"]" } ],"O":[{"%":3,"TT":)" + type +
      R"(}],"A":[{"N":"epsilon","AT":{"#":"0.a_f32","D":1.0e-05}}]})";
  const std::vector<std::string> operations{parameter(1, "w", tensor("t_f32", {4, 4})), data(2, "x", type), relu,
                                            operation("1.matmul", {3, 1}, {{4, type}}), fetch(4, 5, 0, type)};
  const std::string file = program_file(operations);
  Program program = parse_pir(in_memory(file));
  EXPECT_EQ(bytes_of(program), file);
  EXPECT_EQ(program.parameters(), (std::vector<std::string>{"w"}));
  EXPECT_EQ(program.operators[2].type, "matmul_v2");
  EXPECT_EQ(program.operators[2].inputs, (ProgramSlots{{"X", {"relu_0"}}, {"Y", {"w"}}}));

  program.variables.push_back(dense_variable("y", DType::kFloat32, {-1, 4}, false));
  program.operators.insert(program.operators.begin() + 1, new_operator({"tanh", {{"X", "x"}}, {{"Out", "y"}}, {}}));
  program.operators[2].replace_input("X", "x", "y");
  std::vector<std::string> expected = operations;
  expected[2].replace(expected[2].find("\"%\" : 2") + 6, 1, "6");
  expected.insert(expected.begin() + 2,
                  R"({"#":"1.tanh","A":[],"I":[{"%":2}],"O":[{"%":6,"TT":)" + type +
                      R"(}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]})");
  EXPECT_EQ(bytes_of(program), program_file(expected));
}

/// A parameter of another type has its place, and its id.
TEST(QuantizeProgram, ParametersOfPirAreReplacedWhereTheyStand) {
  using namespace test::pir;
  const std::string type = tensor("t_f32", {4});
  const std::string file = program_file(
      {parameter(1, "a", type), parameter(2, "b", type), parameter(3, "c", type, false), data(4, "x", type)});
  Program program = parse_pir(in_memory(file));
  program.variables[0] = dense_variable("a", DType::kInt8, {4}, true);
  program.variables.push_back(dense_variable("new", DType::kFloat32, {1}, true));
  const auto made = [](const std::string& name, int id, const std::string& of) {
    return R"({"#":"p","A":[0,1,1,")" + name + R"("],"DA":[],"O":{"%":)" + std::to_string(id) + R"(,"TT":)" + of +
           R"(},"OA":[1,1,0],"QA":[]})";
  };
  EXPECT_EQ(bytes_of(program),
            program_file({made("a", 1, tensor("t_i8", {4})), parameter(2, "b", type),
                          made("new", 5, tensor("t_f32", {1})), parameter(3, "c", type, false), data(4, "x", type)}));
}

TEST(QuantizeProgram, DamageIsAnError) {
  EXPECT_THROW(parse_programdesc(in_memory("\x0A\x7F")), Error);
  EXPECT_THROW(parse_pir(in_memory("{\"base_code\":")), Error);
  EXPECT_THROW(parse_pir(in_memory("{}")), Error);
  EXPECT_THROW(parse_pir(in_memory(std::string(1U << 20U, '['))), Error);
}

TEST(QuantizeOriginal, ParametersAreThoseOfTheFilesAndAreWrittenBack) {
  const test::TemporaryFolder folder;
  for (const auto& models : {test::small_program_models(), test::small_pir_models()}) {
    for (const test::ModelBytes& model : models) {
      if (model.params.empty()) continue;
      const bool pir = model.program[0] == '{';
      const std::string program = folder.write(pir ? "m.json" : "m.pdmodel", model.program);
      const std::string params = folder.write("m.pdiparams", model.params);
      const Original original(program, {});
      EXPECT_EQ(original.program_file(), program);
      EXPECT_EQ(original.parameters_file(), params);
      EXPECT_EQ(original.program_bytes(), model.program);
      EXPECT_EQ(bytes_of(original.parameters(original.program())), model.params) << model.name;
      EXPECT_EQ(original.beside("m.pdiparams"), model.params);
      EXPECT_EQ(original.beside("none"), std::nullopt);
      std::filesystem::remove(program);
    }
  }
}

}  // namespace
}  // namespace coracle::internal::quantize
