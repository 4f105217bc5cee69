// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = square root
struct Sqrt : UnaryOperator {
  static constexpr const char* kName = "sqrt";
  static constexpr const char* kLegacy[] = {"sqrt"};
  friend bool operator==(const Sqrt&, const Sqrt&) = default;
};

inline void infer(const Sqrt&, InferArgs& a) { infer_unary(a); }

inline void reference(const Sqrt&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::sqrt(x); });
}

inline std::optional<UnaryStep> unary_step(const Sqrt&, const NodeFacts&) { return unary(UnaryKind::kSqrt); }

inline constexpr const OpSchema* sqrt_op = &kOpSchema<Sqrt>;

}  // namespace coracle::internal
