// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = true where any element over the axes is
struct Any : ReductionAttributes {
  static constexpr const char* kName = "any";
  static constexpr const char* kLegacy[] = {"reduce_any"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Any&, const Any&) = default;
};

inline void infer(const Any& op, InferArgs& a) {
  a.set(0, DType::kBool, reduced_shape(a.shape(0), &op.axis, op.reduce_all, op.keepdim));
}

inline void reference(const Any& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, a.shape(0).rank());
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), 0.0, [](double s, double x) { return s != 0 || x != 0 ? 1.0 : 0.0; },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* any_op = &kOpSchema<Any>;

}  // namespace coracle::internal
