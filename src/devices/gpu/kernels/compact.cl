// SPDX-License-Identifier: Apache-2.0
// What stands where a condition is not zero, in order: a group counts those of its block, then one group says where each
// block begins in the result and how many there are, then each block is written.
// Defined by the host: TYPE (of the condition), LANES, OF_LANE (elements of a lane). With TAKEN (moved) the elements of x
// are taken, else their indices along axes of sizes and steps: AXES(f) is f(0) f(1) ..., RANK their number.

#include "lanes_before.cl"
#include "types.cl"

#define IS_TAKEN(at) ((at) < count && LOAD_OF(TYPE, condition, (at)) != 0)

FN int taken_of_lane(GLOBAL const TYPE* condition, int first, int count) {
  int taken = 0;
  for (int i = 0; i < OF_LANE; ++i) taken += IS_TAKEN(first + i) ? 1 : 0;
  return taken;
}

KERNEL_OF(compact_count, LANES, 1)(GLOBAL int* RESTRICT begins, offset_t begins_begin, GLOBAL const TYPE* RESTRICT condition, offset_t condition_begin, const int count) {
  LOCAL_VAR int room[LANES];
  const int first = (group_id(0) * LANES + local_id(0)) * OF_LANE;
  sum_of_lanes_before(room, taken_of_lane(condition + condition_begin, first, count));
  if (local_id(0) == 0) begins[begins_begin + group_id(0)] = room[LANES - 1];
}

KERNEL_OF(compact_begins, LANES, 1)(GLOBAL i64* RESTRICT rows, offset_t rows_begin, GLOBAL int* RESTRICT begins, offset_t begins_begin, const int blocks) {
  LOCAL_VAR int room[LANES];
  begins += begins_begin;
  int sum = 0;
  for (int first = 0; first < blocks; first += LANES) {
    const int block = first + local_id(0);
    const int before = sum_of_lanes_before(room, block < blocks ? begins[block] : 0);
    if (block < blocks) begins[block] = sum + before;
    sum += room[LANES - 1];
  }
  if (local_id(0) == 0) rows[rows_begin] = sum;
}

#ifdef TAKEN
#define TAKEN_PARAMETERS , GLOBAL const TAKEN* RESTRICT x, offset_t x_begin
#define RESULT TAKEN
#define GIVE(row, at) y[y_begin + (row)] = x[x_begin + (at)];
#else
#define AXIS_PARAMETERS(d) , const int size##d, const int step##d
#define TAKEN_PARAMETERS AXES(AXIS_PARAMETERS)
#define RESULT i64
#define GIVE_INDEX(d) y[y_begin + (offset_t)row * RANK + d] = element / step##d % size##d;
#define GIVE(number, at)      \
  {                           \
    const int row = (number); \
    const int element = (at); \
    AXES(GIVE_INDEX)          \
  }
#endif

KERNEL_OF(compact, LANES, 1)(GLOBAL RESULT* RESTRICT y, offset_t y_begin, GLOBAL const int* RESTRICT begins, offset_t begins_begin, GLOBAL const TYPE* RESTRICT condition,
                             offset_t condition_begin, const int count TAKEN_PARAMETERS) {
  LOCAL_VAR int room[LANES];
  condition += condition_begin;
  const int first = (group_id(0) * LANES + local_id(0)) * OF_LANE;
  int to = begins[begins_begin + group_id(0)] + sum_of_lanes_before(room, taken_of_lane(condition, first, count));
  for (int i = 0; i < OF_LANE; ++i) {
    if (!IS_TAKEN(first + i)) continue;
    GIVE(to, first + i)
    ++to;
  }
}
