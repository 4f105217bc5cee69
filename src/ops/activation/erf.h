// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = error function
struct Erf : UnaryOperator {
  static constexpr const char* kName = "erf";
  static constexpr const char* kLegacy[] = {"erf"};
  friend bool operator==(const Erf&, const Erf&) = default;
};

inline void infer(const Erf&, InferArgs& a) { infer_unary(a); }

inline void reference(const Erf&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::erf(x); });
}

inline std::optional<UnaryStep> unary_step(const Erf&, const NodeFacts&) { return unary(UnaryKind::kErf); }

inline constexpr const OpSchema* erf_op = &kOpSchema<Erf>;

}  // namespace coracle::internal
