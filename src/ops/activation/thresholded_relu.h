// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x where x > threshold, else value. A sum of two products, so not a number where x is minus infinity.
struct ThresholdedRelu : UnaryOperator {
  static constexpr const char* kName = "thresholded_relu";
  static constexpr const char* kLegacy[] = {"thresholded_relu"};
  double threshold = 1.0;
  double value = 0.0;
  void attributes(AttributeVisitor& visit) {
    visit("threshold", threshold);
    visit("value", value);
  }
  friend bool operator==(const ThresholdedRelu&, const ThresholdedRelu&) = default;
};

inline void infer(const ThresholdedRelu&, InferArgs& a) { infer_unary(a); }

inline void reference(const ThresholdedRelu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x > op.threshold ? x : x * 0.0 + op.value; });
}

inline std::optional<UnaryStep> unary_step(const ThresholdedRelu& op, const NodeFacts&) {
  return unary(UnaryKind::kThresholdedRelu, op.threshold, op.value);
}

inline constexpr const OpSchema* thresholded_relu_op = &kOpSchema<ThresholdedRelu>;

}  // namespace coracle::internal
