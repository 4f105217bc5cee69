// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/shape/shape_value.h"

namespace coracle::internal {

/// The dimensions of the operand, as a 1-D tensor.
struct Shape64 {
  static constexpr const char* kName = "shape64";
  static constexpr const char* kLegacy[] = {"shape64"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) { visit("result_dtype", dtype); }
  friend bool operator==(const Shape64&, const Shape64&) = default;
};

inline void infer(const Shape64& op, InferArgs& a) { infer_shape_value(a, op.dtype); }

inline void reference(const Shape64&, ReferenceArgs& a) { write_shape(a.shape(0), a.out(0)); }

inline constexpr const OpSchema* shape64_op = &kOpSchema<Shape64>;

}  // namespace coracle::internal
