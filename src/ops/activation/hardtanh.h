// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = min(max(x, t_min), t_max)
struct Hardtanh : UnaryOperator {
  static constexpr const char* kName = "hardtanh";
  static constexpr const char* kLegacy[] = {"brelu"};
  double t_min = 0.0;
  double t_max = 24.0;
  void attributes(AttributeVisitor& visit) {
    visit("t_min", t_min);
    visit("t_max", t_max);
  }
  friend bool operator==(const Hardtanh&, const Hardtanh&) = default;
};

inline void infer(const Hardtanh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Hardtanh& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::min(std::max(x, op.t_min), op.t_max); });
}

inline std::optional<UnaryStep> unary_step(const Hardtanh& op, const NodeFacts&) {
  return unary(UnaryKind::kClip, op.t_min, op.t_max);
}

inline constexpr const OpSchema* hardtanh_op = &kOpSchema<Hardtanh>;

}  // namespace coracle::internal
