// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = scale_b * tanh(scale_a * x)
struct Stanh : UnaryOperator {
  static constexpr const char* kName = "stanh";
  static constexpr const char* kLegacy[] = {"stanh"};
  double scale_a = 0.67;
  double scale_b = 1.7159;
  void attributes(AttributeVisitor& visit) {
    visit("scale_a", scale_a);
    visit("scale_b", scale_b);
  }
  friend bool operator==(const Stanh&, const Stanh&) = default;
};

inline void infer(const Stanh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Stanh& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return op.scale_b * std::tanh(op.scale_a * x); });
}

inline std::optional<UnaryStep> unary_step(const Stanh& op, const NodeFacts&) {
  return unary(UnaryKind::kScaledTanh, op.scale_a, op.scale_b);
}

inline constexpr const OpSchema* stanh_op = &kOpSchema<Stanh>;

}  // namespace coracle::internal
