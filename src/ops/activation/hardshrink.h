// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = 0 where |x| <= threshold, else x
struct Hardshrink : UnaryOperator {
  static constexpr const char* kName = "hardshrink";
  static constexpr const char* kLegacy[] = {"hard_shrink"};
  double threshold = 0.5;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold); }
  friend bool operator==(const Hardshrink&, const Hardshrink&) = default;
};

inline void infer(const Hardshrink&, InferArgs& a) { infer_unary(a); }

inline void reference(const Hardshrink& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::fabs(x) <= op.threshold ? 0.0 : x; });
}

inline std::optional<UnaryStep> unary_step(const Hardshrink& op, const NodeFacts&) {
  if (op.threshold < 0) return std::nullopt;
  return unary(UnaryKind::kHardShrink, op.threshold);
}

inline constexpr const OpSchema* hardshrink_op = &kOpSchema<Hardshrink>;

}  // namespace coracle::internal
