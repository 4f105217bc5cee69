// SPDX-License-Identifier: Apache-2.0
// Object detectors exported without non-maximum suppression: PP-YOLOE and its relatives, PicoDet.
#include <algorithm>
#include <cmath>

#include "vision/answers.h"

namespace coracle::vision {
namespace {

struct RawBox {
  float left, top, right, bottom;
};

/// The boxes of a model with the scores of their classes.
struct Candidates {
  std::vector<RawBox> boxes;
  std::vector<const float*> scores;  ///< of each box: that of its first class
  std::size_t step = 1;              ///< from one class to the next
  std::size_t classes = 0;
};

/// How many boxes of a class are looked at, and kept: of each class, and in all.
struct Bounds {
  float overlap;
  std::size_t looked_at;
  std::size_t kept_of_class;
  std::size_t kept;
};
constexpr Bounds kDistances{0.5F, 200, 100, 1000000};
constexpr Bounds kBoxes{0.7F, 1000, 1000, 300};

struct Found {
  std::size_t id;
  float score;
  RawBox box;
};

float area_of_box(const RawBox& b) { return std::max(0.0F, b.right - b.left) * std::max(0.0F, b.bottom - b.top); }

float overlap_of_boxes(const RawBox& a, const RawBox& b) {
  const float both = area_of_box(
      {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)});
  return both / (area_of_box(a) + area_of_box(b) - both + 1e-5F);
}

bool better(const Found& a, const Found& b) { return a.score > b.score; }

/// The boxes of a class, the best first, each of which no better one overlaps too much.
std::vector<Found> best_of_class(const Candidates& c, std::size_t id, float threshold, const Bounds& bounds) {
  std::vector<Found> all;
  for (std::size_t i = 0; i < c.boxes.size(); ++i) {
    const float score = c.scores[i][id * c.step];
    if (score > threshold) all.push_back({id, score, c.boxes[i]});
  }
  std::stable_sort(all.begin(), all.end(), better);
  if (all.size() > bounds.looked_at) all.resize(bounds.looked_at);
  std::vector<Found> kept;
  for (const Found& f : all) {
    if (kept.size() == bounds.kept_of_class) break;
    const bool covered = std::any_of(kept.begin(), kept.end(),
                                     [&](const Found& k) { return overlap_of_boxes(f.box, k.box) > bounds.overlap; });
    if (!covered) kept.push_back(f);
  }
  return kept;
}

std::vector<Found> kept_candidates(const Candidates& c, float threshold, const Bounds& bounds) {
  std::vector<Found> found;
  for (std::size_t id = 0; id < c.classes; ++id) {
    const std::vector<Found> of_class = best_of_class(c, id, threshold, bounds);
    found.insert(found.end(), of_class.begin(), of_class.end());
  }
  if (found.size() > bounds.kept) {
    std::stable_sort(found.begin(), found.end(), better);
    found.resize(bounds.kept);
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
  }
  return found;
}

bool is_list(const Output& o) { return o.dims.size() == 3 && o.dims[0] == 1 && o.dims[1] >= 0 && o.dims[2] > 0; }
std::size_t rows_of(const Output& o) { return static_cast<std::size_t>(o.dims[1]); }
std::size_t values_of_row(const Output& o) { return static_cast<std::size_t>(o.dims[2]); }

/// Boxes and scores side by side, or each in an output.
std::optional<Candidates> listed(const std::vector<Output>& outputs) {
  if (outputs.empty() || !is_list(outputs[0])) return std::nullopt;
  const Output& boxes = outputs[0];
  const bool one = outputs.size() == 1 && values_of_row(boxes) > 4;
  const bool two = outputs.size() == 2 && is_list(outputs[1]) && values_of_row(boxes) == 4 &&
                   values_of_row(outputs[1]) == rows_of(boxes);
  if (!one && !two) return std::nullopt;
  Candidates c;
  c.classes = one ? values_of_row(boxes) - 4 : rows_of(outputs[1]);
  c.step = one ? 1 : rows_of(boxes);
  for (std::size_t i = 0; i < rows_of(boxes); ++i) {
    const float* row = boxes.data + i * values_of_row(boxes);
    c.boxes.push_back({row[0], row[1], row[2], row[3]});
    c.scores.push_back(one ? row + 4 : outputs[1].data + i);
  }
  return c;
}

/// The mean of 0, 1, 2, ... by the probabilities whose logarithms these are, but for a common term.
float expected(const float* logits, std::size_t bins) {
  const float most = *std::max_element(logits, logits + bins);
  double sum = 0;
  double weighted = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    const double p = std::exp(static_cast<double>(logits[i] - most));
    sum += p;
    weighted += p * static_cast<double>(i);
  }
  return static_cast<float>(weighted / sum);
}

/// Maps of cells, each with the distances from its middle to the sides of a box, in strides.
std::optional<Candidates> from_distances(const std::vector<Output>& outputs, const Prepared& p,
                                         const std::vector<int>& strides) {
  const std::size_t levels = strides.size();
  if (levels == 0 || outputs.size() != 2 * levels) return std::nullopt;
  Candidates c;
  for (std::size_t level = 0; level < levels; ++level) {
    const Output& scores = outputs[level];
    const Output& sides = outputs[levels + level];
    const int stride = strides[level];
    const auto across = static_cast<std::size_t>((p.width + stride - 1) / stride);
    const auto down = static_cast<std::size_t>((p.height + stride - 1) / stride);
    if (!is_list(scores) || !is_list(sides) || rows_of(scores) != across * down || rows_of(sides) != across * down ||
        values_of_row(sides) % 4 != 0 || (level > 0 && values_of_row(scores) != c.classes)) {
      return std::nullopt;
    }
    c.classes = values_of_row(scores);
    const std::size_t bins = values_of_row(sides) / 4;
    for (std::size_t i = 0; i < across * down; ++i) {
      const std::size_t column = i % across;
      const std::size_t row = i / across;
      const float x = (static_cast<float>(column) + 0.5F) * static_cast<float>(stride);
      const float y = (static_cast<float>(row) + 0.5F) * static_cast<float>(stride);
      const auto distance = [&](std::size_t side) {
        return expected(sides.data + (i * 4 + side) * bins, bins) * static_cast<float>(stride);
      };
      c.boxes.push_back({x - distance(0), y - distance(1), x + distance(2), y + distance(3)});
      c.scores.push_back(scores.data + i * c.classes);
    }
  }
  return c;
}

}  // namespace

std::optional<std::vector<float>> suppressed_objects(const std::vector<Output>& outputs, const Prepared& prepared,
                                                     bool scaled, float threshold, const ObjectOptions& options) {
  const bool distances = outputs.size() > 2;
  const std::optional<Candidates> candidates =
      distances ? from_distances(outputs, prepared, options.strides) : listed(outputs);
  if (!candidates) return std::nullopt;
  Bounds bounds = distances ? kDistances : kBoxes;
  bounds.overlap = options.overlap.value_or(bounds.overlap);
  const auto wide = static_cast<float>(prepared.scale_x);
  const auto high = static_cast<float>(prepared.scale_y);
  std::vector<float> rows;
  for (Found f : kept_candidates(*candidates, threshold, bounds)) {
    if (distances || !scaled) {
      const auto x = [&](float v) { return std::clamp(v, 0.0F, static_cast<float>(prepared.resized_width)) / wide; };
      const auto y = [&](float v) { return std::clamp(v, 0.0F, static_cast<float>(prepared.resized_height)) / high; };
      f.box = {x(f.box.left), y(f.box.top), x(f.box.right), y(f.box.bottom)};
    }
    rows.insert(rows.end(), {static_cast<float>(f.id), f.score, f.box.left, f.box.top, f.box.right, f.box.bottom});
  }
  return rows;
}

}  // namespace coracle::vision
