// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/common/multiclass.h"

namespace coracle {

/// Suppression that lowers a box's score by its overlaps with better boxes of its class instead of dropping it. Rows
/// are label, score and corners, the highest score of an image first.
struct MatrixNms {
  static constexpr const char* kName = "matrix_nms";
  static constexpr const char* kLegacy[] = {"matrix_nms"};
  static constexpr Port kInputs[] = {in("bboxes", "BBoxes"), in("scores", "Scores")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("index", "Index"),
                                      optional_out("roisnum", "RoisNum")};
  float score_threshold = 0;
  int nms_top_k = -1;
  int keep_top_k = -1;
  float post_threshold = 0;
  bool use_gaussian = false;
  float gaussian_sigma = 2;
  int background_label = 0;
  bool normalized = true;
  void attributes(AttributeVisitor& visit) {
    visit("score_threshold", score_threshold);
    visit("nms_top_k", nms_top_k);
    visit("keep_top_k", keep_top_k);
    visit("post_threshold", post_threshold);
    visit("use_gaussian", use_gaussian);
    visit("gaussian_sigma", gaussian_sigma);
    visit("background_label", background_label);
    visit("normalized", normalized);
  }
  friend bool operator==(const MatrixNms&, const MatrixNms&) = default;
};

inline void infer(const MatrixNms&, InferArgs& a) {
  const int64_t images = check_detection(a, false);
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 6});
  a.set(1, DType::kInt32, Shape{Shape::kUnknown, 1});
  a.set(2, DType::kInt32, Shape{images});
}

/// The lowered scores of the boxes in `order`, which has the best first.
inline std::vector<double> decayed_scores(const MatrixNms& op, const double* boxes, const double* scores,
                                          std::span<const int64_t> order) {
  std::vector<double> decayed;
  std::vector<double> most_overlap;  // of each box with better ones
  for (size_t i = 0; i < order.size(); ++i) {
    double largest = 0;
    double decay = 1;
    for (size_t j = 0; j < i; ++j) {
      const double overlap = box_overlap(boxes + order[i] * 4, boxes + order[j] * 4, op.normalized);
      const double other = most_overlap[j];
      largest = std::max(largest, overlap);
      decay = std::min(decay, op.use_gaussian ? std::exp((other * other - overlap * overlap) * op.gaussian_sigma)
                                              : (1 - overlap) / (1 - other));
    }
    most_overlap.push_back(largest);
    decayed.push_back(decay * scores[order[i]]);
  }
  return decayed;
}

inline void reference(const MatrixNms& op, ReferenceArgs& a) {
  struct Candidate {
    int64_t label;
    int64_t box;
    double score;
  };
  const std::vector<double> boxes = a.in(0).doubles();
  const std::vector<double> scores = a.in(1).doubles();
  const int64_t classes = a.shape(1)[1];
  const int64_t count = a.shape(1)[2];
  Detections found;
  for (int64_t n = 0; n < a.shape(1)[0]; ++n) {
    const double* of_image = boxes.data() + n * count * 4;
    std::vector<Candidate> candidates;
    for (int64_t c = 0; c < classes; ++c) {
      if (c == op.background_label) continue;
      const double* s = scores.data() + (n * classes + c) * count;
      const std::vector<int64_t> order = best_scores(s, count, 1, op.score_threshold, op.nms_top_k);
      const std::vector<double> decayed = decayed_scores(op, of_image, s, order);
      for (size_t i = 0; i < order.size(); ++i) {
        if (decayed[i] > op.post_threshold) candidates.push_back({c, order[i], decayed[i]});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& x, const auto& y) { return x.score > y.score; });
    if (op.keep_top_k >= 0 && static_cast<int64_t>(candidates.size()) > op.keep_top_k) {
      candidates.resize(static_cast<size_t>(op.keep_top_k));
    }
    for (const Candidate& c : candidates) {
      found.add(static_cast<double>(c.label), c.score, of_image + c.box * 4, n * count + c.box);
    }
    found.end_image();
  }
  a.out(0) = detection_rows(found, a.in(0).dtype());
  if (a.wants(1)) a.out(1) = detection_index(found);
  if (a.wants(2)) {
    a.out(2) = detection_counts(found);
  } else {
    a.out(0).set_lod(one_level(found.offsets));
  }
}

inline constexpr const OpRow* matrix_nms_op = &kOpRow<MatrixNms>;

}  // namespace coracle
