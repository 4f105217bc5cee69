// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/creation/filling.h"

namespace coracle::internal {

/// A tensor of a given shape whose elements may be anything; here zeros.
struct Empty {
  static constexpr const char* kName = "empty";
  static constexpr const char* kLegacy[] = {"empty"};
  static constexpr Port kInputs[] = {shape_in("shape", "shape", "ShapeTensor", "ShapeTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const Empty&, const Empty&) = default;
};

inline void infer(const Empty& op, InferArgs& a) {
  require_operand(a, 0, "shape");
  a.set(0, op.dtype, filled_shape(a, 0));
}

inline void reference(const Empty&, ReferenceArgs& a) { fill(a.context(), a.out(0), 0.0, 0); }

inline constexpr const OpSchema* empty_op = &kOpSchema<Empty>;

}  // namespace coracle::internal
