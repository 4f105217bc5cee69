// SPDX-License-Identifier: Apache-2.0
// y[outer, i, inner] = x[outer, index[i], inner]. An index that x does not have is a fault.
// Defined by the host: TYPE (moved), INDEX, FROM_END (1: negative ones count from the end), NOTHING (an index that
// stands for zeros, if there is one).

#include "faults.cl"
#include "types.cl"

KERNEL(gather)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, GLOBAL const INDEX* index, offset_t index_begin, const int count, const int indices,
                   const int inner, const int dim, GLOBAL i64* faults, offset_t faults_begin, const int operand) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  index += index_begin;
  y += y_begin;
  const int row = id / inner;
  const int outer = row / indices;
  const int element = row - outer * indices;
  const INDEX i = index[element];
  const i64 from_front = FROM_END && i < 0 ? (i64)i + dim : (i64)i;
  const bool there = from_front >= 0 && from_front < dim;
#ifdef NOTHING
  const bool wanted = i != NOTHING;
#else
  const bool wanted = true;
#endif
  if (wanted && !there) index_out_of_range(faults + faults_begin, operand, element, i, FROM_END ? -dim : 0, dim - 1);
  y[id] = wanted && there ? x[(outer * dim + (int)from_front) * inner + (id - row * inner)] : (TYPE)0;
}
