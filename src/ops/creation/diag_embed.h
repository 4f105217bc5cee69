// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ops/creation/diagonals.h"

namespace coracle::internal {

/// Matrices of zeros with the last dimension of x on their diagonal `offset`, in dimensions dim1 and dim2 of the
/// result.
struct DiagEmbed {
  static constexpr const char* kName = "diag_embed";
  static constexpr const char* kLegacy[] = {"diag_embed"};
  static constexpr Port kInputs[] = {in("input", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int offset = 0;
  int dim1 = -2;
  int dim2 = -1;
  void attributes(AttributeVisitor& visit) {
    visit("offset", offset);
    visit("dim1", dim1);
    visit("dim2", dim2);
  }
  friend bool operator==(const DiagEmbed&, const DiagEmbed&) = default;
};

inline void infer(const DiagEmbed& op, InferArgs& a) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() > 0, "diag_embed of a scalar");
    const int rank = y.rank() + 1;
    const int rows = normalize_axis(op.dim1, rank, "dim1");
    const int columns = normalize_axis(op.dim2, rank, "dim2");
    require(rows != columns, "dim1 and dim2 are both ", rows);
    const int64_t n = y.back() < 0 ? Shape::kUnknown : checked_add(y.back(), std::abs(int64_t{op.offset}));
    y.erase(y.rank() - 1);
    y.insert(std::min(rows, columns), n);
    y.insert(std::max(rows, columns), n);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const DiagEmbed& op, ReferenceArgs& a) {
  Tensor& y = a.out(0);
  if (y.bytes() == 0) return;
  std::memset(y.raw(), 0, y.bytes());
  copy_elements(a.context(), a.in(0).raw(), row_major(a.shape(0)), y.raw(),
                diagonal_steps(y.shape(), op.dim1, op.dim2, op.offset), size_of(y.dtype()));
}

inline constexpr const OpSchema* diag_embed_op = &kOpSchema<DiagEmbed>;

}  // namespace coracle::internal
