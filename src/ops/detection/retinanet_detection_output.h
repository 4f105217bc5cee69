// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>

#include "base/buffer.h"
#include "ops/detection/multiclass.h"

namespace coracle::internal {

/// The boxes that RetinaNet finds: of each level the best scores [N, Mi, C] with their anchors [Mi, 4] moved by deltas
/// [N, Mi, 4] and cut to the image (im_info: height, width, scale); then suppression by class. Rows are label (from 1),
/// score and corners.
struct RetinanetDetectionOutput {
  static constexpr const char* kName = "retinanet_detection_output";
  static constexpr const char* kLegacy[] = {"retinanet_detection_output"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {list_in("bboxes", "BBoxes"), list_in("scores", "Scores"),
                                     list_in("anchors", "Anchors"), in("im_info", "ImInfo")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  float score_threshold = 0;
  int nms_top_k = -1;
  float nms_threshold = 0.3F;
  float nms_eta = 1;
  int keep_top_k = -1;
  void attributes(AttributeVisitor& visit) {
    visit("score_threshold", score_threshold);
    visit("nms_top_k", nms_top_k);
    visit("nms_threshold", nms_threshold);
    visit("nms_eta", nms_eta);
    visit("keep_top_k", keep_top_k);
  }
  friend bool operator==(const RetinanetDetectionOutput&, const RetinanetDetectionOutput&) = default;
};

inline void infer(const RetinanetDetectionOutput&, InferArgs& a) {
  require(a.count(0) > 0 && a.count(0) == a.count(1) && a.count(0) == a.count(2), "there are boxes, scores and anchors",
          " of ", a.count(0), ", ", a.count(1), " and ", a.count(2), " levels");
  const auto agree = [](int64_t x, int64_t y) { return x < 0 || y < 0 || x == y; };
  for (int i = 0; i < a.count(0); ++i) {
    const Shape& boxes = a.shape(0, i);
    const Shape& scores = a.shape(1, i);
    const Shape& anchors = a.shape(2, i);
    for (int port : {0, 1, 2}) {
      require(is_float(a.dtype(port, i)), "boxes, scores and anchors are ", a.dtype(port, i), ", expected a real type");
    }
    if (!boxes.rank_known() || !scores.rank_known() || !anchors.rank_known()) continue;
    require(boxes.rank() == 3 && scores.rank() == 3 && anchors.rank() == 2 && agree(boxes[2], 4) &&
                agree(anchors[1], 4) && agree(boxes[0], scores[0]) && agree(boxes[1], scores[1]) &&
                agree(boxes[1], anchors[0]),
            "boxes ", boxes, ", scores ", scores, " and anchors ", anchors, " do not fit");
    const Shape& first = a.shape(1, 0);
    require(!first.rank_known() || first.rank() != 3 || (agree(first[0], scores[0]) && agree(first[2], scores[2])),
            "scores of the levels are ", first, " and ", scores);
  }
  const Shape& info = a.shape(3);
  require(!info.rank_known() || (info.rank() == 2 && agree(info[1], 3)), "im_info is ", info, ", expected [N, 3]");
  a.set(0, a.dtype(1), Shape{Shape::kUnknown, 6});
}

/// An anchor moved by its delta, in pixels of the image before scaling, cut to it. `info`: height, width and scale.
inline void decode_anchor(const double* anchor, const double* delta, const double* info, double* box) {
  const double limits[2] = {std::round(info[1] / info[2]) - 1, std::round(info[0] / info[2]) - 1};
  for (int axis = 0; axis < 2; ++axis) {
    const double size = anchor[axis + 2] - anchor[axis] + 1;
    const double center = delta[axis] * size + anchor[axis] + size / 2;
    const double half = std::exp(delta[axis + 2]) * size / 2;
    box[axis] = std::max(std::min((center - half) / info[2], limits[axis]), 0.0);
    box[axis + 2] = std::max(std::min((center + half - 1) / info[2], limits[axis]), 0.0);
  }
}

inline void reference(const RetinanetDetectionOutput& op, ReferenceArgs& a) {
  struct ClassBoxes {
    explicit ClassBoxes(const RunContext& context) : corners(context), scores(context) {}
    Buffer<double> corners;
    Buffer<double> scores;
  };
  struct Candidate {
    int64_t label;
    int64_t box;
    double score;
  };
  const int64_t images = a.shape(1)[0];
  const int64_t classes = a.shape(1)[2];
  require(a.shape(3)[0] >= images, ErrorCode::kRunFailure, "im_info is ", a.shape(3), ", but there are ", images,
          " images");
  const Buffer<double> info = a.doubles(3);
  std::vector<Buffer<double>> deltas;
  std::vector<Buffer<double>> scores;
  std::vector<Buffer<double>> anchors;
  for (int level = 0; level < a.count(0); ++level) {
    deltas.push_back(a.doubles(0, level));
    scores.push_back(a.doubles(1, level));
    anchors.push_back(a.doubles(2, level));
  }
  Detections found(a.context());
  for (int64_t n = 0; n < images; ++n) {
    std::map<int64_t, ClassBoxes> by_class;
    for (size_t level = 0; level < scores.size(); ++level) {
      const int64_t count = a.shape(2, static_cast<int>(level))[0];
      const double* s = scores[level].data() + n * count * classes;
      const double* d = deltas[level].data() + n * count * 4;
      // Of the last level, whose boxes are the largest, nothing is left out for its score.
      const double threshold = level + 1 < scores.size() ? op.score_threshold : 0.0;
      for (int64_t at : best_scores(a.context(), s, count * classes, 1, threshold, op.nms_top_k)) {
        double box[4];
        decode_anchor(anchors[level].data() + at / classes * 4, d + at / classes * 4, info.data() + n * 3, box);
        ClassBoxes& boxes = by_class.try_emplace(at % classes, a.context()).first->second;
        boxes.corners.insert(boxes.corners.end(), box, box + 4);
        boxes.scores.push_back(s[at]);
      }
    }
    std::vector<Candidate> candidates;
    for (const auto& [label, boxes] : by_class) {
      const auto count = static_cast<int64_t>(boxes.scores.size());
      const std::vector<int64_t> order = best_scores(a.context(), boxes.scores.data(), count, 1, -1, -1);
      for (int64_t i :
           suppress_overlaps(a.context(), boxes.corners.data(), 4, order, op.nms_threshold, op.nms_eta, false)) {
        candidates.push_back({label, i, boxes.scores[static_cast<size_t>(i)]});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& x, const auto& y) { return x.score > y.score; });
    if (op.keep_top_k >= 0 && static_cast<int64_t>(candidates.size()) > op.keep_top_k) {
      candidates.resize(static_cast<size_t>(op.keep_top_k));
    }
    for (const Candidate& c : candidates) {
      found.add(static_cast<double>(c.label + 1), c.score, by_class.at(c.label).corners.data() + c.box * 4, c.box);
    }
    found.end_image();
  }
  a.out(0) = detection_rows(a.context(), found, a.in(1).dtype());
  a.out(0).set_lod(one_level(found.offsets));
}

inline constexpr const OpSchema* retinanet_detection_output_op = &kOpSchema<RetinanetDetectionOutput>;

}  // namespace coracle::internal
