// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x - tanh(x)
struct TanhShrink : UnaryOperator {
  static constexpr const char* kName = "tanh_shrink";
  static constexpr const char* kLegacy[] = {"tanh_shrink"};
  friend bool operator==(const TanhShrink&, const TanhShrink&) = default;
};

inline void infer(const TanhShrink&, InferArgs& a) { infer_unary(a); }

inline void reference(const TanhShrink&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x - std::tanh(x); });
}

inline std::optional<UnaryStep> unary_step(const TanhShrink&, const NodeFacts&) {
  return unary(UnaryKind::kTanhShrink);
}

inline constexpr const OpSchema* tanh_shrink_op = &kOpSchema<TanhShrink>;

}  // namespace coracle::internal
