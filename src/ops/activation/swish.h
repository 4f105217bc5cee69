// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x * sigmoid(beta * x)
struct Swish : UnaryOperator {
  static constexpr const char* kName = "swish";
  static constexpr const char* kLegacy[] = {"swish"};
  double beta = 1.0;
  void attributes(AttributeVisitor& visit) { visit("beta", beta); }
  friend bool operator==(const Swish&, const Swish&) = default;
};

inline void infer(const Swish&, InferArgs& a) { infer_unary(a); }

inline void reference(const Swish& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x / (1.0 + std::exp(-op.beta * x)); });
}

inline std::optional<UnaryStep> unary_step(const Swish& op, const NodeFacts&) {
  return unary(UnaryKind::kSwish, op.beta);
}

inline constexpr const OpSchema* swish_op = &kOpSchema<Swish>;

}  // namespace coracle::internal
