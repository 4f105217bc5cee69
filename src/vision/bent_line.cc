// SPDX-License-Identifier: Apache-2.0
#include "vision/bent_line.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "vision/limits.h"
#include "vision/line_ends.h"
#include "vision/text_stages.h"
#include "vision/warp.h"

namespace coracle::vision {
namespace {

constexpr double kStraight = 0.7;   // Part of its rectangle that a line fills which is not bent.
constexpr double kShortEdge = 0.9;  // Of the mean: the ends of shorter edges count as one point.
constexpr std::size_t kParts = 15;  // In which each side is divided.
constexpr std::size_t kFewestPoints = 10;
constexpr double kUpended = 1.5;  // Height to width of lines that run down.

PointD point_d(const Point& p) { return {static_cast<double>(p.x), static_cast<double>(p.y)}; }

/// A point for each run of short edges, the mean of its points.
Polygon thinned(const Polygon& outline) {
  std::vector<double> lengths;
  double total = 0;
  for (std::size_t i = 0; i + 1 < outline.size(); ++i) {
    lengths.push_back(distance(outline[i], outline[i + 1]));
    total += lengths.back();
  }
  const double least = kShortEdge * (total / (static_cast<double>(lengths.size()) + 1e-8));
  std::vector<Polygon> runs{{outline.front()}};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (!(lengths[i] < least)) runs.emplace_back();
    runs.back().push_back(outline[i + 1]);
  }
  if (distance(outline.front(), outline.back()) < least) {
    if (runs.size() == 1) return {};
    runs.front().insert(runs.front().end(), runs.back().begin(), runs.back().end());
    runs.pop_back();
  }
  Polygon points;
  for (const Polygon& run : runs) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    for (const Point& p : run) {
      x += p.x;
      y += p.y;
    }
    const auto n = static_cast<std::int64_t>(run.size());
    points.push_back({static_cast<int>(x / n), static_cast<int>(y / n)});
  }
  return points;
}

/// Points that divide a side in equal parts, with both its ends.
std::vector<PointD> divided(const Polygon& side) {
  std::vector<double> lengths;
  std::vector<double> up_to{0};
  for (std::size_t i = 0; i + 1 < side.size(); ++i) {
    lengths.push_back(distance(side[i], side[i + 1]));
    up_to.push_back(up_to.back() + lengths.back());
  }
  const double part = up_to.back() / (static_cast<double>(kParts) + 1e-8);
  std::vector<PointD> points{point_d(side.front())};
  std::size_t edge = 0;
  for (std::size_t i = 1; i < kParts; ++i) {
    const double along = static_cast<double>(i) * part;
    while (edge + 1 < up_to.size() && along >= up_to[edge + 1]) ++edge;
    if (edge >= lengths.size()) break;
    const double share = (along - up_to[edge]) / lengths[edge];
    const PointD from = point_d(side[edge]);
    const PointD to = point_d(side[edge + 1]);
    points.push_back({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
  }
  points.push_back(point_d(side.back()));
  return points;
}

double mean_y(const std::vector<PointD>& points) {
  double sum = 0;
  for (const PointD& p : points) sum += p.y;
  return sum / static_cast<double>(points.size());
}

/// The mean, by the sums of every eighth number where there are many, as NumPy adds.
template <class T>
T numpy_mean(const std::vector<T>& values) {
  T sum = 0;
  std::size_t i = 0;
  if (values.size() >= 8) {
    std::array<T, 8> part{};
    for (; i + 8 <= values.size(); i += 8) {
      for (std::size_t j = 0; j < 8; ++j) part[j] += values[i + j];
    }
    sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
  for (; i < values.size(); ++i) sum += values[i];
  return sum / static_cast<T>(values.size());
}

/// The sizes of the rectangles to which the parts of a line are mapped.
struct Straight {
  std::vector<float> widths;
  float height = 0;
};

/// `points`: one side of the line and the other one back. Distances are computed in T.
template <class T>
Straight straight_size(const std::vector<std::array<T, 2>>& points) {
  const std::size_t n = points.size();
  const auto length = [&](std::size_t a, std::size_t b) {
    const T x = points[a][0] - points[b][0];
    const T y = points[a][1] - points[b][1];
    return std::sqrt(x * x + y * y);
  };
  std::vector<T> across;
  for (std::size_t i = 0; i < n / 2; ++i) across.push_back(length(i, n - 1 - i));
  const auto height = static_cast<double>(std::nearbyint(numpy_mean(across)));
  std::vector<T> ends{0};
  for (std::size_t i = 0; i + 1 < n / 2; ++i)
    ends.push_back(ends.back() + (length(i + 1, i) + length(n - 1 - i, n - 2 - i)) / 2);
  // Coordinates lie about the rectangle's middle.
  const double middle = static_cast<double>(ends.back()) / 2;
  Straight result;
  const auto place = [&](std::size_t i) { return static_cast<float>(static_cast<double>(ends[i]) - middle); };
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) result.widths.push_back(std::abs(place(i + 1) - place(i)));
  result.height = std::abs(static_cast<float>(height - height / 2) - static_cast<float>(-height / 2));
  return result;
}

Image side_by_side(const std::vector<Image>& parts) {
  int width = 0;
  int height = 0;
  for (const Image& part : parts) {
    width += part.width;
    height = std::max(height, part.height);
  }
  check_size(width, height);
  Image all(width, height);
  int left = 0;
  for (const Image& part : parts) {
    for (int y = 0; y < part.height; ++y) std::copy_n(part.row(y), 3 * part.width, all.row(y) + 3 * left);
    left += part.width;
  }
  return all;
}

/// What lies between both sides, part by part.
Image straightened(const Image& page, const std::vector<PointF>& points, bool upended) {
  const std::size_t n = points.size();
  Straight size;
  std::vector<PointF> order = points;
  if (upended) {
    std::rotate(order.begin(), order.begin() + 1, order.end());
    std::vector<std::array<float, 2>> lying;
    for (const PointF& p : order)
      lying.push_back({p.y, static_cast<float>(static_cast<double>(page.height) - static_cast<double>(p.x) - 1)});
    size = straight_size(lying);
  } else {
    std::vector<std::array<double, 2>> lying;
    for (const PointF& p : order) lying.push_back({static_cast<double>(p.x), static_cast<double>(p.y)});
    size = straight_size(lying);
  }
  std::vector<Image> parts;
  for (std::size_t i = 0; i + 1 < n / 2; ++i) {
    if (size.widths[i] < 1 || size.height < 1) continue;
    const Corners corners{order[i], order[i + 1], order[n - 2 - i], order[n - 1 - i]};
    parts.push_back(straighten_linearly(page, corners, size.widths[i], size.height));
  }
  if (parts.empty()) return {};
  const Image line = side_by_side(parts);
  return upended ? turned_exactly(line, 270) : line;
}

/// The upright rectangle round the points.
Image cut_upright(const Image& page, const std::vector<PointF>& points) {
  const auto [left, right] =
      std::minmax_element(points.begin(), points.end(), [](const PointF& a, const PointF& b) { return a.x < b.x; });
  const auto [top, bottom] =
      std::minmax_element(points.begin(), points.end(), [](const PointF& a, const PointF& b) { return a.y < b.y; });
  const int x0 = std::clamp(static_cast<int>(left->x), 0, page.width - 1);
  const int x1 = std::clamp(static_cast<int>(right->x), 0, page.width - 1);
  const int y0 = std::clamp(static_cast<int>(top->y), 0, page.height - 1);
  const int y1 = std::clamp(static_cast<int>(bottom->y), 0, page.height - 1);
  if (x1 <= x0 || y1 <= y0) return {};
  Image part(x1 - x0, y1 - y0);
  for (int y = 0; y < part.height; ++y) std::copy_n(page.row(y0 + y) + 3 * x0, 3 * part.width, part.row(y));
  return part;
}

/// The picture of a line that is bent; nothing where its shape is none of a line.
std::optional<Image> cut_bent(const Image& page, const Polygon& outline) {
  const Polygon points = thinned(outline);
  if (points.size() < 4) return std::nullopt;
  const Sides sides = sides_of(points);
  std::vector<PointD> upper = divided(sides.first);
  std::vector<PointD> lower = divided(sides.second);
  if (mean_y(upper) - mean_y(lower) > 0) std::swap(upper, lower);
  std::vector<PointF> all;
  for (const std::vector<PointD>* side : {&upper, &lower}) {
    for (const PointD& p : *side) all.push_back({static_cast<float>(p.x), static_cast<float>(p.y)});
  }
  const auto [left, right] = std::minmax_element(all.begin(), all.end(), [](auto& a, auto& b) { return a.x < b.x; });
  const auto [top, bottom] = std::minmax_element(all.begin(), all.end(), [](auto& a, auto& b) { return a.y < b.y; });
  const int width = static_cast<int>(right->x) - static_cast<int>(left->x);
  const int height = static_cast<int>(bottom->y) - static_cast<int>(top->y);
  if (all.size() < kFewestPoints || all.size() % 2 != 0 || width == 0) return cut_upright(page, all);
  return straightened(page, all, static_cast<double>(height) / width > kUpended);
}

}  // namespace

Image cut_out_bent(const Image& page, const Polygon& outline) {
  if (outline.empty()) return {};
  const Corners round = smallest_rectangle(outline).corners;
  if (outline.size() >= 4 && is_simple(outline)) {
    const double shared = shared_area(outline, round);
    if (shared / (area(outline) + area(round) - shared + 1e-10) < kStraight) {
      std::optional<Image> line = cut_bent(page, outline);
      if (line) return *std::move(line);
    }
  }
  return cut_out(page, round);
}

}  // namespace coracle::vision
