// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/unary.h"
#include "ops/common/unary_step.h"

namespace coracle {

/// out = x for x > 0, alpha * (e^(x / alpha) - 1) below
struct Celu : UnaryOperator {
  static constexpr const char* kName = "celu";
  static constexpr const char* kLegacy[] = {"celu"};
  double alpha = 1.0;
  void attributes(AttributeVisitor& visit) { visit("alpha", alpha); }
  friend bool operator==(const Celu&, const Celu&) = default;
};

inline void infer(const Celu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Celu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x > 0 ? x : op.alpha * std::expm1(x / op.alpha); });
}

inline std::optional<UnaryStep> unary_step(const Celu& op, const NodeFacts&) {
  return unary(UnaryKind::kCelu, op.alpha);
}

inline constexpr const OpRow* celu_op = &kOpRow<Celu>;

}  // namespace coracle
