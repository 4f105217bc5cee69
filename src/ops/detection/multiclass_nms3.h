// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/multiclass.h"

namespace coracle::internal {

/// Per class, the boxes with a high score that do not overlap better ones; then the best of all classes. Rows are
/// label, score and corners, grouped by image and label. With rois_num, boxes [regions, classes, 4] and scores
/// [regions, classes].
struct MulticlassNms3 : MulticlassSuppression {
  static constexpr const char* kName = "multiclass_nms3";
  static constexpr const char* kLegacy[] = {"multiclass_nms3", "multiclass_nms2"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("bboxes", "BBoxes"), in("scores", "Scores"),
                                     optional_in("rois_num", "RoisNum")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("index", "Index"),
                                      optional_out("nms_rois_num", "NmsRoisNum")};
  friend bool operator==(const MulticlassNms3&, const MulticlassNms3&) = default;
};

inline void infer(const MulticlassNms3&, InferArgs& a) {
  int64_t images = check_detection(a, true, true);
  if (images < 0 && a.has(2) && a.shape(2).known()) images = a.shape(2).count();
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, detection_width(a)});
  a.set(1, DType::kInt32, Shape{Shape::kUnknown, 1});
  a.set(2, DType::kInt32, Shape{images});
}

inline void reference(const MulticlassNms3& op, ReferenceArgs& a) {
  const Detections found = detect_multiclass(a.context(), op, a.in(0), a.in(1), a.has(2) ? &a.in(2) : nullptr);
  a.out(0) = detection_rows(a.context(), found, a.in(0).dtype());
  if (a.wants(1)) a.out(1) = detection_index(a.context(), found);
  if (a.wants(2)) {
    a.out(2) = detection_counts(a.context(), found);
    return;
  }
  // Where no counts are asked for, offsets tell the images apart.
  a.out(0).set_lod(one_level(found.offsets));
  if (a.wants(1)) a.out(1).set_lod(one_level(found.offsets));
}

inline constexpr const OpSchema* multiclass_nms3_op = &kOpSchema<MulticlassNms3>;

}  // namespace coracle::internal
