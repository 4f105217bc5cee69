// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/multiclass.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/counted.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {
namespace {

struct Candidate {
  int64_t label;
  int64_t box;
  double score;
};

/// The boxes and scores of one image: box i of class c is boxes[i * box_step + c * class_box_step].
struct Image {
  const double* boxes;
  const double* scores;
  int64_t count;
  int64_t classes;
  int64_t box_step;
  int64_t class_box_step;
  int64_t score_step;
  int64_t class_score_step;
  int64_t numbers;
};

std::vector<Candidate> detect(const RunContext& context, const MulticlassSuppression& op, const Image& image,
                              bool regions) {
  std::vector<Candidate> found;
  for (int64_t c = 0; c < image.classes; ++c) {
    if (c == op.background_label) continue;
    const double* scores = image.scores + c * image.class_score_step;
    const std::vector<int64_t> order =
        best_scores(context, scores, image.count, image.score_step, op.score_threshold, op.nms_top_k);
    for (int64_t i : suppress_overlaps(context, image.boxes + c * image.class_box_step, image.box_step, order,
                                       op.nms_threshold, op.nms_eta, op.normalized, image.numbers)) {
      found.push_back({c, i, scores[i * image.score_step]});
    }
  }
  if (op.keep_top_k >= 0 && static_cast<int64_t>(found.size()) > op.keep_top_k) {
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    found.resize(static_cast<size_t>(op.keep_top_k));
  }
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    if (a.label != b.label) return a.label < b.label;
    return regions && a.box < b.box;
  });
  return found;
}

}  // namespace

int64_t check_detection(const InferArgs& a, bool regions, bool polygons) {
  const Shape& boxes = a.shape(0);
  const Shape& scores = a.shape(1);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(1), "boxes are ", a.dtype(0), " and scores ", a.dtype(1),
          ", expected the same real type");
  if (!boxes.rank_known() || !scores.rank_known()) return Shape::kUnknown;
  require(boxes.rank() == 3, "boxes are ", boxes, ", expected 3 dimensions");
  require(scores.rank() == 3 || (regions && scores.rank() == 2), "scores are ", scores, ", expected ",
          regions ? "2 or 3" : "3", " dimensions");
  const bool corners = boxes[2] == 8 || boxes[2] == 16 || boxes[2] == 24 || boxes[2] == 32;
  require(boxes[2] < 0 || boxes[2] == 4 || (polygons && scores.rank() == 3 && corners), ErrorCode::kUnsupported,
          "boxes have ", counted(boxes[2], "number"), " each, expected 4", polygons ? ", 8, 16, 24 or 32" : "");
  const auto agree = [](int64_t x, int64_t y) { return x < 0 || y < 0 || x == y; };
  const bool by_image = scores.rank() == 3;
  require(agree(boxes[0], scores[0]) && agree(boxes[1], by_image ? scores[2] : scores[1]), "boxes ", boxes,
          " and scores ", scores, " do not fit");
  return by_image ? std::max(boxes[0], scores[0]) : Shape::kUnknown;
}

int64_t detection_width(const InferArgs& a) {
  const Shape& boxes = a.shape(0);
  if (!boxes.rank_known() || boxes.rank() != 3) return Shape::kUnknown;
  return boxes[2] < 0 ? Shape::kUnknown : boxes[2] + 2;
}

Detections detect_multiclass(const RunContext& context, const MulticlassSuppression& op, const Tensor& boxes,
                             const Tensor& scores, const Tensor* counts) {
  const Buffer<double> b = doubles_of(context, boxes);
  const Buffer<double> s = doubles_of(context, scores);
  const bool regions = scores.shape().rank() == 2;
  Detections all(context);
  if (regions) {
    const int64_t classes = scores.shape()[1];
    const std::vector<int64_t> offsets = image_offsets(counts, boxes);
    for (size_t n = 0; n + 1 < offsets.size(); ++n) {
      const int64_t first = offsets[n] * classes;
      const Image image{
          b.data() + first * 4, s.data() + first, offsets[n + 1] - offsets[n], classes, classes * 4, 4, classes, 1, 4};
      for (const Candidate& c : detect(context, op, image, true)) {
        const int64_t at = c.box * classes + c.label;
        all.add(static_cast<double>(c.label), c.score, image.boxes + at * 4, first + at);
      }
      all.end_image();
    }
    return all;
  }
  const int64_t classes = scores.shape()[1];
  const int64_t count = scores.shape()[2];
  const int64_t numbers = boxes.shape()[2];
  all.numbers = numbers;
  for (int64_t n = 0; n < scores.shape()[0]; ++n) {
    const Image image{
        b.data() + n * count * numbers, s.data() + n * classes * count, count, classes, numbers, 0, 1, count, numbers};
    for (const Candidate& c : detect(context, op, image, false)) {
      all.add(static_cast<double>(c.label), c.score, image.boxes + c.box * numbers, n * count + c.box);
    }
    all.end_image();
  }
  return all;
}

Tensor detection_rows(const RunContext& context, const Detections& found, DType dtype) {
  Tensor rows = Tensor::make(context, dtype, Shape{found.count(), found.numbers + 2});
  rows.assign(context, std::span<const double>(found.rows));
  return rows;
}

Tensor detection_index(const RunContext& context, const Detections& found) {
  Tensor index = Tensor::make(context, DType::kInt32, Shape{found.count(), 1});
  index.assign(context, std::span<const int64_t>(found.positions));
  return index;
}

Tensor detection_counts(const RunContext& context, const Detections& found) {
  Tensor counts = Tensor::make(context, DType::kInt32, Shape{static_cast<int64_t>(found.offsets.size()) - 1});
  int32_t* to = counts.data<int32_t>();
  for (size_t i = 1; i < found.offsets.size(); ++i) {
    *to++ = static_cast<int32_t>(found.offsets[i] - found.offsets[i - 1]);
  }
  return counts;
}

}  // namespace coracle::internal
