// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x / (1 + |x|)
struct Softsign : UnaryOperator {
  static constexpr const char* kName = "softsign";
  static constexpr const char* kLegacy[] = {"softsign"};
  friend bool operator==(const Softsign&, const Softsign&) = default;
};

inline void infer(const Softsign&, InferArgs& a) { infer_unary(a); }

inline void reference(const Softsign&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x / (1.0 + std::fabs(x)); });
}

inline std::optional<UnaryStep> unary_step(const Softsign&, const NodeFacts&) { return unary(UnaryKind::kSoftsign); }

inline constexpr const OpSchema* softsign_op = &kOpSchema<Softsign>;

}  // namespace coracle::internal
