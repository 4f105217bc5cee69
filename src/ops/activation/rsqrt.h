// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = 1 / sqrt(x)
struct Rsqrt : UnaryOperator {
  static constexpr const char* kName = "rsqrt";
  static constexpr const char* kLegacy[] = {"rsqrt"};
  friend bool operator==(const Rsqrt&, const Rsqrt&) = default;
};

inline void infer(const Rsqrt&, InferArgs& a) { infer_unary(a); }

inline void reference(const Rsqrt&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return 1.0 / std::sqrt(x); });
}

inline std::optional<UnaryStep> unary_step(const Rsqrt&, const NodeFacts&) { return unary(UnaryKind::kRsqrt); }

inline constexpr const OpSchema* rsqrt_op = &kOpSchema<Rsqrt>;

}  // namespace coracle::internal
