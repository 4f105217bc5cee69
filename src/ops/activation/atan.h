// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = arc tangent
struct Atan : UnaryOperator {
  static constexpr const char* kName = "atan";
  static constexpr const char* kLegacy[] = {"atan"};
  friend bool operator==(const Atan&, const Atan&) = default;
};

inline void infer(const Atan&, InferArgs& a) { infer_unary(a); }

inline void reference(const Atan&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::atan(x); });
}

inline std::optional<UnaryStep> unary_step(const Atan&, const NodeFacts&) { return unary(UnaryKind::kAtan); }

inline constexpr const OpSchema* atan_op = &kOpSchema<Atan>;

}  // namespace coracle::internal
