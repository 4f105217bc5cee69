// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x without its fraction
struct Trunc : UnaryOperator {
  static constexpr const char* kName = "trunc";
  static constexpr const char* kLegacy[] = {"trunc"};
  friend bool operator==(const Trunc&, const Trunc&) = default;
};

inline void infer(const Trunc&, InferArgs& a) { infer_unary(a); }

inline void reference(const Trunc&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::trunc(x); });
}

inline std::optional<UnaryStep> unary_step(const Trunc&, const NodeFacts&) { return unary(UnaryKind::kTruncate); }

inline constexpr const OpSchema* trunc_op = &kOpSchema<Trunc>;

}  // namespace coracle::internal
