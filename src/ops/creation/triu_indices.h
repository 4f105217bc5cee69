// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/triangle_indices.h"

namespace coracle::internal {

/// Row and column numbers of the positions on and above the diagonal `offset` of a matrix.
struct TriuIndices {
  static constexpr const char* kName = "triu_indices";
  static constexpr const char* kLegacy[] = {"triu_indices"};
  static constexpr Port kOutputs[] = {out("out", "out")};
  int64_t row = 0;
  int64_t col = 0;
  int64_t offset = 0;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("row", row);
    visit("col", col);
    visit("offset", offset);
    visit("dtype", dtype);
  }
  friend bool operator==(const TriuIndices&, const TriuIndices&) = default;
};

inline void infer(const TriuIndices& op, InferArgs& a) {
  infer_triangle_indices(a, op.dtype, op.row, op.col, op.offset, false);
}

inline void reference(const TriuIndices& op, ReferenceArgs& a) {
  write_triangle_indices(a.out(0), op.row, op.col, op.offset, false);
}

inline constexpr const OpSchema* triu_indices_op = &kOpSchema<TriuIndices>;

}  // namespace coracle::internal
