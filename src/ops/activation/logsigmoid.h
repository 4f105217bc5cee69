// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = log(sigmoid(x))
struct Logsigmoid : UnaryOperator {
  static constexpr const char* kName = "logsigmoid";
  static constexpr const char* kLegacy[] = {"logsigmoid"};
  friend bool operator==(const Logsigmoid&, const Logsigmoid&) = default;
};

inline void infer(const Logsigmoid&, InferArgs& a) { infer_unary(a); }

inline void reference(const Logsigmoid&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); });
}

inline std::optional<UnaryStep> unary_step(const Logsigmoid&, const NodeFacts&) {
  return unary(UnaryKind::kLogSigmoid);
}

inline constexpr const OpSchema* logsigmoid_op = &kOpSchema<Logsigmoid>;

}  // namespace coracle::internal
