// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/activation/acos.h"
#include "ops/activation/acosh.h"
#include "ops/activation/asin.h"
#include "ops/activation/asinh.h"
#include "ops/activation/atanh.h"
#include "ops/activation/cosh.h"
#include "ops/activation/sinh.h"
#include "ops/activation/tan.h"
#include "ops/common/binary.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/add_n.h"
#include "ops/elementwise/cast.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/elementwise_pow.h"
#include "ops/elementwise/maximum.h"
#include "ops/elementwise/minimum.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/subtract.h"
#include "ops/index/where.h"
#include "ops/logic/equal.h"
#include "ops/logic/greater_equal.h"
#include "ops/logic/greater_than.h"
#include "ops/logic/less_equal.h"
#include "ops/logic/less_than.h"
#include "ops/logic/logical_and.h"
#include "ops/logic/logical_not.h"
#include "ops/logic/logical_or.h"
#include "ops/logic/logical_xor.h"
#include "ops/logic/not_equal.h"

namespace coracle::internal::openvino {
namespace {

/// The layer of an operator, opset1.
struct LayerOf {
  const OpSchema* schema;
  const char* type;
};
constexpr LayerOf kLayers[] = {
    {add_op, "Add"},
    {subtract_op, "Subtract"},
    {multiply_op, "Multiply"},
    {divide_op, "Divide"},
    {maximum_op, "Maximum"},
    {minimum_op, "Minimum"},
    {elementwise_pow_op, "Power"},
    {equal_op, "Equal"},
    {not_equal_op, "NotEqual"},
    {less_than_op, "Less"},
    {less_equal_op, "LessEqual"},
    {greater_than_op, "Less"},
    {greater_equal_op, "LessEqual"},
    {logical_and_op, "LogicalAnd"},
    {logical_or_op, "LogicalOr"},
    {logical_xor_op, "LogicalXor"},
    {logical_not_op, "LogicalNot"},
    {tan_op, "Tan"},
    {sinh_op, "Sinh"},
    {cosh_op, "Cosh"},
    {asin_op, "Asin"},
    {acos_op, "Acos"},
};

const char* layer_of(const Emitter& e) {
  for (const LayerOf& l : kLayers) {
    if (l.schema == &e.schema()) return l.type;
  }
  refuse("it has no layer");
}

void emit_one(Emitter& e) { e.set(e.layer(layer_of(e), "opset1", {e.in(0)}, {}, e.out_dtype())); }

void emit_binary(Emitter& e) {
  const DType as = promote(e.facts().in(0).dtype, e.facts().in(1).dtype);
  e.set(e.layer(layer_of(e), "opset1", {e.in_as(0, as), e.in_as(1, as)}, {{"auto_broadcast", "numpy"}}, e.out_dtype()));
}

/// x > y as y < x: where one is no number, OpenVINO's Greater holds.
void emit_greater(Emitter& e) {
  const DType as = promote(e.facts().in(0).dtype, e.facts().in(1).dtype);
  e.set(e.layer(layer_of(e), "opset1", {e.in_as(1, as), e.in_as(0, as)}, {{"auto_broadcast", "numpy"}}, DType::kBool));
}

/// int32 beside int64 is computed as int64, which OpenVINO is not given.
std::string refuse_wide(const Question& q) {
  for (const Fact* fact : q.facts.all_in()) {
    if (fact->dtype == DType::kInt64) return "an operand is int64, which OpenVINO computes in 32 bits";
  }
  return {};
}

void emit_opset4(Emitter& e) {
  const char* type = &e.schema() == asinh_op ? "Asinh" : &e.schema() == acosh_op ? "Acosh" : "Atanh";
  e.set(e.layer(type, "opset4", {e.in(0)}, {}, DType::kFloat32));
}

void emit_add_n(Emitter& e) {
  Wire sum = e.in(0, 0);
  for (int i = 1; i < e.count(0); ++i) sum = e.add(sum, e.in(0, i));
  e.set(sum);
}

void emit_where(Emitter& e) {
  const DType as = e.out_dtype();
  e.set(e.layer("Select", "opset1", {e.in_as(0, DType::kBool), e.in_as(1, as), e.in_as(2, as)},
                {{"auto_broadcast", "numpy"}}, as));
}

std::string refuse_where(const Question& q) {
  const DType condition = q.facts.in(0).dtype;
  if (condition != DType::kBool && condition != DType::kUnknown) return "its condition is not bool";
  return refuse_wide(q);
}

void emit_cast(Emitter& e) {
  const Wire x = e.in(0);
  const DType from = e.facts().in(0).dtype;
  const DType to = e.as<Cast>().dtype;
  if (from == to) return e.set(x);
  if (to == DType::kBool) {
    return e.set(e.layer("NotEqual", "opset1", {x, e.scalar_like(0, x)}, {{"auto_broadcast", "numpy"}}, to));
  }
  e.set(e.convert(x, to));
}

std::string refuse_cast(const Question& q) {
  const DType from = q.facts.in(0).dtype;
  const DType to = q.as<Cast>().dtype;
  const bool cuts = from == DType::kFloat32 && (to == DType::kInt32 || to == DType::kInt64);
  return cuts ? "numbers that do not fit an integer become others in OpenVINO" : "";
}

constexpr Types kNumbers = kFloat | kInt32;
// Integers are compared in float32 there, which does not hold all of them.

constexpr Converter kElementwise[] = {
    {add_op, kNumbers, kNumbers, emit_binary},
    {subtract_op, kNumbers, kNumbers, emit_binary},
    {multiply_op, kNumbers, kNumbers, emit_binary},
    {divide_op, kFloat, kFloat, emit_binary},
    {maximum_op, kNumbers, kNumbers, emit_binary},
    {minimum_op, kNumbers, kNumbers, emit_binary},
    {elementwise_pow_op, kFloat, kFloat, emit_binary},
    {equal_op, kFloat, kBool, emit_binary, refuse_wide},
    {not_equal_op, kFloat, kBool, emit_binary, refuse_wide},
    {less_than_op, kFloat, kBool, emit_binary, refuse_wide},
    {less_equal_op, kFloat, kBool, emit_binary, refuse_wide},
    {greater_than_op, kFloat, kBool, emit_greater, refuse_wide},
    {greater_equal_op, kFloat, kBool, emit_greater, refuse_wide},
    {logical_and_op, kBool, kBool, emit_binary, refuse_wide},
    {logical_or_op, kBool, kBool, emit_binary, refuse_wide},
    {logical_xor_op, kBool, kBool, emit_binary, refuse_wide},
    {logical_not_op, kBool, kBool, emit_one},
    {tan_op, kFloat, kFloat, emit_one},
    {sinh_op, kFloat, kFloat, emit_one},
    {cosh_op, kFloat, kFloat, emit_one},
    {asin_op, kFloat, kFloat, emit_one},
    {acos_op, kFloat, kFloat, emit_one},
    {asinh_op, kFloat, kFloat, emit_opset4},
    {acosh_op, kFloat, kFloat, emit_opset4},
    {atanh_op, kFloat, kFloat, emit_opset4},
    {add_n_op, kNumbers, kNumbers, emit_add_n},
    {where_op, kFloat | kBool, kFloat, emit_where, refuse_where},
    {cast_op, kPlain, kPlain | kInt64, emit_cast, refuse_cast},
};

}  // namespace

extern const ConverterTable convert_elementwise;
const ConverterTable convert_elementwise{kElementwise};

}  // namespace coracle::internal::openvino
