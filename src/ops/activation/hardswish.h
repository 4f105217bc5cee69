// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x * min(max(x + offset, 0), threshold) / scale
struct Hardswish : UnaryOperator {
  static constexpr const char* kName = "hardswish";
  static constexpr const char* kLegacy[] = {"hard_swish"};
  double threshold = 6.0;
  double scale = 6.0;
  double offset = 3.0;
  void attributes(AttributeVisitor& visit) {
    visit("threshold", threshold);
    visit("scale", scale);
    visit("offset", offset);
  }
  friend bool operator==(const Hardswish&, const Hardswish&) = default;
};

inline void infer(const Hardswish&, InferArgs& a) { infer_unary(a); }

inline void reference(const Hardswish& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x * std::min(std::max(x + op.offset, 0.0), op.threshold) / op.scale; });
}

inline std::optional<UnaryStep> unary_step(const Hardswish& op, const NodeFacts&) {
  return unary(UnaryKind::kHardSwish, op.offset, op.threshold, op.scale);
}

inline constexpr const OpSchema* hardswish_op = &kOpSchema<Hardswish>;

}  // namespace coracle::internal
