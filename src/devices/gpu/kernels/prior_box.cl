// SPDX-License-Identifier: Apache-2.0
// Boxes [rows, columns, kinds, 4] around the places of a feature map, as fractions of the image, and the variances of
// each. An item writes one number of both.
// Defined by the host: CLIP, KINDS(f), which is f(0) f(1) ... for the boxes around a place.

#define KIND_PARAMETER(i) , const float width##i, const float height##i
#define CHOOSE_KIND(i)                        \
  if (kind == i) {                            \
    half_size = is_across ? width##i : height##i; \
  }

// Sizes are half ones in pixels.
KERNEL(prior_box)(GLOBAL STORED* RESTRICT boxes, offset_t boxes_begin, GLOBAL STORED* RESTRICT variances, offset_t variances_begin, const int count, const int columns,
                  const int kinds, const float step_x, const float step_y, const float shift, const float image_width, const float image_height,
                  const float variance0, const float variance1, const float variance2, const float variance3 KINDS(KIND_PARAMETER)) {
  const int id = global_id(0);
  if (id >= count) return;
  const int corner = id % 4;
  const int kind = id / 4 % kinds;
  const int place = id / 4 / kinds;
  const int is_across = corner % 2 == 0;
  float half_size = 0;
  KINDS(CHOOSE_KIND)
  const float at = is_across ? (float)(place % columns) : (float)(place / columns);
  const float centre = (at + shift) * (is_across ? step_x : step_y);
  float fraction = (corner < 2 ? centre - half_size : centre + half_size) / (is_across ? image_width : image_height);
#if CLIP
  fraction = fraction < 0.0f ? 0.0f : (fraction > 1.0f ? 1.0f : fraction);
#endif
  STORE(boxes, boxes_begin + id, fraction);
  STORE(variances, variances_begin + id, corner == 0 ? variance0 : corner == 1 ? variance1 : corner == 2 ? variance2 : variance3);
}
