// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x * sigmoid(x)
struct Silu : UnaryOperator {
  static constexpr const char* kName = "silu";
  static constexpr const char* kLegacy[] = {"silu"};
  friend bool operator==(const Silu&, const Silu&) = default;
};

inline void infer(const Silu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Silu&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return x / (1.0 + std::exp(-x)); });
}

inline std::optional<UnaryStep> unary_step(const Silu&, const NodeFacts&) { return unary(UnaryKind::kSwish, 1); }

inline constexpr const OpSchema* silu_op = &kOpSchema<Silu>;

}  // namespace coracle::internal
