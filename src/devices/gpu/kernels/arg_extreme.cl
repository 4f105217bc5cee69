// SPDX-License-Identifier: Apache-2.0
// The first position along lines [outer, length, inner] whose element is better than all before it.
// Defined by the host: TYPE, INDEX, BETTER (of v than best).

#include "types.cl"

KERNEL(arg_extreme)(GLOBAL INDEX* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, const int lines, const int length, const int inner) {
  const int line = global_id(0);
  if (line >= lines) return;
  x += x_begin;
  y += y_begin;
  const int first = line / inner * length * inner + line % inner;
  int position = 0;
  REGISTER_OF(TYPE) best = LOAD_OF(TYPE, x, first);
  for (int i = 1; i < length; ++i) {
    const REGISTER_OF(TYPE) v = LOAD_OF(TYPE, x, first + i * inner);
    if (BETTER) {
      best = v;
      position = i;
    }
  }
  y[line] = position;
}
