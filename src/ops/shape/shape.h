// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/shape/shape_value.h"

namespace coracle::internal {

/// The dimensions of the operand, as a 1-D tensor.
struct ShapeOp {
  static constexpr const char* kName = "shape";
  static constexpr const char* kLegacy[] = {"shape"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  DType dtype = DType::kInt32;
  void attributes(AttributeVisitor& visit) { visit("result_dtype", dtype); }
  friend bool operator==(const ShapeOp&, const ShapeOp&) = default;
};

inline void infer(const ShapeOp& op, InferArgs& a) { infer_shape_value(a, op.dtype); }

inline void reference(const ShapeOp&, ReferenceArgs& a) { write_shape(a.shape(0), a.out(0)); }

inline constexpr const OpSchema* shape_op = &kOpSchema<ShapeOp>;

}  // namespace coracle::internal
