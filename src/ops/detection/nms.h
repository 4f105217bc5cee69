// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "base/buffer.h"
#include "ops/detection/boxes.h"

namespace coracle::internal {

/// The indices of boxes [N, 4] that do not overlap one before them by more than the threshold.
struct Nms {
  static constexpr const char* kName = "nms";
  static constexpr const char* kLegacy[] = {"nms"};
  static constexpr Port kInputs[] = {in("x", "Boxes")};
  static constexpr Port kOutputs[] = {out("out", "KeepBoxesIdxs")};
  float threshold = 1;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold, "iou_threshold"); }
  friend bool operator==(const Nms&, const Nms&) = default;
};

inline void infer(const Nms&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "boxes are ", a.dtype(0), ", expected a real type");
  require(!x.rank_known() || (x.rank() == 2 && (x[1] < 0 || x[1] == 4)), "boxes are ", x, ", expected [N, 4]");
  a.set(0, DType::kInt64, Shape{Shape::kUnknown});
}

inline void reference(const Nms& op, ReferenceArgs& a) {
  const Buffer<double> boxes = a.doubles(0);
  std::vector<int64_t> order(static_cast<size_t>(a.shape(0)[0]));
  std::iota(order.begin(), order.end(), int64_t{0});
  a.out(0) = Tensor::ints(a.context(), suppress_overlaps(a.context(), boxes.data(), 4, order, op.threshold, 1, true));
}

inline constexpr const OpSchema* nms_op = &kOpSchema<Nms>;

}  // namespace coracle::internal
