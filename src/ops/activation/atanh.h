// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = inverse hyperbolic tangent
struct Atanh : UnaryOperator {
  static constexpr const char* kName = "atanh";
  static constexpr const char* kLegacy[] = {"atanh"};
  friend bool operator==(const Atanh&, const Atanh&) = default;
};

inline void infer(const Atanh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Atanh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::atanh(x); });
}

inline constexpr const OpSchema* atanh_op = &kOpSchema<Atanh>;

}  // namespace coracle::internal
