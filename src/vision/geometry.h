// SPDX-License-Identifier: Apache-2.0
// Outlines in the plane: borders of regions, hulls, rectangles round them, and what they cover.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "coracle/vision/image.h"

namespace coracle::vision {

struct PointF {
  float x = 0;
  float y = 0;
};

using Polygon = std::vector<Point>;
using Corners = std::array<PointF, 4>;

/// Twice the area of the triangle; positive where the way from `a` over `b` to `c` turns left (with y growing upwards).
inline std::int64_t turn(const Point& a, const Point& b, const Point& c) {
  return std::int64_t{b.x - a.x} * (c.y - b.y) - std::int64_t{b.y - a.y} * (c.x - b.x);
}

/// Borders of the regions of non-zero pixels (8-connected) and of the holes in them, as their corners, found by border
/// following (Suzuki and Abe 1985): the lowest region first.
std::vector<Polygon> find_contours(const std::vector<std::uint8_t>& mask, int width, int height);

/// Corners of the smallest convex polygon round the points, none of them on a line between two others.
Polygon convex_hull(const Polygon& points);

/// The rectangle of least area round the points: its corners in the order top left, top right, bottom right, bottom
/// left as far as it stands upright, and its shorter side.
struct Rectangle {
  Corners corners;
  float side = 0;
};
Rectangle smallest_rectangle(const Polygon& points);

/// Mean of `values` (rows of `width`) over the pixels of a polygon's inside and border; its parts beyond the values do
/// not count. 0 if nothing is left.
double mean_inside(const float* values, int width, int height, const Polygon& polygon);

/// The outlines of what a closed path that may cross itself goes round more often to the left than to the right, with
/// the covered side to their left (of the axis x to the right and y upwards): of one region one, and one for each hole.
/// In whole numbers, rounded from the exact crossings; without corners on lines between their neighbours.
std::vector<Polygon> covered(const Polygon& path);

/// Fewer points that stay within `tolerance` of the closed outline (Douglas and Peucker 1973).
Polygon simplified(const Polygon& outline, double tolerance);

/// The quadrilateral grown by `distance` on all sides, with round corners.
Polygon grow(const Corners& corners, double distance);
/// The same of any polygon: the outlines of what comes out.
std::vector<Polygon> grow(const Polygon& polygon, double distance);

/// Whether the closed outline goes round an area once, without crossing or touching itself.
bool is_simple(const Polygon& outline);

/// The area that a simple polygon and a rectangle, which may be turned, share.
double shared_area(const Polygon& polygon, const Corners& rectangle);

double area(const Corners& corners);
double area(const Polygon& polygon);
double perimeter(const Corners& corners);
double perimeter(const Polygon& polygon);
double distance(const Point& a, const Point& b);

}  // namespace coracle::vision
