// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/formula.h"

#include "ops/common/epilogue.h"

namespace coracle::internal::gpu {

std::string Formula::call(std::string_view x, int first) const {
  std::string text = "f_";
  (text.append(name) += '(').append(x);
  for (int i = 0; i < kNumbers; ++i) text += ", n" + std::to_string(first + i);
  return text += ')';
}

std::optional<Formula> formula_of(const OpSchema& schema, const void* op, const ArgFacts& args) {
  if (schema.unary_step == nullptr) return Formula{schema.name};  // "acos": no numbers, and no part of other operators
  const std::optional<UnaryStep> step = schema.unary_step(op, args);
  if (!step) return std::nullopt;
  return Formula{name_of(step->kind), {step->a, step->b, step->c}};
}

Formula formula_of(const EpilogueStep& step) {
  return {names_of(step.kind)[static_cast<size_t>(step.kind)], {step.a, step.b, step.c}};
}

}  // namespace coracle::internal::gpu
