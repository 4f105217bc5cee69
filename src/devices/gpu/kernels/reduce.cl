// SPDX-License-Identifier: Apache-2.0
// Each element of the result joins those of x along some axes: STEP joins v with the next x, LAST finishes a value of
// `length` elements. Axes are counted from the innermost on; those kept and those reduced have steps in x.
// Defined by the host: LANES, FIRST, STEP, JOIN, LAST, KEPT(f), REDUCED(f).

#include "lanes.cl"

#define KEPT_PARAMETER(d) , const int kept##d, const int kept_step##d
#define REDUCED_PARAMETER(d) , const int reduced##d, const int reduced_step##d
#define WALK_KEPT(d)                  \
  first += rest % kept##d * kept_step##d; \
  rest /= kept##d;
#define WALK_REDUCED(d)                \
  at += left % reduced##d * reduced_step##d; \
  left /= reduced##d;

JOIN_LANES(reduced, JOIN)

KERNEL(reduce)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin, const int lines,
                   const int length KEPT(KEPT_PARAMETER) REDUCED(REDUCED_PARAMETER)) {
  LANE_ROOM
  const int line = LINE;
  RETURN_BEYOND(lines)
  x += x_begin;
  y += y_begin;
  MAYBE_UNUSED int rest = line;
  int first = 0;
  KEPT(WALK_KEPT)
  float v = FIRST;
  for (int i = LANE; i < length; i += LANES) {
    int left = i;
    int at = first;
    REDUCED(WALK_REDUCED)
    const float x_at = LOAD(x, at);
    v = STEP;
  }
  v = reduced_lanes(lane_room, v);
  if (LANE == 0) STORE(y, line, LAST);
}
