// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x * tanh(softplus(x)), with softplus(x) = x above threshold
struct Mish : UnaryOperator {
  static constexpr const char* kName = "mish";
  static constexpr const char* kLegacy[] = {"mish"};
  double threshold = 20.0;
  void attributes(AttributeVisitor& visit) { visit("lambda", threshold, "threshold"); }
  friend bool operator==(const Mish&, const Mish&) = default;
};

inline void infer(const Mish&, InferArgs& a) { infer_unary(a); }

inline void reference(const Mish& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x * std::tanh(x > op.threshold ? x : std::log1p(std::exp(x))); });
}

inline std::optional<UnaryStep> unary_step(const Mish& op, const NodeFacts&) {
  // Above 20 softplus(x) is x to the last bit, so that the threshold does not show.
  if (op.threshold < 20) return std::nullopt;
  return unary(UnaryKind::kMish);
}

inline constexpr const OpSchema* mish_op = &kOpSchema<Mish>;

}  // namespace coracle::internal
