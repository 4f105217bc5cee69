// SPDX-License-Identifier: Apache-2.0
// Boxes [batch, anchors * places, 4] and scores [batch, anchors * places, classes] of a YOLO head, whose planes are, for
// each anchor, x, y, width, height, confidence and the classes. An item writes a box or one of its scores, zeros where
// the confidence is below `threshold`.
// Defined by the host: SIZE (type of the images' sizes), CLIP, IOU_AWARE (a plane for each anchor stands in front),
// ANCHORS(f), which is f(0) f(1) ...

#include "types.cl"

#define ANCHOR_PARAMETER(i) , const float width##i, const float height##i
#define CHOOSE_ANCHOR(i)      \
  if (anchor == i) {          \
    anchor_width = width##i;  \
    anchor_height = height##i; \
  }

FN float sigmoid_of(float x) { return 1.0f / (1.0f + MATH(exp)(-x)); }

// `scale` is scale_x_y, `bias` what it moves centres by; `stride` is downsample_ratio.
KERNEL(yolo_box)(GLOBAL STORED* RESTRICT boxes, offset_t boxes_begin, GLOBAL STORED* RESTRICT scores, offset_t scores_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin,
                 GLOBAL const SIZE* RESTRICT sizes, offset_t sizes_begin, const int count, const int rows, const int columns, const int anchors, const int classes,
                 const float threshold, const float scale, const float bias, const float stride, const float iou_factor ANCHORS(ANCHOR_PARAMETER)) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  sizes += sizes_begin;
  boxes += boxes_begin;
  scores += scores_begin;
  const int places = rows * columns;
  const int place = id % places;
  int rest = id / places;
  const int entry = rest % (classes + 1);
  rest /= classes + 1;
  const int anchor = rest % anchors;
  const int image = rest / anchors;
  const int planes = 5 + classes;
  const int first = image * anchors * (planes + IOU_AWARE) * places + place;
  const int own = first + (anchor * planes + IOU_AWARE * anchors) * places;
  float confidence = sigmoid_of(LOAD(x, own + 4 * places));
#if IOU_AWARE
  confidence = MATH(pow)(confidence, 1.0f - iou_factor) * MATH(pow)(sigmoid_of(LOAD(x, first + anchor * places)), iou_factor);
#endif
  const int low = confidence < threshold;
  const int box = (image * anchors + anchor) * places + place;
  if (entry > 0) {
    STORE(scores, box * classes + entry - 1, low ? 0.0f : confidence * sigmoid_of(LOAD(x, own + (4 + entry) * places)));
    return;
  }
  float anchor_width = 0;
  float anchor_height = 0;
  ANCHORS(CHOOSE_ANCHOR)
  const float image_height = (float)sizes[2 * image];
  const float image_width = (float)sizes[2 * image + 1];
  const float centre_x = ((float)(place % columns) + sigmoid_of(LOAD(x, own)) * scale + bias) * image_width / (float)columns;
  const float centre_y = ((float)(place / columns) + sigmoid_of(LOAD(x, own + places)) * scale + bias) * image_height / (float)rows;
  const float half_width = MATH(exp)(LOAD(x, own + 2 * places)) * anchor_width * image_width / (stride * (float)columns) / 2.0f;
  const float half_height = MATH(exp)(LOAD(x, own + 3 * places)) * anchor_height * image_height / (stride * (float)rows) / 2.0f;
  float left = centre_x - half_width;
  float top = centre_y - half_height;
  float right = centre_x + half_width;
  float bottom = centre_y + half_height;
#if CLIP
  // What is not a number goes to the edge.
  left = left > 0.0f ? left : 0.0f;
  top = top > 0.0f ? top : 0.0f;
  right = right < image_width - 1.0f ? right : image_width - 1.0f;
  bottom = bottom < image_height - 1.0f ? bottom : image_height - 1.0f;
#endif
  STORE(boxes, 4 * box, low ? 0.0f : left);
  STORE(boxes, 4 * box + 1, low ? 0.0f : top);
  STORE(boxes, 4 * box + 2, low ? 0.0f : right);
  STORE(boxes, 4 * box + 3, low ? 0.0f : bottom);
}
