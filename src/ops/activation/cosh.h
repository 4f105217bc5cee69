// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = hyperbolic cosine
struct Cosh : UnaryOperator {
  static constexpr const char* kName = "cosh";
  static constexpr const char* kLegacy[] = {"cosh"};
  friend bool operator==(const Cosh&, const Cosh&) = default;
};

inline void infer(const Cosh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Cosh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::cosh(x); });
}

inline constexpr const OpSchema* cosh_op = &kOpSchema<Cosh>;

}  // namespace coracle::internal
