// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/proposals.h"

#include <algorithm>
#include <cmath>

#include "base/buffer.h"

namespace coracle::internal {
namespace {

/// The box that `delta` makes of `anchor`, clipped to the image.
void decode(const double* anchor, const double* delta, const double* variance, const double* limit, double pixel,
            double* box) {
  static const double kLargest = std::log(1000.0 / 16.0);
  for (int d = 0; d < 2; ++d) {
    const double size = anchor[d + 2] - anchor[d] + pixel;
    const double center = variance[d] * delta[d] * size + anchor[d] + size / 2;
    const double half = std::exp(std::min(variance[d + 2] * delta[d + 2], kLargest)) * size / 2;
    box[d] = std::max(std::min(center - half, limit[d] - pixel), 0.0);
    box[d + 2] = std::max(std::min(center + half - pixel, limit[d] - pixel), 0.0);
  }
}

}  // namespace

void infer_proposals(InferArgs& a, int64_t image_numbers) {
  const Shape& scores = a.shape(0);
  for (int port = 0; port < 5; ++port) {
    require(is_float(a.dtype(port)), "operand ", port, " is ", a.dtype(port), ", expected a real type");
    const Shape& s = a.shape(port);
    require(!s.rank_known() || s.rank() == (port == 2 ? 2 : port < 2 ? 4 : s.rank()), "operand ", port, " is ", s);
  }
  if (scores.known()) {
    const Shape deltas{scores[0], scores[1] * 4, scores[2], scores[3]};
    require(compatible(a.shape(1), deltas), "deltas are ", a.shape(1), ", expected ", deltas);
    require(compatible(a.shape(2), Shape{scores[0], image_numbers}), "images are ", a.shape(2), ", expected ",
            Shape{scores[0], image_numbers});
    for (int port = 3; port < 5; ++port) {
      const Shape& s = a.shape(port);
      require(!s.known() || s.count() == scores.count(1, 4) * 4, "anchors or variances are ", s, ", but scores ",
              scores);
    }
  }
  a.set(0, a.dtype(0), Shape{Shape::kUnknown, 4});
  a.set(1, a.dtype(0), Shape{Shape::kUnknown, 1});
  a.set(2, DType::kInt32, Shape{scores.rank_known() ? scores[0] : Shape::kUnknown});
}

void reference_proposals(const ProposalOperator& op, ReferenceArgs& a, bool pixel_offset, bool scaled) {
  const Shape& s = a.shape(0);
  const int64_t anchors = s[1];
  const int64_t plane = s[2] * s[3];
  const int64_t places = anchors * plane;
  const Buffer<double> scores = a.doubles(0);
  const Buffer<double> deltas = a.doubles(1);
  const Buffer<double> images = a.doubles(2);
  const Buffer<double> anchor = a.doubles(3);
  const Buffer<double> variance = a.doubles(4);
  const double pixel = pixel_offset ? 1 : 0;
  const double least = std::max(static_cast<double>(op.min_size), 1.0);
  Buffer<double> regions(a.context());
  Buffer<double> probabilities(a.context());
  std::vector<int64_t> offsets{0};
  for (int64_t n = 0; n < s[0]; ++n) {
    const double* image = images.data() + n * a.shape(2)[1];
    const double limit[2] = {image[1], image[0]};
    const double scale = scaled ? image[2] : 1;
    // Candidates are ordered by place, then anchor: the order of `anchor`.
    Buffer<double> by_place(static_cast<size_t>(places), a.context());
    for (int64_t i = 0; i < places; ++i) {
      by_place[static_cast<size_t>(i)] = scores[static_cast<size_t>(n * places + i % anchors * plane + i / anchors)];
    }
    Buffer<double> boxes(a.context());
    Buffer<double> kept(a.context());
    for (int64_t i : best_scores(a.context(), by_place.data(), places, 1, -INFINITY,
                                 op.pre_nms_top_n > 0 ? op.pre_nms_top_n : -1)) {
      double delta[4];
      double box[4];
      for (int64_t d = 0; d < 4; ++d) {
        const int64_t channel = i % anchors * 4 + d;
        delta[d] = deltas[static_cast<size_t>((n * anchors * 4 + channel) * plane + i / anchors)];
      }
      decode(anchor.data() + i * 4, delta, variance.data() + i * 4, limit, pixel, box);
      bool fits = true;
      for (int d = 0; d < 2; ++d) {
        const double size = box[d + 2] - box[d];
        fits = fits && (scaled ? size / scale + 1 : size + pixel) >= least;
        if (pixel_offset) fits = fits && box[d] + (size + pixel) / 2 <= limit[d];
      }
      if (!fits) continue;
      boxes.insert(boxes.end(), box, box + 4);
      kept.push_back(by_place[static_cast<size_t>(i)]);
    }
    if (kept.empty()) {
      boxes.assign(4, 0.0);
      kept.assign(1, 0.0);
    }
    std::vector<int64_t> order(kept.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    if (op.nms_thresh > 0) {
      order = suppress_overlaps(a.context(), boxes.data(), 4, order, op.nms_thresh, op.eta, !pixel_offset);
      if (op.post_nms_top_n > 0 && static_cast<int64_t>(order.size()) > op.post_nms_top_n) {
        order.resize(static_cast<size_t>(op.post_nms_top_n));
      }
    }
    for (int64_t i : order) {
      regions.insert(regions.end(), boxes.begin() + i * 4, boxes.begin() + i * 4 + 4);
      probabilities.push_back(kept[static_cast<size_t>(i)]);
    }
    offsets.push_back(static_cast<int64_t>(probabilities.size()));
  }
  a.out(0) = a.make(a.in(0).dtype(), Shape{offsets.back(), 4});
  a.out(0).assign(a.context(), std::span<const double>(regions));
  if (scaled) a.out(0).set_lod(one_level(offsets));
  if (a.wants(1)) {
    a.out(1) = a.make(a.in(0).dtype(), Shape{offsets.back(), 1});
    a.out(1).assign(a.context(), std::span<const double>(probabilities));
    if (scaled) a.out(1).set_lod(one_level(offsets));
  }
  if (!a.wants(2)) return;
  std::vector<int64_t> counts;
  for (size_t i = 1; i < offsets.size(); ++i) counts.push_back(offsets[i] - offsets[i - 1]);
  a.out(2) = a.make(DType::kInt32, Shape{s[0]});
  a.out(2).assign(a.context(), std::span<const int64_t>(counts));
}

}  // namespace coracle::internal
