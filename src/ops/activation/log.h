// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = natural logarithm
struct Log : UnaryOperator {
  static constexpr const char* kName = "log";
  static constexpr const char* kLegacy[] = {"log"};
  friend bool operator==(const Log&, const Log&) = default;
};

inline void infer(const Log&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Log&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::log(x); });
}

inline std::optional<UnaryStep> unary_step(const Log&, const NodeFacts&) { return unary(UnaryKind::kLog); }

inline constexpr const OpSchema* log_op = &kOpSchema<Log>;

}  // namespace coracle::internal
