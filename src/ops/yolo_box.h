// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "graph/op.h"
#include "ops/common/recurrent.h"

namespace coracle {

/// Boxes and scores from the output of a YOLO head [N, anchors * (5 + classes), H, W]; with iou_aware one more channel
/// per anchor stands in front. img_size has height and width of each image. Boxes below conf_thresh are all zero.
struct YoloBox {
  static constexpr const char* kName = "yolo_box";
  static constexpr const char* kLegacy[] = {"yolo_box"};
  static constexpr Port kInputs[] = {in("x", "X"), in("img_size", "ImgSize")};
  static constexpr Port kOutputs[] = {out("boxes", "Boxes"), out("scores", "Scores")};
  Ints anchors;
  int class_num = 1;
  float conf_thresh = 0.01F;
  int downsample_ratio = 32;
  bool clip_bbox = true;
  float scale_x_y = 1;
  bool iou_aware = false;
  float iou_aware_factor = 0.5F;
  void attributes(AttributeVisitor& visit) {
    visit("anchors", anchors);
    visit("class_num", class_num);
    visit("conf_thresh", conf_thresh);
    visit("downsample_ratio", downsample_ratio);
    visit("clip_bbox", clip_bbox);
    visit("scale_x_y", scale_x_y);
    visit("iou_aware", iou_aware);
    visit("iou_aware_factor", iou_aware_factor);
  }
  friend bool operator==(const YoloBox&, const YoloBox&) = default;
};

inline void infer(const YoloBox& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& size = a.shape(1);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(!op.anchors.empty() && op.anchors.size() % 2 == 0, "anchors are ", op.anchors.size(),
          " numbers, expected pairs of width and height");
  require(op.class_num > 0 && op.downsample_ratio > 0, "class_num is ", op.class_num, " and downsample_ratio ",
          op.downsample_ratio, ", expected positive numbers");
  require(!size.rank_known() || (size.rank() == 2 && (size[1] < 0 || size[1] == 2)), "img_size is ", size,
          ", expected [N, 2]");
  const int64_t anchors = static_cast<int64_t>(op.anchors.size()) / 2;
  Shape boxes{Shape::kUnknown, Shape::kUnknown, 4};
  if (x.rank_known()) {
    require(x.rank() == 4, "x is ", x, ", expected [N, C, H, W]");
    const int64_t channels = anchors * (5 + op.class_num + (op.iou_aware ? 1 : 0));
    require(x[1] < 0 || x[1] == channels, "x has ", x[1], " channels, expected ", channels);
    require(!size.rank_known() || x[0] < 0 || size[0] < 0 || x[0] == size[0], "img_size is ", size, ", but x is ", x);
    boxes[0] = x[0];
    if (x[2] >= 0 && x[3] >= 0) boxes[1] = checked_multiply(checked_multiply(anchors, x[2]), x[3]);
  }
  a.set(0, a.dtype(0), boxes);
  boxes[2] = op.class_num;
  a.set(1, a.dtype(0), boxes);
}

inline void reference(const YoloBox& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t anchors = static_cast<int64_t>(op.anchors.size()) / 2;
  const int64_t classes = op.class_num;
  const int64_t h = s[2];
  const int64_t w = s[3];
  const int64_t plane = h * w;
  const Buffer<int64_t> sizes = integers_of(a.in(1));
  const double bias = -0.5 * (op.scale_x_y - 1.0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* box = a.out(0).data<T>();
    T* score = a.out(1).data<T>();
    std::fill(box, box + a.out(0).count(), T(0));
    std::fill(score, score + a.out(1).count(), T(0));
    for (int64_t n = 0; n < s[0]; ++n) {
      const T* image = a.in(0).data<T>() + n * s[1] * plane;
      const auto height = static_cast<double>(sizes[static_cast<size_t>(2 * n)]);
      const auto width = static_cast<double>(sizes[static_cast<size_t>(2 * n + 1)]);
      for (int64_t k = 0; k < anchors; ++k) {
        const T* head = image + (op.iou_aware ? anchors : 0) * plane + k * (5 + classes) * plane;
        const auto anchor_w = static_cast<double>(op.anchors[static_cast<size_t>(2 * k)]);
        const auto anchor_h = static_cast<double>(op.anchors[static_cast<size_t>(2 * k + 1)]);
        for (int64_t at = 0; at < plane; ++at, box += 4, score += classes) {
          const auto value = [&](int64_t entry) { return static_cast<double>(head[entry * plane + at]); };
          double confidence = gate_sigmoid(value(4));
          if (op.iou_aware) {
            const double iou = gate_sigmoid(static_cast<double>(image[k * plane + at]));
            confidence = std::pow(confidence, 1.0 - op.iou_aware_factor) *
                         std::pow(iou, static_cast<double>(op.iou_aware_factor));
          }
          if (confidence < op.conf_thresh) continue;
          const double x = (static_cast<double>(at % w) + gate_sigmoid(value(0)) * op.scale_x_y + bias) * width /
                           static_cast<double>(w);
          const double y = (static_cast<double>(at / w) + gate_sigmoid(value(1)) * op.scale_x_y + bias) * height /
                           static_cast<double>(h);
          const double half_w =
              std::exp(value(2)) * anchor_w * width / static_cast<double>(op.downsample_ratio * w) / 2;
          const double half_h =
              std::exp(value(3)) * anchor_h * height / static_cast<double>(op.downsample_ratio * h) / 2;
          double corners[4] = {x - half_w, y - half_h, x + half_w, y + half_h};
          if (op.clip_bbox) {
            corners[0] = std::max(corners[0], 0.0);
            corners[1] = std::max(corners[1], 0.0);
            corners[2] = std::min(corners[2], width - 1);
            corners[3] = std::min(corners[3], height - 1);
          }
          for (int i = 0; i < 4; ++i) box[i] = static_cast<T>(corners[i]);
          for (int64_t c = 0; c < classes; ++c) score[c] = static_cast<T>(confidence * gate_sigmoid(value(5 + c)));
        }
      }
    }
  });
}

inline constexpr const OpRow* yolo_box_op = &kOpRow<YoloBox>;

}  // namespace coracle
