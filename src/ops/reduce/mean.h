// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the mean over the axes
struct Mean : OperandReduction {
  static constexpr const char* kName = "mean";
  static constexpr const char* kLegacy[] = {"reduce_mean"};
  friend bool operator==(const Mean&, const Mean&) = default;
};

inline void infer(const Mean& op, InferArgs& a) { a.set(0, a.dtype(0), infer_operand_reduction(op, a)); }

inline void reference(const Mean& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = operand_axes(op, a);
  if (is_complex(a.in(0).dtype()))
    return reference_complex_reduction(a.context(), a.in(0), reduced, a.out(0), ComplexReduction::kMean);
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), 0.0, [](double s, double x) { return s + x; },
      [](double s, double n) { return s / n; });
}

inline constexpr const OpSchema* mean_op = &kOpSchema<Mean>;

}  // namespace coracle::internal
