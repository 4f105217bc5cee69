// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"

namespace coracle::internal {

/// How many columns of row r stand on or below the diagonal `offset`.
inline int64_t lower_columns(int64_t row, int64_t columns, int64_t offset) {
  return std::clamp<int64_t>(row + offset + 1, 0, columns);
}

/// The number of positions in the triangle of a matrix, on and below (lower) or on and above the diagonal.
inline int64_t triangle_count(int64_t rows, int64_t columns, int64_t offset, bool lower) {
  int64_t n = 0;
  for (int64_t r = 0; r < rows; ++r) {
    n += lower ? lower_columns(r, columns, offset) : columns - lower_columns(r, columns, offset - 1);
  }
  return n;
}

inline void infer_triangle_indices(InferArgs& a, DType dtype, int64_t rows, int64_t columns, int64_t offset,
                                   bool lower) {
  constexpr int64_t kMax = int64_t{1} << 24U;
  require(rows >= 0 && columns >= 0 && rows <= kMax && columns <= kMax, "a matrix of ", rows, " by ", columns,
          " was asked for, at most ", kMax, " each are possible");
  require(offset > -2 * kMax && offset < 2 * kMax, "offset is ", offset);
  require(dtype == DType::kInt32 || dtype == DType::kInt64, "dtype is ", dtype, ", expected int32 or int64");
  a.set(0, dtype, Shape{2, triangle_count(rows, columns, offset, lower)});
}

/// Row numbers, then column numbers, in row-major order.
inline void write_triangle_indices(Tensor& to, int64_t rows, int64_t columns, int64_t offset, bool lower) {
  const int64_t n = to.shape()[1];
  visit_real(to.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    int64_t i = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t begin = lower ? 0 : lower_columns(r, columns, offset - 1);
      const int64_t end = lower ? lower_columns(r, columns, offset) : columns;
      for (int64_t c = begin; c < end; ++c, ++i) {
        to.data<T>()[i] = static_cast<T>(r);
        to.data<T>()[n + i] = static_cast<T>(c);
      }
    }
  });
}

}  // namespace coracle::internal
