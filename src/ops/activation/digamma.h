// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/floating.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = the derivative of log(gamma(x))
struct Digamma : UnaryOperator {
  static constexpr const char* kName = "digamma";
  static constexpr const char* kLegacy[] = {"digamma"};
  friend bool operator==(const Digamma&, const Digamma&) = default;
};

inline void infer(const Digamma&, InferArgs& a) { infer_unary(a); }

inline void reference(const Digamma&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return digamma(x); });
}

inline constexpr const OpSchema* digamma_op = &kOpSchema<Digamma>;

}  // namespace coracle::internal
