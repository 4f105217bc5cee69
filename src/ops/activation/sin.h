// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = sine
struct Sin : UnaryOperator {
  static constexpr const char* kName = "sin";
  static constexpr const char* kLegacy[] = {"sin"};
  friend bool operator==(const Sin&, const Sin&) = default;
};

inline void infer(const Sin&, InferArgs& a) { infer_unary(a); }

inline void reference(const Sin&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::sin(x); });
}

inline std::optional<UnaryStep> unary_step(const Sin&, const NodeFacts&) { return unary(UnaryKind::kSin); }

inline constexpr const OpSchema* sin_op = &kOpSchema<Sin>;

}  // namespace coracle::internal
