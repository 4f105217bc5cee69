// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = inverse hyperbolic sine
struct Asinh : UnaryOperator {
  static constexpr const char* kName = "asinh";
  static constexpr const char* kLegacy[] = {"asinh"};
  friend bool operator==(const Asinh&, const Asinh&) = default;
};

inline void infer(const Asinh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Asinh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::asinh(x); });
}

inline constexpr const OpSchema* asinh_op = &kOpSchema<Asinh>;

}  // namespace coracle::internal
