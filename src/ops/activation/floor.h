// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = largest integer not above x
struct Floor : UnaryOperator {
  static constexpr const char* kName = "floor";
  static constexpr const char* kLegacy[] = {"floor"};
  friend bool operator==(const Floor&, const Floor&) = default;
};

inline void infer(const Floor&, InferArgs& a) { infer_unary(a); }

inline void reference(const Floor&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::floor(x); });
}

inline std::optional<UnaryStep> unary_step(const Floor&, const NodeFacts&) { return unary(UnaryKind::kFloor); }

inline constexpr const OpSchema* floor_op = &kOpSchema<Floor>;

}  // namespace coracle::internal
