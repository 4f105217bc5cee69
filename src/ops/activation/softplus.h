// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = log(1 + e^(beta x)) / beta, x itself where beta x > threshold
struct Softplus : UnaryOperator {
  static constexpr const char* kName = "softplus";
  static constexpr const char* kLegacy[] = {"softplus"};
  double beta = 1.0;
  double threshold = 20.0;
  void attributes(AttributeVisitor& visit) {
    visit("beta", beta);
    visit("threshold", threshold);
  }
  friend bool operator==(const Softplus&, const Softplus&) = default;
};

inline void infer(const Softplus&, InferArgs& a) { infer_unary(a); }

inline void reference(const Softplus& op, ReferenceArgs& a) {
  reference_unary(
      a, [&op](double x) { return op.beta * x > op.threshold ? x : std::log1p(std::exp(op.beta * x)) / op.beta; });
}

inline std::optional<UnaryStep> unary_step(const Softplus& op, const NodeFacts&) {
  return unary(UnaryKind::kSoftplus, op.beta, op.threshold);
}

inline constexpr const OpSchema* softplus_op = &kOpSchema<Softplus>;

}  // namespace coracle::internal
