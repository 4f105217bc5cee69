// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = logarithm to base 10
struct Log10 : UnaryOperator {
  static constexpr const char* kName = "log10";
  static constexpr const char* kLegacy[] = {"log10"};
  friend bool operator==(const Log10&, const Log10&) = default;
};

inline void infer(const Log10&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Log10&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::log10(x); });
}

inline std::optional<UnaryStep> unary_step(const Log10&, const NodeFacts&) { return unary(UnaryKind::kLog10); }

inline constexpr const OpSchema* log10_op = &kOpSchema<Log10>;

}  // namespace coracle::internal
