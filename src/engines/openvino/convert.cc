// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/convert.h"

#include <algorithm>
#include <cmath>

#include "engines/openvino/network.h"

namespace coracle::internal::openvino {
namespace {

/// What layers of float32 do not give with all digits, or not at all.
std::string step_refusal(const UnaryStep& step) {
  switch (step.kind) {
    case UnaryKind::kExpm1:
    case UnaryKind::kLog1p: return text("OpenVINO has no layer that is ", name_of(step.kind), " with all digits");
    case UnaryKind::kCelu: return step.a > 0 ? "" : "alpha is not positive";
    case UnaryKind::kSoftplus: return step.a != 0 ? "" : "beta is 0";
    case UnaryKind::kHardSwish: return step.c != 0 ? "" : "scale is 0";
    default: return {};
  }
}

std::string refuse_unary(const Question& q) {
  const auto step = q.node.op.schema().unary_step(q.node.op.attributes(), q.facts);
  if (step) return step_refusal(*step);
  const auto known = [](const Fact* fact) { return fact->value != nullptr; };
  const auto operands = q.facts.all_in().subspan(1);
  return std::all_of(operands.begin(), operands.end(), known) ? "it is not a function of one number here" : "";
}

void emit_unary(Emitter& e) {
  const auto step = e.schema().unary_step(e.attributes(), e.facts());
  if (!step) refuse("it is not a function of one number here");
  e.set(e.unary(e.in(0), *step));
}

void emit_reshaped(Emitter& e) { e.set_reshaped(e.in(0)); }

constexpr Converter kUnary{nullptr, kFloat, kFloat, emit_unary, refuse_unary};
constexpr Converter kReshaped{nullptr, kPlain, kPlain, emit_reshaped};

}  // namespace

const Converter* find_converter(const OpSchema& schema) {
  for (const ConverterTable* table : all_converters()) {
    for (const Converter& c : table->converters) {
      if (c.schema == &schema) return &c;
    }
  }
  if (schema.reshapes) return &kReshaped;
  return schema.unary_step != nullptr ? &kUnary : nullptr;
}

}  // namespace coracle::internal::openvino
