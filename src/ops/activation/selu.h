// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = scale * (x for x > 0, alpha * (e^x - 1) below)
struct Selu : UnaryOperator {
  static constexpr const char* kName = "selu";
  static constexpr const char* kLegacy[] = {"selu"};
  double scale = 1.0507009873554805;
  double alpha = 1.6732632423543772;
  void attributes(AttributeVisitor& visit) {
    visit("scale", scale);
    visit("alpha", alpha);
  }
  friend bool operator==(const Selu&, const Selu&) = default;
};

inline void infer(const Selu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Selu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return op.scale * (x > 0 ? x : op.alpha * std::expm1(x)); });
}

inline std::optional<UnaryStep> unary_step(const Selu& op, const NodeFacts&) {
  return unary(UnaryKind::kSelu, op.alpha, op.scale);
}

inline constexpr const OpSchema* selu_op = &kOpSchema<Selu>;

}  // namespace coracle::internal
