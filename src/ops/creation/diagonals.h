// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The elements on the diagonal `offset` (above the main one where positive) of `rows` by `columns`.
inline int64_t diagonal_length(int64_t rows, int64_t columns, int64_t offset) {
  const int64_t last_row = offset < 0 ? rows + offset : rows;
  const int64_t last_column = offset > 0 ? columns - offset : columns;
  return std::max<int64_t>(std::min(last_row, last_column), 0);
}

/// The shape of the diagonals of axes `a1`, `a2` of x: the other dimensions, then the length.
inline Shape diagonal_shape(const Shape& x, int64_t a1, int64_t a2, int64_t offset) {
  if (!x.rank_known()) return x;
  const int rows = normalize_axis(a1, x.rank());
  const int columns = normalize_axis(a2, x.rank());
  require(rows != columns, "both axes of a diagonal are ", rows);
  Shape y;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != rows && i != columns) y.push_back(x[i]);
  }
  y.push_back(x[rows] < 0 || x[columns] < 0 ? Shape::kUnknown : diagonal_length(x[rows], x[columns], offset));
  return y;
}

/// A walk over those diagonals.
inline ElementWalk diagonal_steps(const Shape& x, int64_t a1, int64_t a2, int64_t offset) {
  const int rows = normalize_axis(a1, x.rank());
  const int columns = normalize_axis(a2, x.rank());
  const ElementWalk all = row_major(x);
  ElementWalk s;
  for (int i = 0; i < all.rank; ++i) {
    if (i != rows && i != columns) s.push_back(all.size[i], all.step[i]);
  }
  s.push_back(diagonal_length(x[rows], x[columns], offset), all.step[rows] + all.step[columns]);
  // A diagonal outside of x begins nowhere.
  if (s.size[s.rank - 1] > 0) s.start = offset < 0 ? -offset * all.step[rows] : offset * all.step[columns];
  return s;
}

}  // namespace coracle::internal
