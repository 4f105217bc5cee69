// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the square root of the sum of squares over the axes
struct FrobeniusNorm : OperandReduction {
  static constexpr const char* kName = "frobenius_norm";
  static constexpr const char* kLegacy[] = {"frobenius_norm"};
  void attributes(AttributeVisitor& visit) {
    visit("keep_dim", keepdim);
    visit("reduce_all", reduce_all);
  }
  friend bool operator==(const FrobeniusNorm&, const FrobeniusNorm&) = default;
};

inline void infer(const FrobeniusNorm& op, InferArgs& a) { a.set(0, a.dtype(0), infer_operand_reduction(op, a)); }

inline void reference(const FrobeniusNorm& op, ReferenceArgs& a) {
  reference_reduction(
      a.context(), a.in(0), operand_axes(op, a), a.out(0), 0.0, [](double s, double x) { return s + x * x; },
      [](double s, double) { return std::sqrt(s); });
}

inline constexpr const OpSchema* frobenius_norm_op = &kOpSchema<FrobeniusNorm>;

}  // namespace coracle::internal
