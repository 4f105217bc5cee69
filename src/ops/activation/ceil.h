// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = smallest integer not below x
struct Ceil : UnaryOperator {
  static constexpr const char* kName = "ceil";
  static constexpr const char* kLegacy[] = {"ceil"};
  friend bool operator==(const Ceil&, const Ceil&) = default;
};

inline void infer(const Ceil&, InferArgs& a) { infer_unary(a); }

inline void reference(const Ceil&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::ceil(x); });
}

inline std::optional<UnaryStep> unary_step(const Ceil&, const NodeFacts&) { return unary(UnaryKind::kCeil); }

inline constexpr const OpSchema* ceil_op = &kOpSchema<Ceil>;

}  // namespace coracle::internal
