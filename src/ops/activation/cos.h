// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = cosine
struct Cos : UnaryOperator {
  static constexpr const char* kName = "cos";
  static constexpr const char* kLegacy[] = {"cos"};
  friend bool operator==(const Cos&, const Cos&) = default;
};

inline void infer(const Cos&, InferArgs& a) { infer_unary(a); }

inline void reference(const Cos&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::cos(x); });
}

inline std::optional<UnaryStep> unary_step(const Cos&, const NodeFacts&) { return unary(UnaryKind::kCos); }

inline constexpr const OpSchema* cos_op = &kOpSchema<Cos>;

}  // namespace coracle::internal
