// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/detection/boxes.h"

namespace coracle::internal {

/// Attributes of multi-class suppression.
struct MulticlassSuppression {
  float score_threshold = 0;
  int nms_top_k = -1;
  int keep_top_k = -1;
  float nms_threshold = 0.3F;
  bool normalized = true;
  float nms_eta = 1;
  int background_label = 0;
  void attributes(AttributeVisitor& visit) {
    visit("score_threshold", score_threshold);
    visit("nms_top_k", nms_top_k);
    visit("keep_top_k", keep_top_k);
    visit("nms_threshold", nms_threshold);
    visit("normalized", normalized);
    visit("nms_eta", nms_eta);
    visit("background_label", background_label);
  }
  friend bool operator==(const MulticlassSuppression&, const MulticlassSuppression&) = default;
};

/// Boxes that were found, image by image.
struct Detections {
  int64_t numbers = 4;              ///< of a box: its corners, or those of a polygon
  Buffer<double> rows;              ///< label, score and the numbers of each
  std::vector<int64_t> positions;   ///< where its box stands among all boxes (with regions: boxes of all classes)
  std::vector<int64_t> offsets{0};  ///< the images' rows: {0, those of the first, those of the first two, ...}

  explicit Detections(const RunContext& context) : rows(context) {}

  int64_t count() const { return static_cast<int64_t>(positions.size()); }
  void add(double label, double score, const double* box, int64_t position) {
    rows.insert(rows.end(), {label, score});
    rows.insert(rows.end(), box, box + numbers);
    positions.push_back(position);
  }
  void end_image() { offsets.push_back(count()); }
};

/// Checks boxes and scores on ports 0 and 1: [images, boxes, numbers] with [images, classes, boxes] (4 numbers, or with
/// `polygons` also 8, 16, 24 or 32), or with `regions` also [boxes, classes, 4] with [boxes, classes]. Returns the
/// number of images where it is known from them.
int64_t check_detection(const InferArgs& a, bool regions, bool polygons = false);
/// The width of a row of the result: label, score and the numbers of a box.
int64_t detection_width(const InferArgs& a);

/// Detection for each class by itself. `counts` has the number of regions of each image (null: the offsets tell).
Detections detect_multiclass(const RunContext& context, const MulticlassSuppression& op, const Tensor& boxes,
                             const Tensor& scores, const Tensor* counts);

/// `found` as a tensor [count, 2 + numbers].
Tensor detection_rows(const RunContext& context, const Detections& found, DType dtype);
/// Positions as int32 [count, 1], and the number of rows of each image as int32 [images].
Tensor detection_index(const RunContext& context, const Detections& found);
Tensor detection_counts(const RunContext& context, const Detections& found);

}  // namespace coracle::internal
