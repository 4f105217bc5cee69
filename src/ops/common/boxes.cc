// SPDX-License-Identifier: Apache-2.0
#include "ops/common/boxes.h"

#include <algorithm>

#include "ops/common/recurrent.h"

namespace coracle {

double box_area(const double* box, bool normalized) {
  if (box[2] < box[0] || box[3] < box[1]) return 0;
  const double pixel = normalized ? 0 : 1;
  return (box[2] - box[0] + pixel) * (box[3] - box[1] + pixel);
}

double box_overlap(const double* a, const double* b, bool normalized) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1]) return 0;
  const double pixel = normalized ? 0 : 1;
  const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + pixel;
  const double height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + pixel;
  const double shared = width * height;
  return shared / (box_area(a, normalized) + box_area(b, normalized) - shared);
}

std::vector<int64_t> best_scores(const double* scores, int64_t count, int64_t step, double threshold, int64_t most) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    if (scores[i * step] > threshold) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return scores[i * step] > scores[j * step]; });
  if (most >= 0 && most < static_cast<int64_t>(order.size())) order.resize(static_cast<size_t>(most));
  return order;
}

std::vector<int64_t> suppress_overlaps(const double* boxes, int64_t step, std::span<const int64_t> order,
                                       double threshold, double eta, bool normalized) {
  std::vector<int64_t> taken;
  for (int64_t i : order) {
    const bool apart = std::all_of(taken.begin(), taken.end(), [&](int64_t j) {
      return box_overlap(boxes + i * step, boxes + j * step, normalized) <= threshold;
    });
    if (!apart) continue;
    taken.push_back(i);
    if (eta < 1 && threshold > 0.5) threshold *= eta;
  }
  return taken;
}

std::vector<int64_t> image_offsets(const Tensor* counts, const Tensor& rows) {
  const int64_t total = rows.shape().rank() > 0 ? rows.shape()[0] : 0;
  if (counts == nullptr) return sequence_offsets(rows.lod(), total);
  std::vector<int64_t> offsets{0};
  for (int64_t count : counts->integers()) {
    require(count >= 0, ErrorCode::kRunFailure, "an image has ", count, " boxes");
    offsets.push_back(checked_add(offsets.back(), count));
  }
  require(offsets.back() == total, ErrorCode::kRunFailure, "the images have ", offsets.back(), " boxes, but there are ",
          total);
  return offsets;
}

Lod one_level(std::span<const int64_t> offsets) { return {std::vector<size_t>(offsets.begin(), offsets.end())}; }

}  // namespace coracle
