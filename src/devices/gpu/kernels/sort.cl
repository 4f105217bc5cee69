// SPDX-License-Identifier: Apache-2.0
// Sorts the elements of lines [outer, length, inner], stably: `order` has, line by line with room for `length` each, the
// positions of the first `limit` elements. Blocks of BLOCK elements first, then pairs of runs become one, by a launch for
// each doubling.
// Defined by the host: TYPE, REAL, DESCENDING, BLOCK, COUNTED (1: the number of elements of each line is in `counts`).

#include "ordering.cl"

#if COUNTED
#define COUNTS_PARAMETER , GLOBAL const int* RESTRICT counts, offset_t counts_begin
#define COUNT_OF(line) (counts[counts_begin + (line)])
#else
#define COUNTS_PARAMETER
#define COUNT_OF(line) length
#endif

KERNEL_OF(sort_blocks, BLOCK, 1)(GLOBAL int* RESTRICT order, offset_t order_begin, GLOBAL const TYPE* RESTRICT x, offset_t x_begin COUNTS_PARAMETER, const int blocks,
                                 const int length, const int inner, const int limit) {
  LOCAL_VAR REGISTER_OF(TYPE) keys[BLOCK];
  const int line = group_id(0) / blocks;
  const int begin = (group_id(0) - line * blocks) * BLOCK;
  const int own = local_id(0);
  const int count = COUNT_OF(line) - begin;
  const offset_t first = x_begin + (offset_t)(line / inner) * length * inner + line % inner;
  if (own < count) keys[own] = LOAD_OF(TYPE, x, first + (offset_t)(begin + own) * inner);
  BARRIER();
  if (own < count) {
    const REGISTER_OF(TYPE) v = keys[own];
    int rank = 0;
    for (int i = 0; i < BLOCK && i < count; ++i) {
      if (is_before(keys[i], v) || (i < own && !is_before(v, keys[i]))) ++rank;
    }
    if (rank < limit) order[order_begin + (offset_t)line * length + begin + rank] = begin + own;
  }
}

KERNEL(sort_merge)(GLOBAL int* RESTRICT order, offset_t order_begin, GLOBAL const int* RESTRICT runs, offset_t runs_begin, GLOBAL const TYPE* RESTRICT x, offset_t x_begin COUNTS_PARAMETER,
                   const int items, const int length, const int inner, const int limit, const int width) {
  const int id = global_id(0);
  if (id >= items) return;
  const int line = id / length;
  const int at = id - line * length;
  const int count = COUNT_OF(line);
  const int run = at / width;
  const int own = at - run * width;
  if (at >= count || own >= limit) return;
  const offset_t first = x_begin + (offset_t)(line / inner) * length * inner + line % inner;
  runs += runs_begin + (offset_t)line * length;
  const int position = runs[at];
  const REGISTER_OF(TYPE) v = LOAD_OF(TYPE, x, first + (offset_t)position * inner);
  // How many of the other run come before it: of equal ones those that stand in front.
  const int is_second = run % 2;
  const int other = (run + 1 - 2 * is_second) * width;
  int low = 0;
  int high = count - other;
  if (high > width) high = width;
  if (high > limit) high = limit;
  while (low < high) {
    const int middle = (low + high) / 2;
    const REGISTER_OF(TYPE) u = LOAD_OF(TYPE, x, first + (offset_t)runs[other + middle] * inner);
    if (is_second ? !is_before(v, u) : is_before(u, v)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int rank = own + low;
  if (rank < limit) order[order_begin + (offset_t)line * length + (run - is_second) * width + rank] = position;
}
