// SPDX-License-Identifier: Apache-2.0
// y = x with elements around it: a fill (its bits), or elements of x again. Axes are counted from the innermost on.
// Defined by the host: TYPE (moved), MODE (as PadMode: 0 constant, 1 reflect, 2 replicate, 3 circular), AXES(f).

#include "types.cl"

#define AXIS_PARAMETER(d) , const int to##d, const int from##d, const int before##d
#define WALK_AXIS(d)                                        \
  {                                                         \
    const int i = source(rest % to##d - before##d, from##d); \
    rest /= to##d;                                          \
    inside = inside && i >= 0;                              \
    at += i * step;                                         \
    step *= from##d;                                        \
  }

FN int source(int i, int n) {
  if (i >= 0 && i < n) return i;
#if MODE == 1
  return i < 0 ? -i : 2 * n - i - 2;
#elif MODE == 2
  return i < 0 ? 0 : n - 1;
#elif MODE == 3
  return (i % n + n) % n;
#else
  return -1;
#endif
}

KERNEL(pad)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, const int count, const int low, const int high AXES(AXIS_PARAMETER)) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  y += y_begin;
  int rest = id;
  int at = 0;
  int step = 1;
  bool inside = true;
  AXES(WALK_AXIS)
  const u64 fill = ((u64)(u32)high << 32) | (u32)low;
  y[id] = inside ? x[at] : (TYPE)fill;
}
