// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/floating.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = the y with erf(y) = x
struct Erfinv : UnaryOperator {
  static constexpr const char* kName = "erfinv";
  static constexpr const char* kLegacy[] = {"erfinv"};
  friend bool operator==(const Erfinv&, const Erfinv&) = default;
};

inline void infer(const Erfinv&, InferArgs& a) { infer_unary(a); }

inline void reference(const Erfinv&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return inverse_erf(x); });
}

inline constexpr const OpSchema* erfinv_op = &kOpSchema<Erfinv>;

}  // namespace coracle::internal
