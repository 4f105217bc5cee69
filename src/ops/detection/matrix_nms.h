// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/gnu_order.h"
#include "base/long_loop.h"
#include "ops/detection/multiclass.h"

namespace coracle::internal {

/// Suppression that lowers a box's score by its overlaps with better boxes of its class instead of dropping it. Rows
/// are label, score and corners, the highest score of an image first.
struct MatrixNms {
  static constexpr const char* kName = "matrix_nms";
  static constexpr const char* kLegacy[] = {"matrix_nms"};
  static constexpr LodRule kLod = LodRule::kOwn;
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

/// A box that remains: which one, and its lowered score.
template <class T>
struct DecayedBox {
  int64_t label;
  int64_t box;
  T score;
};

/// A box with its area, in the precision of the boxes, on which the order of nearly equal scores depends.
template <class T>
struct MeasuredBox {
  T left, top, right, bottom;
  T area;
  MeasuredBox(const T* b, T pixel) : left(b[0]), top(b[1]), right(b[2]), bottom(b[3]) {
    area = right < left || bottom < top ? T(0) : (right - left + pixel) * (bottom - top + pixel);
  }
};

/// Intersection over union.
template <class T>
T overlap_of(const MeasuredBox<T>& a, const MeasuredBox<T>& b, T pixel) {
  if (b.left > a.right || b.right < a.left || b.top > a.bottom || b.bottom < a.top) return 0;
  const T width = std::min(a.right, b.right) - std::max(a.left, b.left) + pixel;
  const T height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top) + pixel;
  const T shared = width * height;
  return shared / (a.area + b.area - shared);
}

/// Appends the boxes of one class whose lowered scores are high enough.
template <class T>
void decay_class(const RunContext& context, const MatrixNms& op, int64_t label, const T* boxes, const T* scores,
                 int64_t count, std::vector<DecayedBox<T>>& to) {
  std::vector<int32_t> order;
  for (int64_t i = 0; i < count; ++i) {
    if (!(scores[i] <= static_cast<T>(op.score_threshold))) order.push_back(static_cast<int32_t>(i));
  }
  size_t most = order.size();
  if (op.nms_top_k >= 0) most = std::min(most, static_cast<size_t>(op.nms_top_k));
  gnu::partial_sort(order.data(), order.data() + most, order.data() + order.size(),
                    [&](int32_t i, int32_t j) { return scores[i] > scores[j]; });
  const T pixel = op.normalized ? 0 : 1;
  std::vector<MeasuredBox<T>> best;
  best.reserve(most);
  std::vector<T> most_overlap;  // of each box with better ones
  most_overlap.reserve(most);
  LoopCheck check(context);
  for (size_t i = 0; i < most; ++i) {
    check.step(static_cast<int64_t>(i));
    const MeasuredBox<T> box(boxes + order[i] * 4, pixel);
    T largest = 0;
    T decay = 1;
    for (size_t j = 0; j < i; ++j) {
      const T overlap = overlap_of(box, best[j], pixel);
      const T other = most_overlap[j];
      if (overlap == 0 && !op.use_gaussian && other <= 1) continue;  // the scores stay: 1 / (1 - other) is at least 1
      largest = std::max(largest, overlap);
      decay = std::min(decay, op.use_gaussian
                                  ? static_cast<T>(std::exp((other * other - overlap * overlap) * op.gaussian_sigma))
                                  : static_cast<T>((1.0 - overlap) / (1.0 - other)));
    }
    best.push_back(box);
    most_overlap.push_back(largest);
    const T score = decay * scores[order[i]];
    if (score > static_cast<T>(op.post_threshold)) to.push_back({label, order[i], score});
  }
}

/// The boxes of one image. Sorting as GNU's std::partial_sort does decides which of equal scores remain.
template <class T>
std::vector<DecayedBox<T>> decay_image(const RunContext& context, const MatrixNms& op, const T* boxes, const T* scores,
                                       int64_t classes, int64_t count) {
  std::vector<DecayedBox<T>> all;
  for (int64_t c = 0; c < classes; ++c) {
    if (c != op.background_label) decay_class(context, op, c, boxes, scores + c * count, count, all);
  }
  size_t most = all.size();
  if (op.keep_top_k >= 0) most = std::min(most, static_cast<size_t>(op.keep_top_k));
  gnu::partial_sort(all.data(), all.data() + most, all.data() + all.size(),
                    [](const DecayedBox<T>& x, const DecayedBox<T>& y) { return x.score > y.score; });
  all.resize(most);
  return all;
}

inline void reference(const MatrixNms& op, ReferenceArgs& a) {
  const int64_t classes = a.shape(1)[1];
  const int64_t count = a.shape(1)[2];
  Detections found(a.context());
  const auto detect = [&]<class T>(const Buffer<T>& boxes, const Buffer<T>& scores) {
    for (int64_t n = 0; n < a.shape(1)[0]; ++n) {
      const T* of_image = boxes.data() + n * count * 4;
      for (const DecayedBox<T>& d :
           decay_image(a.context(), op, of_image, scores.data() + n * classes * count, classes, count)) {
        const T* box = of_image + d.box * 4;
        const double corners[4] = {double(box[0]), double(box[1]), double(box[2]), double(box[3])};
        found.add(static_cast<double>(d.label), static_cast<double>(d.score), corners, n * count + d.box);
      }
      found.end_image();
    }
  };
  const Buffer<double> boxes = a.doubles(0);
  const Buffer<double> scores = a.doubles(1);
  if (a.in(0).dtype() == DType::kFloat64) {
    detect(boxes, scores);
  } else {
    detect(Buffer<float>(boxes.begin(), boxes.end(), a.context()),
           Buffer<float>(scores.begin(), scores.end(), a.context()));
  }
  a.out(0) = detection_rows(a.context(), found, a.in(0).dtype());
  if (a.wants(1)) a.out(1) = detection_index(a.context(), found);
  if (a.wants(2)) {
    a.out(2) = detection_counts(a.context(), found);
  } else {
    a.out(0).set_lod(one_level(found.offsets));
  }
}

inline constexpr const OpSchema* matrix_nms_op = &kOpSchema<MatrixNms>;

}  // namespace coracle::internal
