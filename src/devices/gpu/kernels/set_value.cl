// SPDX-License-Identifier: Apache-2.0
// x with `values` in a slice. An item takes an element; bounds of the slice are numbers, or read where they are computed.
// Defined by the host: TYPE (moved); AXES(f) is f(d) for each axis of x; SLICED(f) is f(k, d) for each slice k, of axis d;
// STARTS, ENDS and STEPS, the types of tensors that they are in, where HAS_STARTS, HAS_ENDS and HAS_STEPS are 1; LEGACY (1: bounds before element 0 mean
// what they do in ProgramDesc); DROPPED(f) is f(k, d) for those of the slices that must have one element.

#include "faults.cl"
#include "types.cl"

FN i64 least_bound(i64 x, i64 least) { return x < least ? least : x; }

// See strided_slice_of (ops/movement/slicing.cc).
FN i64 first_of(i64 dim, i64 start, i64 step) {
  if (start < 0) start = least_bound(start + dim, LEGACY || step > 0 ? 0 : -1);
  if (step > 0) return start < dim ? start : dim;
  return start < dim - 1 ? start : dim - 1;
}

FN i64 length_of(i64 dim, i64 first, i64 end, i64 step) {
  const bool is_open = LEGACY && end == -1 && step < 0;
  if (end < 0 && !is_open) end = least_bound(end + dim, step < 0 ? -1 : 0);
  if (step == 0) return 0;
  if (step > 0) {
    if (end > dim) end = dim;
    return end > first ? (end - first - 1) / step + 1 : 0;
  }
  return first > end ? (first - end - 1) / -step + 1 : 0;
}

#define AXIS_PARAMETER(d) , const int size##d, const int step##d, const int step_v##d
#define BOUND_PARAMETER(k, d) , const int start##k, const int end##k, const int by##k
#define COORDINATE(d) const int c##d = id / step##d % size##d;
#define FIND_SLICE(k, d)                                                        \
  const i64 given##k = HAS_STARTS ? (i64)starts[starts_begin + k] : start##k;   \
  const i64 stride##k = HAS_STEPS ? (i64)steps[steps_begin + k] : by##k;        \
  const i64 first##k = first_of(size##d, given##k, stride##k);                  \
  const i64 length##k = length_of(size##d, first##k, HAS_ENDS ? (i64)ends[ends_begin + k] : end##k, stride##k); \
  {                                                                             \
    const i64 distance = stride##k > 0 ? c##d - first##k : first##k - c##d;     \
    const i64 by = stride##k > 0 ? stride##k : stride##k < 0 ? -stride##k : 1;  \
    if (id == 0 && stride##k == 0) index_out_of_range(faults + faults_begin, operand, k, 0, 1, size##d);        \
    is_inside = is_inside && distance >= 0 && distance % by == 0 && distance / by < length##k; \
    moved##d = (int)(distance / by);                                            \
  }
#define DECLARE_MOVED(d) int moved##d = c##d;
#define ADD_AXIS(d) at += moved##d * step_v##d;
#define CHECK_DROPPED(k, d)                      \
  if (id == 0 && length##k != 1) index_out_of_range(faults + faults_begin, operand, k, given##k, -(i64)size##d, (i64)size##d - 1);

KERNEL(set_value)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, GLOBAL const TYPE* RESTRICT values, offset_t values_begin,
                  GLOBAL const STARTS* RESTRICT starts, offset_t starts_begin, GLOBAL const ENDS* RESTRICT ends, offset_t ends_begin, GLOBAL const STEPS* RESTRICT steps,
                  offset_t steps_begin, const int count AXES(AXIS_PARAMETER) SLICED(BOUND_PARAMETER), GLOBAL i64* faults, offset_t faults_begin, const int operand) {
  const int id = global_id(0);
  if (id >= count) return;
  AXES(COORDINATE)
  AXES(DECLARE_MOVED)
  bool is_inside = true;
  SLICED(FIND_SLICE)
  DROPPED(CHECK_DROPPED)
  int at = 0;
  AXES(ADD_AXIS)
  y[y_begin + id] = is_inside ? values[values_begin + at] : x[x_begin + id];
}
