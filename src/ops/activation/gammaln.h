// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = log |gamma(x)|
struct Gammaln : UnaryOperator {
  static constexpr const char* kName = "gammaln";
  static constexpr const char* kLegacy[] = {"gammaln"};
  friend bool operator==(const Gammaln&, const Gammaln&) = default;
};

inline void infer(const Gammaln&, InferArgs& a) { infer_unary(a); }

inline void reference(const Gammaln&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::lgamma(x); });
}

inline constexpr const OpSchema* gammaln_op = &kOpSchema<Gammaln>;

}  // namespace coracle::internal
