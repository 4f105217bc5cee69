// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/bessel.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

inline constexpr Port kI1Inputs[] = {in("x", "x")};
inline constexpr Port kI1Outputs[] = {out("out", "out")};

/// out = the modified Bessel function of the first kind of order 1
struct I1 : UnaryOperator {
  static constexpr const char* kName = "i1";
  static constexpr const char* kLegacy[] = {"i1"};
  static constexpr std::span<const Port> kInputs = kI1Inputs;
  static constexpr std::span<const Port> kOutputs = kI1Outputs;
  friend bool operator==(const I1&, const I1&) = default;
};

inline void infer(const I1&, InferArgs& a) { infer_unary(a); }

inline void reference(const I1&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return scaled_bessel(1, x) * std::exp(std::fabs(x)); });
}

inline constexpr const OpSchema* i1_op = &kOpSchema<I1>;

}  // namespace coracle::internal
