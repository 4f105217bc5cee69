// SPDX-License-Identifier: Apache-2.0
// Boxes of several classes without those that overlap better ones of their class (multiclass_nms3). A group takes a class
// of an image, which is a line. Candidates of each line are sorted by sort.cl in between, and so is what is left of an
// image where not all of it is kept.
// Defined by the host: LANES, OF_LANE (boxes that a lane looks at together), NORMALIZED, SHRINKS (1: the threshold does),
// SELECTED (1: not all of an image is kept), HAS_INDICES.

#include "lanes_before.cl"

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Boxes with a score above the threshold, in order, with their scores.
KERNEL_OF(nms_candidates, LANES, 1)(GLOBAL float* RESTRICT keys, offset_t keys_begin, GLOBAL int* RESTRICT candidates, offset_t candidates_begin, GLOBAL int* RESTRICT counts,
                                    offset_t counts_begin, GLOBAL const float* RESTRICT scores, offset_t scores_begin, const int classes, const int boxes, const int background,
                                    const float threshold) {
  LOCAL_VAR int room[LANES];
  const int line = group_id(0);
  const offset_t first = (offset_t)line * boxes;
  const int end = line % classes == background ? 0 : boxes;
  scores += scores_begin + first;
  int count = 0;
  for (int begin = 0; begin < end; begin += LANES * OF_LANE) {
    const int own = begin + local_id(0) * OF_LANE;
    int taken = 0;
    for (int i = own; i < own + OF_LANE && i < end; ++i) taken += scores[i] > threshold ? 1 : 0;
    offset_t to = first + count + sum_of_lanes_before(room, taken);
    for (int i = own; i < own + OF_LANE && i < end; ++i) {
      const float score = scores[i];
      if (score > threshold) {
        keys[keys_begin + to] = score;
        candidates[candidates_begin + to] = i;
        ++to;
      }
    }
    count += room[LANES - 1];
  }
  if (local_id(0) == 0) counts[counts_begin + line] = count;
}

FN double box_area(double left, double top, double right, double bottom) {
  if (right < left || bottom < top) return 0;
  const double pixel = NORMALIZED ? 0 : 1;
  return (right - left + pixel) * (bottom - top + pixel);
}

// Intersection over union, of box a in memory of the group and b in the device's.
FN double box_overlap(LOCAL_PTR const float* a, GLOBAL const float* b) {
  const double a0 = a[0];
  const double a1 = a[1];
  const double a2 = a[2];
  const double a3 = a[3];
  const double b0 = b[0];
  const double b1 = b[1];
  const double b2 = b[2];
  const double b3 = b[3];
  if (b0 > a2 || b2 < a0 || b1 > a3 || b3 < a1) return 0;
  const double pixel = NORMALIZED ? 0 : 1;
  const double width = (b2 < a2 ? b2 : a2) - (a0 < b0 ? b0 : a0) + pixel;
  const double height = (b3 < a3 ? b3 : a3) - (a1 < b1 ? b1 : a1) + pixel;
  const double shared_area = width * height;
  return shared_area / (box_area(a0, a1, a2, a3) + box_area(b0, b1, b2, b3) - shared_area);
}

// Of the candidates in order, those that overlap none taken before by more than the threshold. Lane i compares with boxes
// i, i + LANES ... of those taken, which it has noted itself.
KERNEL_OF(nms_suppress, LANES, 1)(GLOBAL int* RESTRICT kept, offset_t kept_begin, GLOBAL int* RESTRICT kept_counts, offset_t kept_counts_begin, GLOBAL const int* RESTRICT order,
                                  offset_t order_begin, GLOBAL const int* RESTRICT candidates, offset_t candidates_begin, GLOBAL const int* RESTRICT counts, offset_t counts_begin,
                                  GLOBAL const float* RESTRICT all_boxes, offset_t boxes_begin, const int classes, const int boxes, const int most, const float nms_threshold,
                                  const float eta) {
  LOCAL_VAR float corners[4 * LANES];
  LOCAL_VAR int ids[LANES];
  LOCAL_VAR int overlaps[3];
  const int line = group_id(0);
  const int lane = local_id(0);
  int count = counts[counts_begin + line];
  if (count > most) count = most;
  GLOBAL const float* const of_image = all_boxes + boxes_begin + (offset_t)(line / classes) * boxes * 4;
  order += order_begin + (offset_t)line * boxes;
  candidates += candidates_begin + (offset_t)line * boxes;
  kept += kept_begin + (offset_t)line * most;
  double threshold = nms_threshold;
  int taken = 0;
  if (lane < 3) overlaps[lane] = 0;
  for (int begin = 0; begin < count; begin += LANES) {
    BARRIER();
    if (begin + lane < count) {
      const int box = candidates[order[begin + lane]];
      ids[lane] = box;
      for (int i = 0; i < 4; ++i) corners[4 * lane + i] = of_image[(offset_t)box * 4 + i];
    }
    BARRIER();
    for (int c = 0; c < LANES && begin + c < count; ++c) {
      // One of three places is set by those that see an overlap, and read behind the barrier; another is cleared for the
      // next candidate, and the third one may still be read.
      const int place = (begin + c) % 3;
      int is_apart = 1;
      for (int t = lane; t < taken && is_apart; t += LANES) {
        is_apart = box_overlap(corners + 4 * c, of_image + (offset_t)kept[t] * 4) <= threshold;
      }
      if (!is_apart) overlaps[place] = 1;
      if (lane == 0) overlaps[(place + 1) % 3] = 0;
      BARRIER();
      if (!overlaps[place]) {
        if (taken % LANES == lane) kept[taken] = ids[c];
        ++taken;
        if (SHRINKS && threshold > 0.5) threshold *= (double)eta;
      }
    }
  }
  if (lane == 0) kept_counts[kept_counts_begin + line] = taken;
}

// What is left of all classes of an image, class by class: class * boxes + box. `most` of a class, `room` of an image.
KERNEL_OF(nms_join, LANES, 1)(GLOBAL int* RESTRICT found, offset_t found_begin, GLOBAL int* RESTRICT found_counts, offset_t found_counts_begin, GLOBAL float* RESTRICT keys,
                              offset_t keys_begin, GLOBAL int* RESTRICT marks, offset_t marks_begin, GLOBAL const int* RESTRICT kept, offset_t kept_begin,
                              GLOBAL const int* RESTRICT kept_counts, offset_t kept_counts_begin, GLOBAL const float* RESTRICT scores, offset_t scores_begin, const int classes,
                              const int boxes, const int most, const int capacity) {
  const int line = group_id(0);
  const int image = line / classes;
  const int own = line - image * classes;
  kept_counts += kept_counts_begin + image * classes;
  int begin = 0;
  for (int i = 0; i < own; ++i) begin += kept_counts[i];
  const int count = kept_counts[own];
  const offset_t to = (offset_t)image * capacity + begin;
  for (int i = local_id(0); i < count; i += LANES) {
    const int box = kept[kept_begin + (offset_t)line * most + i];
    found[found_begin + to + i] = own * boxes + box;
    keys[keys_begin + to + i] = scores[scores_begin + (offset_t)line * boxes + box];
    marks[marks_begin + to + i] = 0;
  }
  if (own == classes - 1 && local_id(0) == 0) found_counts[found_counts_begin + image] = begin + count;
}

// Marks the best of each image.
KERNEL(nms_mark)(GLOBAL int* RESTRICT marks, offset_t marks_begin, GLOBAL const int* RESTRICT order, offset_t order_begin, GLOBAL const int* RESTRICT found_counts,
                 offset_t found_counts_begin, const int items, const int keep, const int capacity) {
  const int id = global_id(0);
  if (id >= items) return;
  const int image = id / keep;
  const int i = id - image * keep;
  const offset_t first = (offset_t)image * capacity;
  if (i < found_counts[found_counts_begin + image]) marks[marks_begin + first + order[order_begin + first + i]] = 1;
}

#if HAS_INDICES
#define INDICES_PARAMETER GLOBAL int* RESTRICT indices, offset_t indices_begin,
#define GIVE_INDEX(row, at) indices[indices_begin + (row)] = (at);
#else
#define INDICES_PARAMETER
#define GIVE_INDEX(row, at)
#endif

// The rows of an image by a group, and their numbers.
KERNEL_OF(nms_rows, LANES, 1)(GLOBAL float* RESTRICT y, offset_t y_begin, INDICES_PARAMETER GLOBAL int* RESTRICT numbers, offset_t numbers_begin, GLOBAL i64* RESTRICT rows,
                              offset_t rows_begin, GLOBAL const int* RESTRICT found, offset_t found_begin, GLOBAL const int* RESTRICT found_counts, offset_t found_counts_begin,
                              GLOBAL const float* RESTRICT keys, offset_t keys_begin, GLOBAL const int* RESTRICT marks, offset_t marks_begin, GLOBAL const float* RESTRICT all_boxes,
                              offset_t boxes_begin, const int images, const int boxes, const int keep, const int capacity) {
  LOCAL_VAR int room[LANES];
  const int image = group_id(0);
  found_counts += found_counts_begin;
  int to = 0;
  for (int i = 0; i < image; ++i) to += found_counts[i] < keep ? found_counts[i] : keep;
  const int count = found_counts[image];
  const offset_t first = (offset_t)image * capacity;
  const int begin_of_image = to;
  for (int begin = 0; begin < count; begin += LANES) {
    const int i = begin + local_id(0);
    const int is_taken = i < count && (!SELECTED || marks[marks_begin + first + i] != 0);
    const int row = to + sum_of_lanes_before(room, is_taken);
    to += room[LANES - 1];
    if (is_taken) {
      const int at = found[found_begin + first + i];
      const int box = at % boxes;
      GLOBAL float* const line = y + y_begin + (offset_t)row * 6;
      GLOBAL const float* const corners = all_boxes + boxes_begin + ((offset_t)image * boxes + box) * 4;
      line[0] = (float)(at / boxes);
      line[1] = keys[keys_begin + first + i];
      for (int k = 0; k < 4; ++k) line[2 + k] = corners[k];
      GIVE_INDEX(row, image * boxes + box)
    }
  }
  if (local_id(0) == 0) {
    numbers[numbers_begin + image] = to - begin_of_image;
    if (image == images - 1) rows[rows_begin] = to;
  }
}
