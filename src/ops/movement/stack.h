// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle::internal {

/// Tensors of one shape, side by side on a new dimension `axis`.
struct Stack {
  static constexpr const char* kName = "stack";
  static constexpr const char* kLegacy[] = {"stack"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Stack&, const Stack&) = default;
};

inline void infer(const Stack& op, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  Shape y = a.shape(0);
  for (int i = 1; i < a.count(0); ++i) y = met(y, a.shape(0, i));
  if (y.rank_known()) y.insert(normalize_axis(op.axis, y.rank() + 1), a.count(0));
  a.set(0, dtype, y);
}

inline void reference(const Stack& op, ReferenceArgs& a) {
  const Around y(a.out(0).shape(), normalize_axis(op.axis, a.out(0).shape().rank()));
  for (int i = 0; i < a.count(0); ++i) {
    copy_rows_in(a.context(), a.in(0, i), a.out(0), y.outer, y.inner, y.dim * y.inner, i * y.inner);
  }
}

inline constexpr const OpSchema* stack_op = &kOpSchema<Stack>;

}  // namespace coracle::internal
