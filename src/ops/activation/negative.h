// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = -x
struct Negative : UnaryOperator {
  static constexpr const char* kName = "negative";
  static constexpr const char* kLegacy[] = {"negative"};
  friend bool operator==(const Negative&, const Negative&) = default;
};

inline void infer(const Negative&, InferArgs& a) { infer_unary(a); }

inline void reference(const Negative&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return -x; });
}

inline std::optional<UnaryStep> unary_step(const Negative&, const NodeFacts&) { return unary(UnaryKind::kNegative); }

inline constexpr const OpSchema* negative_op = &kOpSchema<Negative>;

}  // namespace coracle::internal
