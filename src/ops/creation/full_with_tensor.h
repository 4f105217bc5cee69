// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// A tensor whose shape (and number) are operands.
struct FullWithTensor {
  static constexpr const char* kName = "full_with_tensor";
  static constexpr Port kInputs[] = {in("value", "ValueTensor"),
                                     shape_in("shape", "shape", "ShapeTensor", "ShapeTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const FullWithTensor&, const FullWithTensor&) = default;
};

inline void infer(const FullWithTensor& op, InferArgs& a) {
  require(a.has(1), "operand 'shape' is missing");
  a.set(0, op.dtype, filled_shape(a, 1));
}

inline void reference(const FullWithTensor&, ReferenceArgs& a) {
  require(a.in(0).count() > 0, ErrorCode::kRunFailure, "value has no element");
  fill_from(a.context(), a.out(0), a.in(0));
}

inline constexpr const OpSchema* full_with_tensor_op = &kOpSchema<FullWithTensor>;

}  // namespace coracle::internal
