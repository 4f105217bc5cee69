// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = e^x
struct Exp : UnaryOperator {
  static constexpr const char* kName = "exp";
  static constexpr const char* kLegacy[] = {"exp"};
  friend bool operator==(const Exp&, const Exp&) = default;
};

inline void infer(const Exp&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Exp&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::exp(x); });
}

inline std::optional<UnaryStep> unary_step(const Exp&, const NodeFacts&) { return unary(UnaryKind::kExp); }

inline constexpr const OpSchema* exp_op = &kOpSchema<Exp>;

}  // namespace coracle::internal
