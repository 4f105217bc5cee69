// SPDX-License-Identifier: Apache-2.0
#include "model/programdesc_write.h"

#include <gtest/gtest.h>

#include "model/params.h"
#include "model/params_write.h"
#include "support/program_writer.h"
#include "support/small_models.h"

namespace coracle::internal {
namespace {

using test::Message;

FileBytes in_memory(const std::string& bytes) {
  return {.name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
}

/// The file of a program as it was read, with another message in place of an operator's where that is given.
std::string written(const programdesc::Program& program, size_t replaced = SIZE_MAX, std::string_view by = {}) {
  std::vector<std::string_view> variables;
  std::vector<std::string_view> operators;
  for (const programdesc::Variable& v : program.blocks[0].variables) variables.push_back(v.bytes);
  for (const programdesc::Operator& o : program.blocks[0].operators) operators.push_back(o.bytes);
  if (replaced < operators.size()) operators[replaced] = by;
  return programdesc::file_with(program, variables, operators);
}

TEST(ProgramDescWrite, WhatWasReadIsWrittenByteForByte) {
  for (const test::ModelBytes& model : test::small_program_models()) {
    EXPECT_EQ(written(programdesc::parse(in_memory(model.program))), model.program) << model.name;
  }
}

TEST(ProgramDescWrite, FieldsThatNobodyKnowsStay) {
  Message slot;
  slot.bytes(1, "X").bytes(2, "x").varint(9, 300);
  Message op;
  op.message(1, slot).bytes(3, "relu").bytes(20, "of the future").float32(21, 0.5F);
  const Message variable = Message().bytes(1, "x").varint(3, 0).bytes(40, "v");
  const Message block = Message().varint(1, 0).varint(2, -1).bytes(70, "b").message(3, variable).message(4, op);
  const Message inner = Message().varint(1, 1).varint(2, 0).bytes(71, "inner").message(4, op);
  const std::string file = Message()
                               .message(1, block)
                               .message(1, inner)
                               .message(4, Message().varint(1, 2006002))
                               .bytes(5, "")
                               .varint(99, 7)
                               .content();
  const programdesc::Program program = programdesc::parse(in_memory(file));
  EXPECT_EQ(written(program), file);

  const std::vector<std::string> other{"y", "z"};
  const std::string changed = programdesc::with_inputs(
      program.blocks[0].operators[0], [&](const programdesc::Slot& s) { return s.name == "X" ? &other : nullptr; });
  Message expected;
  expected.message(1, Message().bytes(1, "X").bytes(2, "y").bytes(2, "z"));
  expected.bytes(3, "relu").bytes(20, "of the future").float32(21, 0.5F);
  EXPECT_EQ(changed, expected.content());
  const std::string again = written(program, 0, changed);
  EXPECT_EQ(programdesc::parse(in_memory(again)).blocks[0].operators[0].inputs[0].variables,
            (std::vector<std::string_view>{"y", "z"}));
}

TEST(ProgramDescWrite, OtherSlotsAreAsTheyWere) {
  const std::string op = test::OpWriter("conv2d")
                             .in("Input", {"x"})
                             .in("Filter", {"w"})
                             .out("Output", {"y"})
                             .integers("strides", {1, 2})
                             .message()
                             .content();
  const std::string file = Message().message(1, Message().varint(1, 0).varint(2, -1).bytes(4, op)).content();
  const programdesc::Program program = programdesc::parse(in_memory(file));
  const std::vector<std::string> other{"v"};
  EXPECT_EQ(programdesc::with_inputs(program.blocks[0].operators[0],
                                     [&](const programdesc::Slot& s) { return s.name == "Filter" ? &other : nullptr; }),
            test::OpWriter("conv2d")
                .in("Input", {"x"})
                .in("Filter", {"v"})
                .out("Output", {"y"})
                .integers("strides", {1, 2})
                .message()
                .content());
  EXPECT_EQ(programdesc::with_inputs(program.blocks[0].operators[0], [](const programdesc::Slot&) { return nullptr; }),
            op);
}

TEST(ProgramDescWrite, NewOperatorsAndVariablesAreReadAsWhatTheyAre) {
  const NewOperator made{"cast",
                         {{"X", "x"}, {"Left", ""}},
                         {{"Out", "y"}},
                         {{"truth", true},
                          {"integer", int64_t{-3}},
                          {"long", LongInteger{int64_t{1} << 40U}},
                          {"real", 0.25F},
                          {"text", std::string("t")},
                          {"dtype", DType::kBfloat16},
                          {"list", Ints{4, -5}}}};
  const std::vector<int64_t> dims{-1, 3};
  Message block;
  block.varint(1, 0).varint(2, -1);
  block.bytes(3, programdesc::bytes_of(NewVariable{"x", DType::kInt8, dims, true}));
  block.bytes(4, programdesc::bytes_of(made));
  const std::string file = Message().message(1, block).content();
  const programdesc::Program program = programdesc::parse(in_memory(file));
  const programdesc::Variable& v = program.blocks[0].variables[0];
  EXPECT_EQ(v.name, "x");
  EXPECT_EQ(v.dtype, DType::kInt8);
  EXPECT_EQ(v.dims, dims);
  EXPECT_TRUE(v.is_stored());
  const programdesc::Operator& o = program.blocks[0].operators[0];
  EXPECT_EQ(o.type, "cast");
  ASSERT_EQ(o.inputs.size(), 1U);  // without the one that is left out
  EXPECT_EQ(o.inputs[0].variables, (std::vector<std::string_view>{"x"}));
  EXPECT_EQ(o.outputs[0].variables, (std::vector<std::string_view>{"y"}));
  EXPECT_TRUE(o.attributes.get<bool>("truth"));
  EXPECT_EQ(o.attributes.get<int64_t>("integer"), -3);
  EXPECT_EQ(o.attributes.get<int64_t>("long"), int64_t{1} << 40U);
  EXPECT_EQ(o.attributes.get<double>("real"), 0.25);
  EXPECT_EQ(o.attributes.get<std::string>("text"), "t");
  EXPECT_EQ(o.attributes.get<DType>("dtype"), DType::kBfloat16);
  EXPECT_EQ(o.attributes.get<Ints>("list"), (Ints{4, -5}));
}

TEST(ParametersWrite, RecordsAreAsPaddleWritesThem) {
  std::string out;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  append_record(DType::kFloat32, std::vector<int64_t>{2, 3},
                {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}, out);
  append_record(DType::kInt8, std::vector<int64_t>{2}, "ab", out);
  EXPECT_EQ(out, test::record(test::kFloat32, {2, 3}, values) + test::record<int8_t>(test::kInt8, {2}, {'a', 'b'}));
}

TEST(ParametersWrite, EveryElementTypeIsReadAgain) {
  for (const DType dtype :
       {DType::kBool, DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat16,
        DType::kBfloat16, DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128}) {
    const std::string elements(3 * size_of(dtype), '\1');
    std::string out;
    append_record(dtype, std::vector<int64_t>{3, 1}, elements, out);
    const std::vector<Tensor> read =
        read_combined_parameters(File(in_memory(out)), {{.name = "p", .shape = {}, .described = false}});
    EXPECT_EQ(read[0].dtype(), dtype);
    EXPECT_EQ(read[0].shape(), (Shape{3, 1}));
    EXPECT_EQ(std::string(static_cast<const char*>(read[0].raw()), read[0].bytes()), elements) << name_of(dtype);
  }
}

}  // namespace
}  // namespace coracle::internal
