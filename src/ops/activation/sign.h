// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = -1, 0 or 1
struct Sign : UnaryOperator {
  static constexpr const char* kName = "sign";
  static constexpr const char* kLegacy[] = {"sign"};
  friend bool operator==(const Sign&, const Sign&) = default;
};

inline void infer(const Sign&, InferArgs& a) { infer_unary(a); }

inline void reference(const Sign&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); });
}

inline std::optional<UnaryStep> unary_step(const Sign&, const NodeFacts&) { return unary(UnaryKind::kSign); }

inline constexpr const OpSchema* sign_op = &kOpSchema<Sign>;

}  // namespace coracle::internal
