// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

inline double gelu(double x, bool approximate) {
  if (!approximate) return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752440));
  const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(u));
}

/// out = x * Phi(x) by erf, or its tanh form if approximate
struct Gelu : UnaryOperator {
  static constexpr const char* kName = "gelu";
  static constexpr const char* kLegacy[] = {"gelu"};
  bool approximate = false;
  void attributes(AttributeVisitor& visit) { visit("approximate", approximate); }
  friend bool operator==(const Gelu&, const Gelu&) = default;
};

inline void infer(const Gelu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Gelu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return gelu(x, op.approximate); });
}

inline std::optional<UnaryStep> unary_step(const Gelu& op, const NodeFacts&) {
  return unary(op.approximate ? UnaryKind::kGeluTanh : UnaryKind::kGelu);
}

inline constexpr const OpSchema* gelu_op = &kOpSchema<Gelu>;

}  // namespace coracle::internal
