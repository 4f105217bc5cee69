// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/boxes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/long_loop.h"
#include "ops/detection/polygons.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

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

std::vector<int64_t> best_scores(const RunContext& context, const double* scores, int64_t count, int64_t step,
                                 double threshold, int64_t most) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    if (scores[i * step] > threshold) order.push_back(i);
  }
  LoopCheck check(context);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    check.step();
    return scores[i * step] > scores[j * step];
  });
  if (most >= 0 && most < static_cast<int64_t>(order.size())) order.resize(static_cast<size_t>(most));
  return order;
}

namespace {

/// The boxes taken so far, found by where they lie: a grid over all candidates, each cell with the boxes that touch it.
/// Boxes that touch no common cell do not overlap.
class TakenBoxes {
 public:
  TakenBoxes(const double* boxes, int64_t step, std::span<const int64_t> order) : boxes_(boxes), step_(step) {
    if (order.size() < kWorthwhile) return;
    for (int axis = 0; axis < 2; ++axis) {
      double low = at(order[0])[axis];
      double high = low;
      for (int64_t i : order) {
        const double begin = at(i)[axis];
        const double end = at(i)[axis + 2];
        if (!(begin <= end)) return;  // such boxes overlap in ways of their own
        low = std::min(low, begin);
        high = std::max(high, end);
      }
      low_[axis] = low;
      per_unit_[axis] = kSide / (high - low);
      if (!std::isfinite(high - low) || !std::isfinite(per_unit_[axis])) return;
    }
    cells_.resize(kSide * kSide);
  }

  void take(int64_t i) {
    taken_.push_back(i);
    if (!cells_.empty()) {
      each_cell(i, [&](std::vector<int64_t>& cell) { cell.push_back(i); });
    }
  }

  /// True if all taken boxes that may overlap box i satisfy `apart`.
  template <class F>
  bool all(int64_t i, const F& apart) {
    if (cells_.empty() || cell_count(i) > kFewCells) return std::all_of(taken_.begin(), taken_.end(), apart);
    bool result = true;
    each_cell(
        i, [&](const std::vector<int64_t>& cell) { result = result && std::all_of(cell.begin(), cell.end(), apart); });
    return result;
  }

  std::vector<int64_t> taken() && { return std::move(taken_); }

 private:
  static constexpr size_t kWorthwhile = 64;
  static constexpr size_t kSide = 16;
  static constexpr size_t kFewCells = 9;

  const double* at(int64_t i) const { return boxes_ + i * step_; }

  /// Never falls while `value` rises.
  size_t cell_of(double value, int axis) const {
    return std::min(static_cast<size_t>((value - low_[axis]) * per_unit_[axis]), kSide - 1);
  }

  size_t cell_count(int64_t i) const {
    const double* box = at(i);
    return (cell_of(box[2], 0) - cell_of(box[0], 0) + 1) * (cell_of(box[3], 1) - cell_of(box[1], 1) + 1);
  }

  template <class F>
  void each_cell(int64_t i, const F& visit) {
    const double* box = at(i);
    const size_t right = cell_of(box[2], 0);
    const size_t bottom = cell_of(box[3], 1);
    for (size_t y = cell_of(box[1], 1); y <= bottom; ++y) {
      for (size_t x = cell_of(box[0], 0); x <= right; ++x) visit(cells_[y * kSide + x]);
    }
  }

  const double* boxes_;
  int64_t step_;
  std::vector<int64_t> taken_;
  double low_[2] = {};
  double per_unit_[2] = {};
  std::vector<std::vector<int64_t>> cells_;  ///< empty: no grid
};

/// Steps of LoopCheck for two boxes; two polygons take longer.
constexpr int64_t kOverlapCost = 16;

}  // namespace

std::vector<int64_t> suppress_overlaps(const RunContext& context, const double* boxes, int64_t step,
                                       std::span<const int64_t> order, double threshold, double eta, bool normalized,
                                       int64_t numbers) {
  const auto overlap = [&](const double* a, const double* b) {
    return numbers == 4 ? box_overlap(a, b, normalized) : polygon_overlap(a, b, numbers / 2);
  };
  // Below 0 boxes that do not overlap suppress each other, too; polygons have no corners to tell their place.
  TakenBoxes taken(boxes, step, threshold >= 0 && numbers == 4 ? order : std::span<const int64_t>());
  LoopCheck check(context);
  for (int64_t i : order) {
    const bool apart = taken.all(i, [&](int64_t j) {
      check.step(kOverlapCost);
      return overlap(boxes + i * step, boxes + j * step) <= threshold;
    });
    if (!apart) continue;
    taken.take(i);
    if (eta < 1 && threshold > 0.5) threshold *= eta;
  }
  return std::move(taken).taken();
}

std::vector<int64_t> offsets_of_first_rows(const Tensor* counts, const Tensor& rows) {
  const int64_t total = rows.shape().rank() > 0 ? rows.shape()[0] : 0;
  if (counts == nullptr) return sequence_offsets(rows.lod(), total);
  std::vector<int64_t> offsets{0};
  for (int64_t count : counts->integers()) {
    require(count >= 0, ErrorCode::kRunFailure, "an image has ", counted(count, "box"));
    offsets.push_back(checked_add(offsets.back(), count));
  }
  require(offsets.back() <= total, ErrorCode::kRunFailure, "the images have ", counted(offsets.back(), "box"),
          ", but there are ", total);
  return offsets;
}

std::vector<int64_t> image_offsets(const Tensor* counts, const Tensor& rows) {
  std::vector<int64_t> offsets = offsets_of_first_rows(counts, rows);
  if (counts == nullptr) return offsets;
  const int64_t total = rows.shape().rank() > 0 ? rows.shape()[0] : 0;
  require(offsets.back() == total, ErrorCode::kRunFailure, "the images have ", counted(offsets.back(), "box"),
          ", but there are ", total);
  return offsets;
}

Lod one_level(std::span<const int64_t> offsets) { return {std::vector<size_t>(offsets.begin(), offsets.end())}; }

}  // namespace coracle::internal
