// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x for x >= 0, negative_slope * x below
struct LeakyRelu : UnaryOperator {
  static constexpr const char* kName = "leaky_relu";
  static constexpr const char* kLegacy[] = {"leaky_relu"};
  double negative_slope = 0.02;
  void attributes(AttributeVisitor& visit) { visit("negative_slope", negative_slope, "alpha"); }
  friend bool operator==(const LeakyRelu&, const LeakyRelu&) = default;
};

inline void infer(const LeakyRelu&, InferArgs& a) { infer_unary(a); }

inline void reference(const LeakyRelu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x >= 0 ? x : op.negative_slope * x; });
}

inline std::optional<UnaryStep> unary_step(const LeakyRelu& op, const NodeFacts&) {
  return unary(UnaryKind::kLeakyRelu, op.negative_slope);
}

inline constexpr const OpSchema* leaky_relu_op = &kOpSchema<LeakyRelu>;

}  // namespace coracle::internal
