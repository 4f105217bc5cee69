// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = hyperbolic sine
struct Sinh : UnaryOperator {
  static constexpr const char* kName = "sinh";
  static constexpr const char* kLegacy[] = {"sinh"};
  friend bool operator==(const Sinh&, const Sinh&) = default;
};

inline void infer(const Sinh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Sinh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::sinh(x); });
}

inline constexpr const OpSchema* sinh_op = &kOpSchema<Sinh>;

}  // namespace coracle::internal
