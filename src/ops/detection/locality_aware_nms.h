// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "ops/detection/multiclass.h"
#include "ops/detection/polygons.h"

namespace coracle::internal {

/// Suppression for boxes that follow each other along a line of text: neighbours that overlap are first merged to
/// their mean, weighted by score, and their scores added up. Otherwise as multiclass_nms, with boxes or polygons; all
/// classes share the boxes, so each class merges what the ones before it left.
struct LocalityAwareNms : MulticlassSuppression {
  static constexpr const char* kName = "locality_aware_nms";
  static constexpr const char* kLegacy[] = {"locality_aware_nms"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("bboxes", "BBoxes"), in("scores", "Scores")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  LocalityAwareNms() { background_label = -1; }
  friend bool operator==(const LocalityAwareNms&, const LocalityAwareNms&) = default;
};

inline void infer(const LocalityAwareNms&, InferArgs& a) {
  check_detection(a, false, /*polygons=*/true);
  a.set(0, a.dtype(0), Shape::filled(2, Shape::kUnknown));
}

/// Merges each box with those after it that overlap it, in place; what was merged into another box gets score
/// `dropped`. A box has `numbers` numbers: its corners, or those of a polygon.
inline void merge_neighbours(const LocalityAwareNms& op, double* boxes, double* scores, int64_t count, int64_t numbers,
                             double dropped) {
  int64_t current = 0;
  for (int64_t i = 1; i < count; ++i) {
    const double* next = boxes + i * numbers;
    double* box = boxes + current * numbers;
    const double overlap =
        numbers == 4 ? box_overlap(next, box, op.normalized) : polygon_overlap(next, box, numbers / 2);
    if (!(overlap > op.nms_threshold)) {
      current = i;
      continue;
    }
    const double both = scores[i] + scores[current];
    for (int64_t k = 0; k < numbers; ++k) box[k] = (next[k] * scores[i] + box[k] * scores[current]) / both;
    scores[current] = both;
    scores[i] = dropped;
  }
}

inline void reference(const LocalityAwareNms& op, ReferenceArgs& a) {
  struct Candidate {
    int64_t label;
    int64_t box;
    double score;
  };
  Buffer<double> boxes = a.doubles(0);
  Buffer<double> scores = a.doubles(1);
  const int64_t classes = a.shape(1)[1];
  const int64_t count = a.shape(1)[2];
  const int64_t numbers = a.shape(0)[2];
  Detections found(a.context());
  found.numbers = numbers;
  for (int64_t n = 0; n < a.shape(1)[0]; ++n) {
    double* of_image = boxes.data() + n * count * numbers;
    std::vector<Candidate> candidates;
    for (int64_t c = 0; c < classes; ++c) {
      if (c == op.background_label) continue;
      double* s = scores.data() + (n * classes + c) * count;
      merge_neighbours(op, of_image, s, count, numbers, op.score_threshold);
      const std::vector<int64_t> order = best_scores(a.context(), s, count, 1, op.score_threshold, op.nms_top_k);
      for (int64_t i : suppress_overlaps(a.context(), of_image, numbers, order, op.nms_threshold, op.nms_eta,
                                         op.normalized, numbers)) {
        candidates.push_back({c, i, s[i]});
      }
    }
    if (op.keep_top_k >= 0 && static_cast<int64_t>(candidates.size()) > op.keep_top_k) {
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const auto& x, const auto& y) { return x.score > y.score; });
      candidates.resize(static_cast<size_t>(op.keep_top_k));
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const auto& x, const auto& y) { return x.label < y.label; });
    }
    for (const Candidate& c : candidates) found.add(double(c.label), c.score, of_image + c.box * numbers, c.box);
    found.end_image();
  }
  if (found.count() > 0) {
    a.out(0) = detection_rows(a.context(), found, a.in(0).dtype());
    a.out(0).set_lod(one_level(found.offsets));
    return;
  }
  // One number, -1, says that there is nothing.
  a.out(0) = a.make(a.in(0).dtype(), Shape{1, 1});
  const double none = -1;
  a.out(0).assign(a.context(), std::span<const double>(&none, 1));
  a.out(0).set_lod({{0, 1}});
}

inline constexpr const OpSchema* locality_aware_nms_op = &kOpSchema<LocalityAwareNms>;

}  // namespace coracle::internal
