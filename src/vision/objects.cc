// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "vision/answers.h"

namespace coracle::vision {
namespace {

constexpr float kSameClass = 0.6F;    // Overlap of boxes of which the worse is dropped,
constexpr float kOtherClass = 0.98F;  // and where they are of different classes.
constexpr float kContained = 0.9F;    // Part of a box that makes it one within another.

struct Row {
  float id, score, left, top, right, bottom;
  std::array<float, 2> order;
};

float overlap_of_rows(const Row& a, const Row& b) {
  const float width = std::max(0.0F, std::min(a.right, b.right) - std::max(a.left, b.left) + 1);
  const float height = std::max(0.0F, std::min(a.bottom, b.bottom) - std::max(a.top, b.top) + 1);
  const float inner = width * height;
  const auto size = [](const Row& r) { return (r.right - r.left + 1) * (r.bottom - r.top + 1); };
  return inner / (size(a) + size(b) - inner);
}

std::vector<Row> suppressed(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
  std::vector<Row> kept;
  for (const Row& r : rows) {
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Row& k) {
      return !(overlap_of_rows(k, r) < (k.id == r.id ? kSameClass : kOtherClass));
    });
    if (!covered) kept.push_back(r);
  }
  return kept;
}

bool mostly_within(const Row& a, const Row& b) {
  const float size = (a.right - a.left) * (a.bottom - a.top);
  const float width = std::max(0.0F, std::min(a.right, b.right) - std::max(a.left, b.left));
  const float height = std::max(0.0F, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  return size > 0 && width * height / size >= kContained;
}

/// Of boxes within others the outer or the inner ones. A formula within other things stays.
std::vector<Row> without_nested(const std::vector<Row>& rows, ObjectOptions::Nested nested, float formula) {
  std::vector<Row> kept;
  for (const Row& r : rows) {
    bool inside = false;
    bool outside = false;
    for (const Row& other : rows) {
      if (&other == &r) continue;
      inside = inside || (!(r.id == formula && other.id != formula) && mostly_within(r, other));
      outside = outside || (!(other.id == formula && r.id != formula) && mostly_within(other, r));
    }
    if (nested == ObjectOptions::Nested::kOuter ? !inside : !outside || inside) kept.push_back(r);
  }
  return kept;
}

/// Layouts of documents: an "image" as large as the page is the page.
std::vector<Row> without_page(const std::vector<Row>& rows, float image, int width, int height) {
  if (rows.size() < 2) return rows;
  const float most = (width > height ? 0.82F : 0.93F) * static_cast<float>(width) * static_cast<float>(height);
  std::vector<Row> kept;
  for (const Row& r : rows) {
    const float w = std::min(static_cast<float>(width), r.right) - std::max(0.0F, r.left);
    const float h = std::min(static_cast<float>(height), r.bottom) - std::max(0.0F, r.top);
    if (r.id != image || w * h <= most) kept.push_back(r);
  }
  return kept.empty() ? rows : kept;
}

/// About its middle, in the steps in which PaddleX rounds.
void stretch(float& begin, float& end, float by) {
  const float length = end - begin;
  const float middle = begin + length / 2;
  const float half = length * by / 2;
  begin = middle - half;
  end = middle + half;
}

/// Detectors fill up with the class -1.
bool is_object(float id, float score, float threshold, const Description& d) {
  if (!(id >= 0 && id < 1e6F)) return false;
  const auto own = d.objects.thresholds.find(static_cast<int>(id));
  return score > (own != d.objects.thresholds.end() ? own->second : threshold);
}

/// Where classes have thresholds of their own, one class comes after the other.
template <class Found>
void sort_by_class(std::vector<Found>& found, const Description& d) {
  if (d.objects.thresholds.empty()) return;
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.id < b.id; });
}

bool is_upright(const std::array<float, 8>& c) {
  return c[0] == c[6] && c[2] == c[4] && c[1] == c[3] && c[5] == c[7] && c[0] <= c[2] && c[1] <= c[5];
}

float id_of(const Description& d, const char* name) {
  const auto found = std::find(d.labels.begin(), d.labels.end(), name);
  return found == d.labels.end() ? -1.0F : static_cast<float>(found - d.labels.begin());
}

}  // namespace

std::vector<Object> objects(const float* values, std::size_t count, std::size_t columns, int width, int height,
                            float threshold, const Description& d) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i, values += columns) {
    const auto place = [&](std::size_t at) { return d.objects.regions ? std::nearbyint(values[at]) : values[at]; };
    const Row r{values[0],
                values[1],
                place(2),
                place(3),
                place(4),
                place(5),
                {columns > 6 ? values[6] : 0, columns > 7 ? values[7] : 0}};
    if (is_object(r.id, r.score, threshold, d)) rows.push_back(r);
  }
  sort_by_class(rows, d);
  if (d.objects.suppress) rows = suppressed(rows);
  rows = without_page(rows, id_of(d, "image"), width, height);
  if (d.objects.nested != ObjectOptions::Nested::kKeep)
    rows = without_nested(rows, d.objects.nested, id_of(d, "formula"));
  if (columns > 6) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.order[0] != b.order[0] ? a.order[0] < b.order[0] : a.order[1] > b.order[1];
    });
  }
  std::vector<Object> found;
  for (Row r : rows) {
    if (d.objects.grow != std::array<float, 2>{1, 1}) {
      stretch(r.left, r.right, d.objects.grow[0]);
      stretch(r.top, r.bottom, d.objects.grow[1]);
    }
    Object o{.id = static_cast<int>(r.id),
             .name = name_of(d, static_cast<std::size_t>(r.id)),
             .score = r.score,
             .left = std::max(0.0F, r.left),
             .top = std::max(0.0F, r.top),
             .right = std::min(static_cast<float>(width), r.right),
             .bottom = std::min(static_cast<float>(height), r.bottom)};
    if (d.objects.regions) {
      for (float* side : {&o.left, &o.top, &o.right, &o.bottom}) *side = std::trunc(*side);
    }
    if (o.right > o.left && o.bottom > o.top) found.push_back(std::move(o));
  }
  return d.objects.regions ? without_overlaps(std::move(found)) : found;
}

std::vector<Object> turned_objects(const float* values, std::size_t count, int width, int height, float threshold,
                                   const Description& d) {
  std::vector<Object> found;
  for (std::size_t i = 0; i < count; ++i, values += kTurnedColumns) {
    if (!is_object(values[0], values[1], threshold, d)) continue;
    std::array<float, 8> corners;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      corners[k] = std::min(std::max(0.0F, values[2 + k]), static_cast<float>(k % 2 == 0 ? width : height));
    }
    const auto [left, right] = std::minmax({corners[0], corners[2], corners[4], corners[6]});
    const auto [top, bottom] = std::minmax({corners[1], corners[3], corners[5], corners[7]});
    Object o{.id = static_cast<int>(values[0]),
             .name = name_of(d, static_cast<std::size_t>(values[0])),
             .score = values[1],
             .left = left,
             .top = top,
             .right = right,
             .bottom = bottom};
    if (!is_upright(corners)) o.corners = corners;
    found.push_back(std::move(o));
  }
  sort_by_class(found, d);
  return found;
}

}  // namespace coracle::vision
