// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = tanh(x)
struct Tanh : UnaryOperator {
  static constexpr const char* kName = "tanh";
  static constexpr const char* kLegacy[] = {"tanh"};
  friend bool operator==(const Tanh&, const Tanh&) = default;
};

inline void infer(const Tanh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Tanh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::tanh(x); });
}

inline std::optional<UnaryStep> unary_step(const Tanh&, const NodeFacts&) { return unary(UnaryKind::kTanh); }

inline constexpr const OpSchema* tanh_op = &kOpSchema<Tanh>;

}  // namespace coracle::internal
