// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/bessel.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

inline constexpr Port kI1eInputs[] = {in("x", "x")};
inline constexpr Port kI1eOutputs[] = {out("out", "out")};

/// out = e^-|x| times the modified Bessel function of the first kind of order 1
struct I1e : UnaryOperator {
  static constexpr const char* kName = "i1e";
  static constexpr const char* kLegacy[] = {"i1e"};
  static constexpr std::span<const Port> kInputs = kI1eInputs;
  static constexpr std::span<const Port> kOutputs = kI1eOutputs;
  friend bool operator==(const I1e&, const I1e&) = default;
};

inline void infer(const I1e&, InferArgs& a) { infer_unary(a); }

inline void reference(const I1e&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return scaled_bessel(1, x); });
}

inline constexpr const OpSchema* i1e_op = &kOpSchema<I1e>;

}  // namespace coracle::internal
