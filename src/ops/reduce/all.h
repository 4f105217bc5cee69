// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = true where all elements over the axes are
struct All : ReductionAttributes {
  static constexpr const char* kName = "all";
  static constexpr const char* kLegacy[] = {"reduce_all"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const All&, const All&) = default;
};

inline void infer(const All& op, InferArgs& a) {
  a.set(0, DType::kBool, reduced_shape(a.shape(0), &op.axis, op.reduce_all, op.keepdim));
}

inline void reference(const All& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, a.shape(0).rank());
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), 1.0, [](double s, double x) { return s != 0 && x != 0 ? 1.0 : 0.0; },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* all_op = &kOpSchema<All>;

}  // namespace coracle::internal
