// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = alpha * (e^(x / alpha) - 1) for x < 0, otherwise x; with alpha 0, -0 for x < 0
struct Celu : UnaryOperator {
  static constexpr const char* kName = "celu";
  static constexpr const char* kLegacy[] = {"celu"};
  double alpha = 1.0;
  void attributes(AttributeVisitor& visit) { visit("alpha", alpha); }
  friend bool operator==(const Celu&, const Celu&) = default;
};

inline void infer(const Celu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Celu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x < 0 ? op.alpha * std::expm1(x / op.alpha) : x; });
}

inline std::optional<UnaryStep> unary_step(const Celu& op, const NodeFacts&) {
  return unary(UnaryKind::kCelu, op.alpha);
}

inline constexpr const OpSchema* celu_op = &kOpSchema<Celu>;

}  // namespace coracle::internal
