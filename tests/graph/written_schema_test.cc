// SPDX-License-Identifier: Apache-2.0
#include "graph/written_schema.h"

#include <gtest/gtest.h>

#include <string_view>

#include "ops/control/while.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/creation/multinomial.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/movement/transpose.h"
#include "ops/norm/layer_norm.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {
namespace {

template <class T>
class WrittenSchema : public testing::Test {};
using Operators = testing::Types<Conv2dFused, While, Multinomial, BilinearInterp, Transpose, LayerNorm, Reshape>;
TYPED_TEST_SUITE(WrittenSchema, Operators);

TYPED_TEST(WrittenSchema, IsTheConstant) {
  OpSchema written{};
  write_schema<TypeParam>(written);
  const OpSchema& constant = kOpSchema<TypeParam>;
  EXPECT_EQ(std::string_view(written.name), constant.name);
  EXPECT_EQ(written.inputs.data(), constant.inputs.data());
  EXPECT_EQ(written.inputs.size(), constant.inputs.size());
  EXPECT_EQ(written.outputs.data(), constant.outputs.data());
  EXPECT_EQ(written.outputs.size(), constant.outputs.size());
  EXPECT_EQ(written.lod, constant.lod);
  EXPECT_EQ(written.pure, constant.pure);
  EXPECT_EQ(written.any_type, constant.any_type);
  EXPECT_EQ(written.arrays, constant.arrays);
  EXPECT_EQ(written.regions, constant.regions);
  EXPECT_EQ(written.make_attributes, constant.make_attributes);
  EXPECT_EQ(written.visit, constant.visit);
  EXPECT_EQ(written.equal, constant.equal);
  EXPECT_EQ(written.infer, constant.infer);
  EXPECT_EQ(written.reference, constant.reference);
  EXPECT_EQ(written.reshapes, constant.reshapes);
  EXPECT_EQ(written.quantizes, constant.quantizes);
  EXPECT_EQ(written.fused_of.data(), constant.fused_of.data());
  EXPECT_EQ(written.fused_of.size(), constant.fused_of.size());
  EXPECT_EQ(written.epilogue, constant.epilogue);
  EXPECT_EQ(written.identity, constant.identity);
  EXPECT_EQ(written.unary_step, constant.unary_step);
  EXPECT_EQ(written.flops, constant.flops);
  EXPECT_EQ(written.view_of_result, constant.view_of_result);
  EXPECT_EQ(written.view_of_operand, constant.view_of_operand);
}

TYPED_TEST(WrittenSchema, HasTheSamePorts) {
  using Table = WrittenTable<TypeParam::kInputs>;
  Table::write();
  Table::write();  // again changes nothing
  ASSERT_EQ(Table::elements().size(), std::size(TypeParam::kInputs));
  for (size_t i = 0; i < Table::elements().size(); ++i) {
    const Port& written = Table::elements()[i];
    const Port& constant = TypeParam::kInputs[i];
    EXPECT_EQ(std::string_view(written.name), constant.name);
    EXPECT_EQ(written.kind, constant.kind);
    EXPECT_EQ(written.slot.empty(), constant.slot.empty());
    EXPECT_EQ(written.list_slot.empty(), constant.list_slot.empty());
    EXPECT_EQ(written.attribute.empty(), constant.attribute.empty());
    EXPECT_EQ(written.attribute_dtype, constant.attribute_dtype);
    EXPECT_EQ(written.shape_input, constant.shape_input);
    EXPECT_EQ(written.weight, constant.weight);
  }
}

}  // namespace
}  // namespace coracle::internal
