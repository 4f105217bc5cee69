// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x moved towards 0 by threshold, 0 within it. A sum of two products, so not a number where x is infinite.
struct Softshrink : UnaryOperator {
  static constexpr const char* kName = "softshrink";
  static constexpr const char* kLegacy[] = {"softshrink"};
  double threshold = 0.5;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold, "lambda"); }
  friend bool operator==(const Softshrink&, const Softshrink&) = default;
};

inline void infer(const Softshrink&, InferArgs& a) { infer_unary(a); }

inline void reference(const Softshrink& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) {
    const double upper = (x > op.threshold ? 1.0 : 0.0) * (x - op.threshold);
    return upper + (x < -op.threshold ? 1.0 : 0.0) * (x + op.threshold);
  });
}

inline std::optional<UnaryStep> unary_step(const Softshrink& op, const NodeFacts&) {
  return unary(UnaryKind::kSoftShrink, op.threshold);
}

inline constexpr const OpSchema* softshrink_op = &kOpSchema<Softshrink>;

}  // namespace coracle::internal
