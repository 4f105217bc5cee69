// SPDX-License-Identifier: Apache-2.0
// Running sums of lines [outer, length, inner], an item for each line, in order. Of real numbers the error of each
// addition is kept and added to the sums.
// Defined by the host: TYPE, REAL, EXCLUSIVE, REVERSE.

#include "types.cl"

KERNEL(cumsum)(GLOBAL TYPE* RESTRICT y, offset_t y_begin, GLOBAL const TYPE* RESTRICT x, offset_t x_begin, const int lines, const int length, const int inner) {
  const int line = global_id(0);
  if (line >= lines) return;
  x += x_begin;
  y += y_begin;
  const int first = line / inner * length * inner + line % inner;
#if REAL
  float sum = 0;
  float rest = 0;
#else
  u64 sum = 0;
#endif
  for (int i = 0; i < length; ++i) {
    const int at = first + (REVERSE ? length - 1 - i : i) * inner;
#if REAL
    const float v = LOAD_OF(TYPE, x, at);
    if (EXCLUSIVE) STORE_OF(TYPE, y, at, sum + rest);
    const float next = sum + v;
    const float lost = MATH(fabs)(sum) < MATH(fabs)(v) ? (v - next) + sum : (sum - next) + v;
    if (lost == lost) rest += lost;
    sum = next;
    if (!EXCLUSIVE) STORE_OF(TYPE, y, at, sum + rest);
#else
    const u64 before = sum;
    sum += (u64)LOAD_OF(TYPE, x, at);
    STORE_OF(TYPE, y, at, EXCLUSIVE ? before : sum);
#endif
  }
}
