// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "vision/answers.h"
#include "vision/geometry.h"

namespace coracle::vision {
namespace {

constexpr float kMinSide = 3;
constexpr double kTolerance = 0.002;  // of outlines, as a part of their length

std::vector<std::uint8_t> above(const float* probability, int width, int height, const DbOptions& options) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = probability[i] > options.threshold ? 1 : 0;
  if (!options.dilate) return mask;
  // By 2 x 2 pixels, each with those to the left and above.
  const std::vector<std::uint8_t> before = mask;
  const auto w = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const bool left = i % w != 0;
    const bool top = i >= w;
    mask[i] =
        before[i] | (left ? before[i - 1] : 0) | (top ? before[i - w] : 0) | (left && top ? before[i - w - 1] : 0);
  }
  return mask;
}

Polygon truncated(const Corners& corners) {
  Polygon polygon;
  for (const PointF& c : corners) polygon.push_back({static_cast<int>(c.x), static_cast<int>(c.y)});
  return polygon;
}

/// From the map's pixels to the picture's; ties go to the even number.
int rescaled(float value, int from, int to) {
  const double scaled = std::nearbyint(static_cast<double>(value) * (static_cast<double>(to) / from));
  return static_cast<int>(std::clamp(scaled, 0.0, static_cast<double>(to)));
}

/// The outline from what follows its topmost edge on, where Clipper begins most outlines.
Polygon from_top(Polygon outline) {
  const auto higher = [](const Point& a, const Point& b) { return a.y < b.y; };
  const int top = std::min_element(outline.begin(), outline.end(), higher)->y;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const std::size_t next = (i + 1) % outline.size();
    if (outline[i].y != top || outline[next].y == top) continue;
    std::rotate(outline.begin(), outline.begin() + static_cast<std::ptrdiff_t>(next), outline.end());
    break;
  }
  return outline;
}

/// A region as it is shaped, grown; nothing of one that is small, unlikely, or in several parts when it has grown.
std::optional<TextBox> text_polygon(const Polygon& contour, const float* probability, int width, int height,
                                    int to_width, int to_height, const DbOptions& options) {
  const Polygon region = simplified(contour, kTolerance * perimeter(contour));
  if (region.size() < 4) return std::nullopt;
  const double score = mean_inside(probability, width, height, region);
  if (score < options.box_threshold) return std::nullopt;
  const std::vector<Polygon> grown = grow(region, area(region) * options.unclip_ratio / perimeter(region));
  if (grown.size() != 1 || smallest_rectangle(grown[0]).side < kMinSide + 2) return std::nullopt;
  TextBox box;
  box.score = static_cast<float>(score);
  for (const Point& p : from_top(grown[0])) {
    box.polygon.push_back(
        {rescaled(static_cast<float>(p.x), width, to_width), rescaled(static_cast<float>(p.y), height, to_height)});
  }
  const Corners around = smallest_rectangle(box.polygon).corners;
  for (std::size_t i = 0; i < 4; ++i)
    box.corners[i] = {rescaled(around[i].x, to_width, to_width), rescaled(around[i].y, to_height, to_height)};
  return box;
}

}  // namespace

std::vector<TextBox> text_boxes(const float* probability, int width, int height, int to_width, int to_height,
                                const DbOptions& options) {
  std::vector<Polygon> contours = find_contours(above(probability, width, height, options), width, height);
  contours.resize(std::min(contours.size(), options.max_candidates));
  std::vector<TextBox> boxes;
  for (const Polygon& contour : contours) {
    if (options.polygons) {
      std::optional<TextBox> box = text_polygon(contour, probability, width, height, to_width, to_height, options);
      if (box) boxes.push_back(std::move(*box));
      continue;
    }
    const Rectangle inner = smallest_rectangle(contour);
    if (inner.side < kMinSide) continue;
    const double score =
        mean_inside(probability, width, height, options.exact_score ? contour : truncated(inner.corners));
    if (score < options.box_threshold) continue;
    const double distance = area(inner.corners) * options.unclip_ratio / perimeter(inner.corners);
    const Rectangle outer = smallest_rectangle(grow(inner.corners, distance));
    if (outer.side < kMinSide + 2) continue;
    TextBox box;
    for (std::size_t i = 0; i < 4; ++i) {
      box.corners[i] = {rescaled(outer.corners[i].x, width, to_width), rescaled(outer.corners[i].y, height, to_height)};
    }
    box.score = static_cast<float>(score);
    boxes.push_back(box);
  }
  return boxes;
}

}  // namespace coracle::vision
