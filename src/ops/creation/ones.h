// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/filling.h"

namespace coracle::internal {

/// Ones of a fixed shape.
struct Ones {
  static constexpr const char* kName = "ones";
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints shape;
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) {
    visit("shape", shape);
    visit("dtype", dtype);
  }
  friend bool operator==(const Ones&, const Ones&) = default;
};

inline void infer(const Ones& op, InferArgs& a) {
  const Shape shape(op.shape);
  require(shape.known(), "shape ", shape, " is not complete");
  a.set(0, op.dtype, shape);
}

inline void reference(const Ones&, ReferenceArgs& a) { fill(a.context(), a.out(0), 1.0, 1); }

inline constexpr const OpSchema* ones_op = &kOpSchema<Ones>;

}  // namespace coracle::internal
