// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/arithmetic.h"
#include "ops/common/unary.h"

namespace coracle {

/// out = x to the power of one number
struct Pow {
  static constexpr const char* kName = "pow";
  static constexpr const char* kLegacy[] = {"pow"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("y", "factor", "FactorTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Pow&, const Pow&) = default;
};

inline void infer(const Pow&, InferArgs& a) { infer_unary(a); }

inline void reference(const Pow&, ReferenceArgs& a) {
  const double y = a.has(1) ? a.in(1).number(0) : 1.0;
  reference_unary(a, [=](double x) { return std::pow(x, y); });
}

inline constexpr const OpRow* pow_op = &kOpRow<Pow>;

}  // namespace coracle
