// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) * scale + bias for lines of `length` neighbours, with mean and variance of
// the line; scale and bias are those of element (line * length + i) / inner % channels. RMS: without a mean.
// Defined by the host: LANES, RMS, HAS_SCALE, HAS_BIAS.

#include "lanes.cl"

KERNEL(line_norm)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin
#if HAS_SCALE
                     , GLOBAL const STORED* RESTRICT scale, offset_t scale_begin
#endif
#if HAS_BIAS
                     , GLOBAL const STORED* RESTRICT bias, offset_t bias_begin
#endif
                     , const int lines, const int length, const int inner, const int channels, const float epsilon) {
  LANE_ROOM
  const int line = LINE;
  RETURN_BEYOND(lines)
  x += x_begin;
  y += y_begin;
  const int first = line * length;
  float mean = 0;
#if !RMS
  for (int i = LANE; i < length; i += LANES) mean += LOAD(x, first + i);
  mean = sum_lanes(lane_room, mean) / length;
#endif
  float squares = 0;
  for (int i = LANE; i < length; i += LANES) {
    const float d = LOAD(x, first + i) - mean;
    squares += d * d;
  }
  const float inverse = 1.0f / MATH(sqrt)(sum_lanes(lane_room, squares) / length + epsilon);
#if HAS_SCALE
  scale += scale_begin;
#endif
#if HAS_BIAS
  bias += bias_begin;
#endif
  for (int i = LANE; i < length; i += LANES) {
    float v = (LOAD(x, first + i) - mean) * inverse;
#if HAS_SCALE || HAS_BIAS
    const int channel = (first + i) / inner % channels;
#endif
#if HAS_SCALE
    v *= LOAD(scale, channel);
#endif
#if HAS_BIAS
    v += LOAD(bias, channel);
#endif
    STORE(y, first + i, v);
  }
}
