// SPDX-License-Identifier: Apache-2.0
#include "model/programdesc.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using test::BlockWriter;
using test::Message;
using test::OpWriter;

programdesc::Program parsed(const std::string& bytes) {
  return programdesc::parse(
      {.name = "m.pdmodel", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}});
}

std::string one_operator(const OpWriter& op) {
  BlockWriter block;
  block.operators.push_back(op);
  return test::program_file({block});
}

TEST(ProgramDesc, ReadsSlotsAndAttributes) {
  const std::string bytes = one_operator(OpWriter("conv2d")
                                             .in("Input", {"x"})
                                             .in("Filter", {"w", "v"})
                                             .out("Output", {"y"})
                                             .integer("groups", -1)
                                             .real("alpha", 0.5F)
                                             .string("mode", "same")
                                             .boolean("flag", true)
                                             .integers("strides", {2, -3})
                                             .packed_integers("paddings", {1, 2, -1})
                                             .string("op_callstack", "ignored")
                                             .variable("axis", "a")
                                             .block("sub_block", 7));
  const programdesc::Program program = parsed(bytes);
  ASSERT_EQ(program.blocks.size(), 1U);
  ASSERT_EQ(program.blocks[0].operators.size(), 1U);
  const programdesc::Operator& op = program.blocks[0].operators[0];
  EXPECT_EQ(op.type, "conv2d");
  ASSERT_EQ(op.inputs.size(), 2U);
  EXPECT_EQ(op.inputs[1].variables, (std::vector<std::string_view>{"w", "v"}));
  EXPECT_EQ(op.attributes.get<int64_t>("groups"), -1);
  EXPECT_EQ(op.attributes.get<double>("alpha"), 0.5);
  EXPECT_EQ(op.attributes.get<std::string>("mode"), "same");
  EXPECT_TRUE(op.attributes.get<bool>("flag"));
  EXPECT_EQ(op.attributes.get<Ints>("strides"), (Ints{2, -3}));
  EXPECT_EQ(op.attributes.get<Ints>("paddings"), (Ints{1, 2, -1}));
  EXPECT_FALSE(op.attributes.has("op_callstack"));
  ASSERT_EQ(op.variable_attributes.size(), 1U);
  EXPECT_EQ(op.variable_attributes[0].variables, (std::vector<std::string_view>{"a"}));
  EXPECT_EQ(op.sub_block, 7);
  EXPECT_EQ(program.version, 2006002);
}

TEST(ProgramDesc, ReadsVariables) {
  BlockWriter block;
  block.variables = {test::variable("w", test::kFloat32, {3, -1}, true),
                     test::variable("a", test::kInt64, {}, false, 13)};
  const std::string bytes = test::program_file({block});
  const programdesc::Program program = parsed(bytes);
  const std::vector<programdesc::Variable>& v = program.blocks[0].variables;
  ASSERT_EQ(v.size(), 2U);
  EXPECT_EQ(v[0].name, "w");
  EXPECT_TRUE(v[0].persistable);
  EXPECT_EQ(v[0].dtype, DType::kFloat32);
  EXPECT_EQ(v[0].dims, (std::vector<int64_t>{3, -1}));
  EXPECT_EQ(v[1].type, programdesc::kTensorArray);
}

TEST(ProgramDesc, SkipsUnknownFields) {
  Message op = OpWriter("relu").in("X", {"x"}).message();
  op.varint(99, 5).bytes(98, "new").float32(97, 1);
  const std::string block = Message().varint(1, 0).varint(2, -1).message(4, op).bytes(77, "?").content();
  const std::string bytes = Message().bytes(1, block).bytes(3, "old map").content();
  const programdesc::Program program = parsed(bytes);
  ASSERT_EQ(program.blocks[0].operators.size(), 1U);
  EXPECT_EQ(program.blocks[0].operators[0].type, "relu");
  EXPECT_FALSE(program.version.has_value());
}

TEST(ProgramDesc, FieldsOfAnotherWireTypeAreSkipped) {
  const std::string bytes = Message().message(1, Message().varint(2, -1).varint(3, 5).varint(4, 6)).content();
  EXPECT_EQ(parsed(bytes).blocks.size(), 1U);
}

TEST(ProgramDesc, ErrorsTellTheOffset) {
  std::string bytes = one_operator(OpWriter("relu").in("X", {"x"}));
  bytes.resize(bytes.size() - 5);
  try {
    parsed(bytes);
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    EXPECT_NE(e.text().find("m.pdmodel"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("byte"), std::string::npos) << e.text();
  }
}

TEST(ProgramDesc, ErrorsAreOfThisReader) {
  // A field that ends within its bytes, of no known type, of number 0, and a number of eleven bytes.
  const std::pair<std::string, const char*> damaged[] = {{std::string("\x0A\x7F", 2), "it ends within a field"},
                                                         {std::string("\x0F\x00", 2), "a field of no known type"},
                                                         {std::string("\x02\x00", 2), "an impossible number"},
                                                         {std::string(11, '\xFF'), "too many bytes"}};
  for (const auto& [bytes, part] : damaged) {
    try {
      parsed(bytes);
      ADD_FAILURE() << "read where expected: " << part;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
      EXPECT_NE(e.text().find(part), std::string::npos) << e.text();
    }
  }
}

TEST(ProgramDesc, RefusesFilesWithoutBlocks) {
  EXPECT_THROW(parsed(""), Error);
  EXPECT_THROW(parsed(Message().message(4, Message().varint(1, 1)).content()), Error);
}

}  // namespace
}  // namespace coracle::internal
