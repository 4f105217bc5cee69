// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = min(max(slope * x + offset, 0), 1)
struct Hardsigmoid : UnaryOperator {
  static constexpr const char* kName = "hardsigmoid";
  static constexpr const char* kLegacy[] = {"hard_sigmoid"};
  double slope = 0.2;
  double offset = 0.5;
  void attributes(AttributeVisitor& visit) {
    visit("slope", slope);
    visit("offset", offset);
  }
  friend bool operator==(const Hardsigmoid&, const Hardsigmoid&) = default;
};

inline void infer(const Hardsigmoid&, InferArgs& a) { infer_unary(a); }

inline void reference(const Hardsigmoid& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::min(std::max(op.slope * x + op.offset, 0.0), 1.0); });
}

inline std::optional<UnaryStep> unary_step(const Hardsigmoid& op, const NodeFacts&) {
  return unary(UnaryKind::kHardSigmoid, op.slope, op.offset);
}

inline constexpr const OpSchema* hardsigmoid_op = &kOpSchema<Hardsigmoid>;

}  // namespace coracle::internal
