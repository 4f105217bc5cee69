// SPDX-License-Identifier: Apache-2.0
// Lines of numbers, each taken by LANES items of a work-group, or by one item where LANES is 1. Lane i takes elements
// i, i + LANES ... in order; then lanes are joined pairwise, always in the same way: i with i + LANES / 2, and so on.

#if LANES > 1
#define LINE (group_id(0))
#define LANE (local_id(0))
#define LANE_ROOM LOCAL_VAR float lane_room[LANES];
// There is a group for each line, no more: a return before barriers is what compilers get wrong.
#define RETURN_BEYOND(lines)
#define JOIN_LANES(name, joined)                            \
  FN float name##_lanes(LOCAL_PTR float* room, float x) {   \
    const int lane = LANE;                                  \
    room[lane] = x;                                         \
    BARRIER();                                              \
    for (int distance = LANES / 2; distance > 0; distance /= 2) { \
      if (lane < distance) {                                 \
        const float a = room[lane];                         \
        const float b = room[lane + distance];               \
        room[lane] = joined;                                \
      }                                                     \
      BARRIER();                                            \
    }                                                       \
    x = room[0];                                            \
    BARRIER();                                              \
    return x;                                               \
  }
#else
#define LINE (global_id(0))
#define LANE 0
#define LANE_ROOM const int lane_room = 0;
#define RETURN_BEYOND(lines) \
  if (LINE >= lines) return;
#define JOIN_LANES(name, joined) \
  FN float name##_lanes(int room, float x) { return x; }
#endif

JOIN_LANES(sum, a + b)
JOIN_LANES(largest, a < b ? b : a)
