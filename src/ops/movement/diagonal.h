// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/diagonals.h"

namespace coracle::internal {

/// The diagonals of the matrices in axis1 and axis2, as the last dimension.
struct Diagonal {
  static constexpr const char* kName = "diagonal";
  static constexpr const char* kLegacy[] = {"diagonal"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int offset = 0;
  int axis1 = 0;
  int axis2 = 1;
  void attributes(AttributeVisitor& visit) {
    visit("offset", offset);
    visit("axis1", axis1);
    visit("axis2", axis2);
  }
  friend bool operator==(const Diagonal&, const Diagonal&) = default;
};

inline void infer(const Diagonal& op, InferArgs& a) {
  a.set(0, a.dtype(0), diagonal_shape(a.shape(0), op.axis1, op.axis2, op.offset));
}

inline void reference(const Diagonal& op, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), diagonal_steps(a.shape(0), op.axis1, op.axis2, op.offset), a.out(0));
}

inline constexpr const OpSchema* diagonal_op = &kOpSchema<Diagonal>;

}  // namespace coracle::internal
