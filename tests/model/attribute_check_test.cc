// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_check.h"

#include <gtest/gtest.h>

#include <set>

#include "support/plain_operators.h"
#include "support/program_results.h"

namespace coracle::internal {
namespace {

using test::add;
using test::expect_same;
using test::Input;
using test::OpWriter;
using test::unary;

const std::vector<Input> kTwoMatrices{{"x", {2, 3}}, {"w", {2, 3}}};

/// What the import of one operator on kTwoMatrices says.
std::string message(const OpWriter& op) {
  try {
    test::run(kTwoMatrices, {op});
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

TEST(AttributeCheck, WhatNothingReadsIsRefusedByName) {
  const std::string said = message(add("x", "w", "y").real("Scale_out", 2.5F));
  for (const char* part : {"'Scale_out'", "'elementwise_add'", "is 2.5", "enable_save_optim_model", "importing"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in " << said;
  }
  // No Paddle has it with this operator, but with others.
  EXPECT_NE(message(add("x", "w", "y").integers("fused_reshape2_shape", {3, 2})).find("fused_reshape2_shape"),
            std::string::npos);
}

TEST(AttributeCheck, WhatPaddleTakesWhereItIsMissingIsTaken) {
  EXPECT_EQ(message(add("x", "w", "y").real("Scale_out", 1.0F).integers("fused_reshape2_shape", {})), "no error");
}

TEST(AttributeCheck, WhatNeverMattersIsTaken) {
  EXPECT_EQ(message(add("x", "w", "y").boolean("use_mkldnn", true).string("mkldnn_data_type", "bfloat16")), "no error");
  EXPECT_EQ(message(add("x", "w", "y").real("a_note_of_some_tool", 3.0F)), "no error");
}

TEST(AttributeCheck, AnInterpolationIsTheOneThatItsTypeNames) {
  const auto resized = [](const char* method) {
    OpWriter op("nearest_interp_v2");
    op.in("X", {"x"}).out("Out", {"y"}).integer("out_h", 4).integer("out_w", 4).boolean("align_corners", false);
    op.string("interp_method", method);
    return op;
  };
  EXPECT_NO_THROW(test::run({{"x", {1, 1, 2, 2}}}, {resized("nearest")}));
  EXPECT_THROW(test::run({{"x", {1, 1, 2, 2}}}, {resized("bilinear")}), Error);
}

TEST(AttributeCheck, WhatIsAppendedToAnOperatorIsComputed) {
  OpWriter appended = add("x", "w", "y");
  appended.string("fuse_activation", "leaky_relu").real("fuse_alpha", 0.25F).real("fused_output_scale", -2.0F);
  expect_same(kTwoMatrices, appended,
              {add("x", "w", "s"), unary("leaky_relu", "s", "a").real("alpha", 0.25F),
               unary("scale", "a", "y").real("scale", -2.0F)});
}

/// The names of an operator's attributes in a file.
class NamesOf : public AttributeVisitor {
 public:
  NamesOf(const OpSchema& schema, bool is_pir) : is_pir_(is_pir) {
    const std::shared_ptr<void> fields = schema.make(nullptr);
    schema.visit(fields.get(), *this);
    for (const Port& port : schema.inputs) names_.emplace(is_pir ? port.name : port.attribute.c_str());
  }
  bool has(std::string_view name) const { return names_.contains(name); }

 protected:
  void visit(std::string_view name, std::string_view legacy, AttributeRef /*field*/) override {
    names_.emplace(is_pir_ ? name : legacy);
  }

 private:
  bool is_pir_;
  std::set<std::string, std::less<>> names_;
};

/// What Paddle registers, what operators without a translation of their own do not read, and what is refused unless it
/// has the value that Paddle takes where it is missing; of batch_norm, what is appended to it.
const std::set<std::string> kRefused = {
    "pir dequantize_linear qmax",
    "pir dequantize_linear qmin",
    "pir quantize_linear qmax",
    "pir quantize_linear qmin",
    "pir top_p_sampling mode",
    "pir uniform_random_batch_size_like diag_num",
    "pir uniform_random_batch_size_like diag_step",
    "pir uniform_random_batch_size_like diag_val",
    "program baddbmm Alpha",
    "program baddbmm Beta",
    "program batch_norm fuse_with_relu",
    "program dequantize_linear qmax",
    "program dequantize_linear qmin",
    "program frobenius_norm out_dtype",
    "program mul scale_out",
    "program mul scale_x",
    "program mul scale_y",
    "program quantize_linear qmax",
    "program quantize_linear qmin",
    "program reduce_all out_dtype",
    "program reduce_amax out_dtype",
    "program reduce_amin out_dtype",
    "program reduce_any out_dtype",
    "program reduce_max out_dtype",
    "program reduce_mean out_dtype",
    "program reduce_min out_dtype",
    "program top_p_sampling mode",
    "program uniform_random diag_num",
    "program uniform_random diag_step",
    "program uniform_random diag_val",
    "program uniform_random_batch_size_like diag_num",
    "program uniform_random_batch_size_like diag_step",
    "program uniform_random_batch_size_like diag_val",
    "program weight_dequantize out_dtype",
};

TEST(AttributeCheck, EveryAttributeThatPaddleRegistersIsReadIgnoredOrRefused) {
  std::set<std::string> refused;
  size_t known = 0;
  const auto look = [&](const OpSchema& schema, std::string_view type, bool is_pir) {
    if (schema.lower != nullptr) return;  // what it asks for is known when it runs
    const NamesOf names(schema, is_pir);
    for (const KnownAttribute& attribute : known_attributes(type, is_pir)) {
      ++known;
      if (names.has(attribute.name) || reason_to_ignore(type, attribute.name) != nullptr) continue;
      refused.insert(text(is_pir ? "pir " : "program ", type, ' ', attribute.name));
    }
  };
  for (const OpSchema* schema : all_ops()) {
    look(*schema, schema->name, true);
    for (const char* type : schema->legacy) look(*schema, type, false);
  }
  EXPECT_GT(known, 1000U);
  for (const std::string& line : refused) EXPECT_TRUE(kRefused.contains(line)) << line << " is not known to be refused";
  for (const std::string& line : kRefused) EXPECT_TRUE(refused.contains(line)) << line << " is not refused any more";
}

}  // namespace
}  // namespace coracle::internal
