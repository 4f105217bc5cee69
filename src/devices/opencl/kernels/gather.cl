// SPDX-License-Identifier: Apache-2.0
// y[outer, i, inner] = x[outer, index[i], inner]. An index that x does not have gives zeros, as does `nothing`.
// Defined by the host: TYPE (moved), INDEX, FROM_END (1: negative ones count from the end).

#include "types.cl"

KERNEL(gather)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, GLOBAL const INDEX* index, offset_t index_begin, const int count, const int indices,
                   const int inner, const int dim, const int nothing) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  index += index_begin;
  y += y_begin;
  const int row = id / inner;
  const int outer = row / indices;
  INDEX i = index[row - outer * indices];
  bool there = nothing < 0 || i != nothing;
#if FROM_END
  if (i < 0) i += dim;
#endif
  there = there && i >= 0 && i < dim;
  y[id] = there ? x[(outer * dim + (int)i) * inner + (id - row * inner)] : (TYPE)0;
}
