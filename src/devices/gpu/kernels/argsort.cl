// SPDX-License-Identifier: Apache-2.0
// Lines [outer, length, inner] in order, and where their elements were. An item takes an element and counts those of its
// line that come before it: equal ones stay in their order.
// Defined by the host: TYPE, REAL, DESCENDING.

#include "ordering.cl"

KERNEL(argsort)(GLOBAL TYPE* RESTRICT values, offset_t values_begin, GLOBAL i64* RESTRICT indices, offset_t indices_begin, GLOBAL const TYPE* RESTRICT x, offset_t x_begin,
                const int count, const int length, const int inner) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  const int own = id / inner % length;
  const int first = id - own * inner;
  const REGISTER_OF(TYPE) v = LOAD_OF(TYPE, x, id);
  int rank = 0;
  for (int i = 0; i < length; ++i) {
    const REGISTER_OF(TYPE) other = LOAD_OF(TYPE, x, first + i * inner);
    if (is_before(other, v) || (i < own && !is_before(v, other))) ++rank;
  }
  STORE_OF(TYPE, values, values_begin + first + rank * inner, v);
  indices[indices_begin + first + rank * inner] = own;
}
