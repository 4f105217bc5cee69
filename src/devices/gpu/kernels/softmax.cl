// SPDX-License-Identifier: Apache-2.0
// Softmax of lines [outer, length, inner], or its logarithm (LOGARITHM). No exponent is below -64 behind the largest. As in
// softmax_elements_in_vectors says, -64 stands for what is no number in vectors of eight.
// Defined by the host: LANES, LOGARITHM.

#include "lanes.cl"

FN float exponent_of(float x, float largest, int in_vector) {
  const float difference = x - largest;
  if (in_vector) return difference > -64.0f ? difference : -64.0f;
  return difference < -64.0f ? -64.0f : difference;
}

KERNEL(softmax)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin, const int lines, const int length, const int inner) {
  LANE_ROOM
  const int line = LINE;
  RETURN_BEYOND(lines)
  x += x_begin;
  y += y_begin;
  const int first = line / inner * length * inner + line % inner;
#if LOGARITHM
  const int vectors = 0;
#else
  const int vectors = inner == 1 ? length / 8 * 8 : 0;
#endif
  float largest = -INFINITY_F;
  for (int i = LANE; i < length; i += LANES) {
    const float v = LOAD(x, first + i * inner);
    largest = largest < v ? v : largest;
  }
  largest = largest_lanes(lane_room, largest);
  const float head = LOAD(x, first);
  if (head != head) largest = head;
  float sum = 0;
  for (int i = LANE; i < length; i += LANES) sum += MATH(exp)(exponent_of(LOAD(x, first + i * inner), largest, i < vectors));
  sum = sum_lanes(lane_room, sum);
#if LOGARITHM
  const float log_of_sum = MATH(log)(sum);
#endif
  for (int i = LANE; i < length; i += LANES) {
    const float e = exponent_of(LOAD(x, first + i * inner), largest, i < vectors);
#if LOGARITHM
    STORE(y, first + i * inner, e - log_of_sum);
#else
    STORE(y, first + i * inner, MATH(exp)(e) / sum);
#endif
  }
}
