// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"
#include "ops/creation/diagonals.h"

namespace coracle::internal {

/// x with y on the diagonals of dimensions dim1 and dim2; the last dimension of y runs along them, those before it over
/// the other dimensions of x, whose sizes may be joined or split.
struct FillDiagonalTensor {
  static constexpr const char* kName = "fill_diagonal_tensor";
  static constexpr const char* kLegacy[] = {"fill_diagonal_tensor"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t offset = 0;
  int dim1 = 0;
  int dim2 = 1;
  void attributes(AttributeVisitor& visit) {
    visit("offset", offset);
    visit("dim1", dim1);
    visit("dim2", dim2);
  }
  friend bool operator==(const FillDiagonalTensor&, const FillDiagonalTensor&) = default;
};

inline void infer(const FillDiagonalTensor& op, InferArgs& a) {
  require(a.dtype(0) == a.dtype(1), "x is ", a.dtype(0), " and y ", a.dtype(1));
  const Shape diagonals = diagonal_shape(a.shape(0), op.dim1, op.dim2, op.offset);
  const Shape& y = a.shape(1);
  if (diagonals.known() && y.known()) {
    require(y.rank() > 0 && y.back() == diagonals.back() && y.count() == diagonals.count(), "y is ", y,
            ", the diagonals are ", diagonals);
  }
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const FillDiagonalTensor& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  copy_elements(a.context(), a.in(1).raw(), row_major(diagonal_shape(a.shape(0), op.dim1, op.dim2, op.offset)),
                a.out(0).raw(), diagonal_steps(a.shape(0), op.dim1, op.dim2, op.offset), size_of(a.in(0).dtype()));
}

inline constexpr const OpSchema* fill_diagonal_tensor_op = &kOpSchema<FillDiagonalTensor>;

}  // namespace coracle::internal
