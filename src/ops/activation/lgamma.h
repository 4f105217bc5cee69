// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = log |gamma(x)|
struct Lgamma : UnaryOperator {
  static constexpr const char* kName = "lgamma";
  static constexpr const char* kLegacy[] = {"lgamma"};
  friend bool operator==(const Lgamma&, const Lgamma&) = default;
};

inline void infer(const Lgamma&, InferArgs& a) { infer_unary(a); }

inline void reference(const Lgamma&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::lgamma(x); });
}

inline constexpr const OpSchema* lgamma_op = &kOpSchema<Lgamma>;

}  // namespace coracle::internal
