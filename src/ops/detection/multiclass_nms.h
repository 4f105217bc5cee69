// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/multiclass.h"

namespace coracle::internal {

/// The first form of multiclass_nms3: sequence offsets tell the images apart, and where nothing is found at all the
/// result is [[-1]].
struct MulticlassNms : MulticlassSuppression {
  static constexpr const char* kName = "multiclass_nms";
  static constexpr const char* kLegacy[] = {"multiclass_nms"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("bboxes", "BBoxes"), in("scores", "Scores")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const MulticlassNms&, const MulticlassNms&) = default;
};

inline void infer(const MulticlassNms&, InferArgs& a) {
  check_detection(a, true, true);
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, Shape::kUnknown});
}

inline void reference(const MulticlassNms& op, ReferenceArgs& a) {
  const Detections found = detect_multiclass(a.context(), op, a.in(0), a.in(1), nullptr);
  if (found.count() > 0) {
    a.out(0) = detection_rows(a.context(), found, a.in(0).dtype());
    a.out(0).set_lod(one_level(found.offsets));
    return;
  }
  a.out(0) = a.make(a.in(0).dtype(), Shape{1, 1});
  const double none = -1;
  a.out(0).assign(a.context(), std::span<const double>(&none, 1));
  a.out(0).set_lod({{0, 1}});
}

inline constexpr const OpSchema* multiclass_nms_op = &kOpSchema<MulticlassNms>;

}  // namespace coracle::internal
