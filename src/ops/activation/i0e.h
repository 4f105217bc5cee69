// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/bessel.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

inline constexpr Port kI0eInputs[] = {in("x", "x")};
inline constexpr Port kI0eOutputs[] = {out("out", "out")};

/// out = e^-|x| times the modified Bessel function of the first kind of order 0
struct I0e : UnaryOperator {
  static constexpr const char* kName = "i0e";
  static constexpr const char* kLegacy[] = {"i0e"};
  static constexpr std::span<const Port> kInputs = kI0eInputs;
  static constexpr std::span<const Port> kOutputs = kI0eOutputs;
  friend bool operator==(const I0e&, const I0e&) = default;
};

inline void infer(const I0e&, InferArgs& a) { infer_unary(a); }

inline void reference(const I0e&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return scaled_bessel(0, x); });
}

inline constexpr const OpSchema* i0e_op = &kOpSchema<I0e>;

}  // namespace coracle::internal
