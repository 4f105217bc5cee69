// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x for x > 0, alpha * (e^x - 1) below
struct Elu : UnaryOperator {
  static constexpr const char* kName = "elu";
  static constexpr const char* kLegacy[] = {"elu"};
  double alpha = 1.0;
  void attributes(AttributeVisitor& visit) { visit("alpha", alpha); }
  friend bool operator==(const Elu&, const Elu&) = default;
};

inline void infer(const Elu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Elu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x > 0 ? x : op.alpha * std::expm1(x); });
}

inline std::optional<UnaryStep> unary_step(const Elu& op, const NodeFacts&) { return unary(UnaryKind::kElu, op.alpha); }

inline constexpr const OpSchema* elu_op = &kOpSchema<Elu>;

}  // namespace coracle::internal
