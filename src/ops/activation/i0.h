// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/bessel.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

inline constexpr Port kI0Inputs[] = {in("x", "x")};
inline constexpr Port kI0Outputs[] = {out("out", "out")};

/// out = the modified Bessel function of the first kind of order 0
struct I0 : UnaryOperator {
  static constexpr const char* kName = "i0";
  static constexpr const char* kLegacy[] = {"i0"};
  static constexpr std::span<const Port> kInputs = kI0Inputs;
  static constexpr std::span<const Port> kOutputs = kI0Outputs;
  friend bool operator==(const I0&, const I0&) = default;
};

inline void infer(const I0&, InferArgs& a) { infer_unary(a); }

inline void reference(const I0&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return scaled_bessel(0, x) * std::exp(std::fabs(x)); });
}

inline constexpr const OpSchema* i0_op = &kOpSchema<I0>;

}  // namespace coracle::internal
