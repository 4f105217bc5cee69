// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = min(max(x, 0), threshold)
struct Relu6 : UnaryOperator {
  static constexpr const char* kName = "relu6";
  static constexpr const char* kLegacy[] = {"relu6"};
  double threshold = 6.0;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold); }
  friend bool operator==(const Relu6&, const Relu6&) = default;
};

inline void infer(const Relu6&, InferArgs& a) { infer_unary(a); }

inline void reference(const Relu6& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::min(std::max(x, 0.0), op.threshold); });
}

inline std::optional<UnaryStep> unary_step(const Relu6& op, const NodeFacts&) {
  return unary(UnaryKind::kClip, 0, op.threshold);
}

inline constexpr const OpSchema* relu6_op = &kOpSchema<Relu6>;

}  // namespace coracle::internal
