// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = min(max(x, 0), limit)
struct ReluClipped : UnaryOperator {
  static constexpr const char* kName = "relu_clipped";
  static constexpr const char* kLegacy[] = {"relu_clipped"};
  double limit = 6.0;
  void attributes(AttributeVisitor& visit) { visit("limit", limit, "Relu_clipped_coef"); }
  friend bool operator==(const ReluClipped&, const ReluClipped&) = default;
};

inline void infer(const ReluClipped&, InferArgs& a) { infer_unary(a); }

inline void reference(const ReluClipped& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::min(std::max(x, 0.0), op.limit); });
}

inline std::optional<UnaryStep> unary_step(const ReluClipped& op, const NodeFacts&) {
  return unary(UnaryKind::kClip, 0, op.limit);
}

inline constexpr const OpSchema* relu_clipped_op = &kOpSchema<ReluClipped>;

}  // namespace coracle::internal
