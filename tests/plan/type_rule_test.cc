// SPDX-License-Identifier: Apache-2.0
#include "plan/type_rule.h"

#include <gtest/gtest.h>

#include "ops/elementwise/add.h"
#include "ops/index/gather.h"
#include "ops/reduce/argmax.h"
#include "plan/device.h"

namespace coracle::internal {
namespace {

constexpr DTypes kSmall = DType::kInt8 | DType::kUint8;

/// Whether the rule takes a node of `op` with one value of each type at the ports in order.
bool takes_types(const TypeRule& rule, const OpSchema& op, const std::vector<DType>& in, DType out) {
  std::vector<Fact> facts;
  for (DType type : in) facts.emplace_back(type, Shape{2});
  const Fact result(out, Shape{2});
  std::vector<const Fact*> operands;
  for (const Fact& f : facts) operands.push_back(&f);
  const Fact* const results = &result;
  const PortCounts in_counts(in.size(), 1);
  PortCounts out_counts(op.outputs.size(), 0);
  out_counts[0] = 1;
  return takes(rule, op, in_counts, ArgFacts(operands, in_counts, {&results, 1}, out_counts));
}

TEST(DTypes, AreSets) {
  EXPECT_TRUE(kSmall.has(DType::kInt8));
  EXPECT_FALSE(kSmall.has(DType::kInt16));
  EXPECT_FALSE(DTypes::all().has(DType::kUnknown));
  EXPECT_EQ(DTypes::all().count(), static_cast<int>(DType::kUnknown));
  EXPECT_EQ(DTypes::all() - kComplexTypes - kFloat8Types, kRealTypes);
  std::string text;
  append_text(text, kSmall | DType::kFloat32);
  EXPECT_EQ(text, "int8, uint8 and float32");
  EXPECT_EQ(kIntegerTypes, kSmall | DType::kInt16 | kIndexTypes);
  EXPECT_EQ(kComplexTypes, DType::kComplex64 | DType::kComplex128);
  EXPECT_FALSE(kRealTypes.has(DType::kFloat8E4m3));
}

TEST(TypeRule, DefaultsToFloat32) {
  EXPECT_TRUE(takes_types({}, kOpSchema<Add>, {DType::kFloat32, DType::kFloat32}, DType::kFloat32));
  EXPECT_FALSE(takes_types({}, kOpSchema<Add>, {DType::kFloat32, DType::kFloat16}, DType::kFloat32));
  EXPECT_FALSE(takes_types({}, kOpSchema<Add>, {DType::kFloat32, DType::kFloat32}, DType::kFloat64));
}

TEST(TypeRule, NamedPortsHaveTheirOwnTypes) {
  const TypeRule rule = {.in = {{{1, kIndexTypes}}}};
  EXPECT_TRUE(takes_types(rule, kOpSchema<Gather>, {DType::kFloat32, DType::kInt32}, DType::kFloat32));
  EXPECT_FALSE(takes_types(rule, kOpSchema<Gather>, {DType::kFloat32, DType::kInt16}, DType::kFloat32));
  EXPECT_FALSE(takes_types(rule, kOpSchema<Gather>, {DType::kInt32, DType::kInt32}, DType::kFloat32));
  EXPECT_EQ(text_of(rule), "only float32; operand 1: int32 and int64");
}

TEST(TypeRule, ArgumentsAreOfAnyType) {
  // The axis is an operand in one format and an attribute in the other.
  const TypeRule rule = {.results = DType::kInt64};
  EXPECT_TRUE(takes_types(rule, kOpSchema<Argmax>, {DType::kFloat32, DType::kInt32}, DType::kInt64));
  EXPECT_EQ(text_of(rule), "only float32 to int64");
}

TEST(TypeRule, AlikeOperandsHaveOneType) {
  const TypeRule rule = {.operands = kSmall, .results = kSmall, .alike = true};
  EXPECT_TRUE(takes_types(rule, kOpSchema<Add>, {DType::kInt8, DType::kInt8}, DType::kInt8));
  EXPECT_FALSE(takes_types(rule, kOpSchema<Add>, {DType::kInt8, DType::kUint8}, DType::kInt8));
  EXPECT_EQ(text_of(rule), "only int8 and uint8 (one type)");
}

TEST(TypeRule, NamesPortsThatOperatorsHave) {
  for (const Device* device : all_devices()) {
    for (const KernelTable* table : device->kernels()) {
      for (const KernelDef& kernel : table->kernels) {
        for (const PortTypes& p : kernel.types.in) {
          EXPECT_LT(p.port, static_cast<int>(kernel.op->inputs.size())) << kernel.name;
        }
        for (const PortTypes& p : kernel.types.out) {
          EXPECT_LT(p.port, static_cast<int>(kernel.op->outputs.size())) << kernel.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal
