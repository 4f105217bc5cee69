// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = 1 / x
struct Reciprocal : UnaryOperator {
  static constexpr const char* kName = "reciprocal";
  static constexpr const char* kLegacy[] = {"reciprocal"};
  friend bool operator==(const Reciprocal&, const Reciprocal&) = default;
};

inline void infer(const Reciprocal&, InferArgs& a) { infer_unary(a); }

inline void reference(const Reciprocal&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return 1.0 / x; });
}

inline std::optional<UnaryStep> unary_step(const Reciprocal&, const NodeFacts&) {
  return unary(UnaryKind::kReciprocal);
}

inline constexpr const OpSchema* reciprocal_op = &kOpSchema<Reciprocal>;

}  // namespace coracle::internal
