// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/triangle_indices.h"

namespace coracle::internal {

/// Row and column numbers of the positions on and below the diagonal `offset` of a matrix.
struct TrilIndices {
  static constexpr const char* kName = "tril_indices";
  static constexpr const char* kLegacy[] = {"tril_indices"};
  static constexpr Port kOutputs[] = {out("out", "out")};
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t offset = 0;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("rows", rows);
    visit("cols", cols);
    visit("offset", offset);
    visit("dtype", dtype);
  }
  friend bool operator==(const TrilIndices&, const TrilIndices&) = default;
};

inline void infer(const TrilIndices& op, InferArgs& a) {
  infer_triangle_indices(a, op.dtype, op.rows, op.cols, op.offset, true);
}

inline void reference(const TrilIndices& op, ReferenceArgs& a) {
  write_triangle_indices(a.out(0), op.rows, op.cols, op.offset, true);
}

inline constexpr const OpSchema* tril_indices_op = &kOpSchema<TrilIndices>;

}  // namespace coracle::internal
