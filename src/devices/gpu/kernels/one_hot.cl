// SPDX-License-Identifier: Apache-2.0
// y[i, c] is 1 where c is x[i], else 0. An index that is no class is a fault, or a row of zeros.
// Defined by the host: TYPE (of y), INDEX, SKIPS.

#include "faults.cl"
#include "types.cl"

KERNEL(one_hot)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const INDEX* x, offset_t x_begin, const int count, const int classes
#if !SKIPS
                , GLOBAL i64* faults, offset_t faults_begin, const int operand
#endif
) {
  const int id = global_id(0);
  if (id >= count) return;
  const int row = id / classes;
  const INDEX index = x[x_begin + row];
#if !SKIPS
  if (index < 0 || index >= classes) index_out_of_range(faults + faults_begin, operand, row, index, 0, classes - 1);
#endif
  STORE_OF(TYPE, y, y_begin + id, index == id - row * classes ? 1 : 0);
}
