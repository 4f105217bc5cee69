// SPDX-License-Identifier: Apache-2.0
// softmax(q k^T * scale + mask) v: a work-group for each query. Its items share the keys, then the columns of the
// result; the scores are in local memory in between. Sums run over depth and keys in order.
// Defined by the host: LANES, MOST_KEYS, HAS_MASK, BATCH_AXES(f).

#include "lanes.cl"

#define BATCH_PARAMETER(d) \
  , const int batch##d, const int q_step##d, const int k_step##d, const int v_step##d, const int mask_step##d
#define WALK_BATCH(d)                       \
  {                                         \
    const int index = rest % batch##d;      \
    rest /= batch##d;                       \
    q_at += index * q_step##d;              \
    k_at += index * k_step##d;              \
    v_at += index * v_step##d;              \
    mask_at += index * mask_step##d;        \
  }

KERNEL(attention)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT q, offset_t q_begin, GLOBAL const STORED* RESTRICT k, offset_t k_begin, GLOBAL const STORED* RESTRICT v, offset_t v_begin
#if HAS_MASK
                          , GLOBAL const STORED* RESTRICT mask, offset_t mask_begin
#endif
                          , const int depth, const int width, const int keys, const int key_step, const int value_step,
                      const int mask_step, const float scale BATCH_AXES(BATCH_PARAMETER)) {
  LANE_ROOM
  LOCAL_VAR float scores[MOST_KEYS];
  q += q_begin;
  k += k_begin;
  v += v_begin;
#if HAS_MASK
  mask += mask_begin;
#endif
  y += y_begin;
  MAYBE_UNUSED int rest = LINE;
  int q_at = 0;
  int k_at = 0;
  int v_at = 0;
  int mask_at = 0;
  BATCH_AXES(WALK_BATCH)
  float largest = -INFINITY_F;
  for (int j = LANE; j < keys; j += LANES) {
    const int key = k_at + j * key_step;
    float sum = 0;
    for (int d = 0; d < depth; ++d) sum += LOAD(q, q_at + d) * LOAD(k, key + d);
    sum *= scale;
#if HAS_MASK
    sum += LOAD(mask, mask_at + j * mask_step);
#endif
    scores[j] = sum;
    largest = largest < sum ? sum : largest;
  }
  largest = largest_lanes(lane_room, largest);
  const float head = scores[0];
  BARRIER();
  if (head != head) largest = head;
  float total = 0;
  for (int j = LANE; j < keys; j += LANES) {
    const float difference = scores[j] - largest;
    // See softmax_elements_in_vectors.
    const float exponent = j < keys / 8 * 8 ? (difference > -64.0f ? difference : -64.0f)
                                            : (difference < -64.0f ? -64.0f : difference);
    const float e = MATH(exp)(exponent);
    scores[j] = e;
    total += e;
  }
  total = sum_lanes(lane_room, total);
  for (int e = LANE; e < width; e += LANES) {
    float sum = 0;
    for (int j = 0; j < keys; ++j) sum += scores[j] * LOAD(v, v_at + j * value_step + e);
    STORE(y, LINE * width + e, sum / total);
  }
}
