// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

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

/// The places of one anchor on one image.
template <class T>
struct YoloHead {
  const YoloBox& op;
  const T* entries;  ///< x, y, width, height, confidence and classes, a plane each
  const T* iou;      ///< a plane; null unless the operator is aware of it
  int64_t rows, columns;
  double image_height, image_width;
  double anchor_width, anchor_height;

  /// `planes`: those of the image in x [N, C, H, W]; `size`: its height and width.
  YoloHead(const YoloBox& o, const Shape& x, const T* planes, const std::array<int64_t, 2>& size, int64_t anchor)
      : op(o),
        entries(planes),
        iou(nullptr),
        rows(x[2]),
        columns(x[3]),
        image_height(static_cast<double>(size[0])),
        image_width(static_cast<double>(size[1])),
        anchor_width(static_cast<double>(o.anchors[static_cast<size_t>(2 * anchor)])),
        anchor_height(static_cast<double>(o.anchors[static_cast<size_t>(2 * anchor + 1)])) {
    const int64_t anchors = static_cast<int64_t>(op.anchors.size()) / 2;
    if (op.iou_aware) {
      iou = planes + anchor * rows * columns;
      entries += anchors * rows * columns;
    }
    entries += anchor * (5 + int64_t{op.class_num}) * rows * columns;
  }

  double value(int64_t entry, int64_t at) const { return static_cast<double>(entries[entry * rows * columns + at]); }

  double confidence(int64_t at) const {
    const double c = gate_sigmoid(value(4, at));
    if (iou == nullptr) return c;
    const auto factor = static_cast<double>(op.iou_aware_factor);
    return std::pow(c, 1.0 - factor) * std::pow(gate_sigmoid(static_cast<double>(iou[at])), factor);
  }

  void write_box(int64_t at, T* box) const {
    const double scale = op.scale_x_y;
    const double bias = -0.5 * (scale - 1.0);
    const auto height = static_cast<double>(rows);
    const auto width = static_cast<double>(columns);
    const auto row = static_cast<double>(at / columns);  // NOLINT(bugprone-integer-division)
    const double x =
        (static_cast<double>(at % columns) + gate_sigmoid(value(0, at)) * scale + bias) * image_width / width;
    const double y = (row + gate_sigmoid(value(1, at)) * scale + bias) * image_height / height;
    const double half_w = std::exp(value(2, at)) * anchor_width * image_width / (op.downsample_ratio * width) / 2;
    const double half_h = std::exp(value(3, at)) * anchor_height * image_height / (op.downsample_ratio * height) / 2;
    double corners[4] = {x - half_w, y - half_h, x + half_w, y + half_h};
    if (op.clip_bbox) {
      // What is not a number goes to the edge.
      corners[0] = corners[0] > 0 ? corners[0] : 0;
      corners[1] = corners[1] > 0 ? corners[1] : 0;
      corners[2] = corners[2] < image_width - 1 ? corners[2] : image_width - 1;
      corners[3] = corners[3] < image_height - 1 ? corners[3] : image_height - 1;
    }
    for (int i = 0; i < 4; ++i) box[i] = static_cast<T>(corners[i]);
  }
};

inline void reference(const YoloBox& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t anchors = static_cast<int64_t>(op.anchors.size()) / 2;
  const std::vector<int64_t> sizes = a.in(1).integers(a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* box = a.out(0).data<T>();
    T* score = a.out(1).data<T>();
    std::fill(box, box + a.out(0).count(), T(0));
    std::fill(score, score + a.out(1).count(), T(0));
    for (int64_t n = 0; n < s[0]; ++n) {
      const auto i = static_cast<size_t>(2 * n);
      for (int64_t k = 0; k < anchors; ++k) {
        const YoloHead<T> head(op, s, a.in(0).data<T>() + n * s.count(1, 4), {sizes[i], sizes[i + 1]}, k);
        for (int64_t at = 0; at < s[2] * s[3]; ++at, box += 4, score += op.class_num) {
          const double confidence = head.confidence(at);
          if (confidence < op.conf_thresh) continue;
          head.write_box(at, box);
          for (int64_t c = 0; c < op.class_num; ++c) {
            score[c] = static_cast<T>(confidence * gate_sigmoid(head.value(5 + c, at)));
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* yolo_box_op = &kOpSchema<YoloBox>;

}  // namespace coracle::internal
