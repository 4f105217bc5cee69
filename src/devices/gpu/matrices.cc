// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/matrices.h"

#include <algorithm>

namespace coracle::internal::gpu {

Matrices matrices_of(const Shape& x, const Shape& y, bool transpose_x, bool transpose_y) {
  struct Dimension {
    int64_t size = 1;
    int64_t step = 0;
  };
  // Dimension d from the end; beyond the first one, and where it is repeated, of step 0.
  const auto dimension = [](const Shape& s, int d) {
    if (d >= s.rank()) return Dimension{};
    const int64_t size = s[s.rank() - 1 - d];
    return Dimension{size, size == 1 ? 0 : s.count(s.rank() - d, s.rank())};
  };
  const bool matrix_x = x.rank() > 1;
  const bool matrix_y = y.rank() > 1;
  const Dimension m = matrix_x ? dimension(x, transpose_x ? 0 : 1) : Dimension{};
  const Dimension k = dimension(x, matrix_x && transpose_x ? 1 : 0);
  const Dimension k_of_y = dimension(y, matrix_y && !transpose_y ? 1 : 0);
  const Dimension n = matrix_y ? dimension(y, transpose_y ? 1 : 0) : Dimension{};
  Matrices p;
  p.rows = m.size;
  p.columns = n.size;
  p.depth = k.size;
  p.a_row = m.step;
  p.a_depth = k.step;
  p.b_depth = k_of_y.step;
  p.b_column = n.step;
  for (int d = std::max(x.rank(), y.rank()) - 1; d >= 2; --d) {
    const Dimension left = dimension(x, d);
    const Dimension right = dimension(y, d);
    const int64_t size = left.size == 1 ? right.size : left.size;
    if (size != 1) p.batch.push_back({size, left.step, right.step});
  }
  // A right matrix that all share: the batch is more rows, where these go on in one step.
  while (!p.batch.empty() && p.batch.back().b_step == 0 && (p.rows == 1 || p.batch.back().a_step == p.rows * p.a_row)) {
    if (p.rows == 1) p.a_row = p.batch.back().a_step;
    p.rows *= p.batch.back().size;
    p.batch.pop_back();
  }
  return p;
}

}  // namespace coracle::internal::gpu
