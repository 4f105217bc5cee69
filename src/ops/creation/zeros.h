// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// Zeros of a fixed shape.
struct Zeros {
  static constexpr const char* kName = "zeros";
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints shape;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) {
    visit("shape", shape);
    visit("dtype", dtype);
  }
  friend bool operator==(const Zeros&, const Zeros&) = default;
};

inline void infer(const Zeros& op, InferArgs& a) {
  const Shape shape(op.shape);
  require(shape.known(), "shape ", shape, " is not complete");
  a.set(0, op.dtype, shape);
}

inline void reference(const Zeros&, ReferenceArgs& a) { fill(a.context(), a.out(0), 0.0, 0); }

inline constexpr const OpSchema* zeros_op = &kOpSchema<Zeros>;

}  // namespace coracle::internal
