// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = 1 / (1 + e^-x)
struct Sigmoid : UnaryOperator {
  static constexpr const char* kName = "sigmoid";
  static constexpr const char* kLegacy[] = {"sigmoid"};
  friend bool operator==(const Sigmoid&, const Sigmoid&) = default;
};

inline void infer(const Sigmoid&, InferArgs& a) { infer_unary(a); }

inline void reference(const Sigmoid&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return 1.0 / (1.0 + std::exp(-x)); });
}

inline std::optional<UnaryStep> unary_step(const Sigmoid&, const NodeFacts&) { return unary(UnaryKind::kSigmoid); }

inline constexpr const OpSchema* sigmoid_op = &kOpSchema<Sigmoid>;

}  // namespace coracle::internal
