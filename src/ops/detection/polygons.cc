// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/polygons.h"

#include <array>
#include <cmath>
#include <utility>

namespace coracle::internal {
namespace {

struct Point {
  double x;
  double y;
};

struct Triangle {
  std::array<Point, 3> corners;
};

/// Twice the area of a triangle, positive if its corners go round anticlockwise.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

constexpr size_t kMostCorners = 7;  // a triangle cut by three lines has six

/// Twice the area that two anticlockwise triangles share.
double shared_area(const Triangle& a, const Triangle& b) {
  std::array<Point, kMostCorners> shape{a.corners[0], a.corners[1], a.corners[2]};
  size_t count = 3;
  for (size_t side = 0; side < 3 && count > 0; ++side) {
    const Point& from = b.corners[side];
    const Point& to = b.corners[(side + 1) % 3];
    std::array<Point, kMostCorners> cut{};
    size_t kept = 0;
    for (size_t i = 0; i < count && kept + 2 <= kMostCorners; ++i) {
      const Point& p = shape[i];
      const Point& q = shape[(i + 1) % count];
      const double p_side = turn(from, to, p);
      const double q_side = turn(from, to, q);
      if (p_side >= 0) cut[kept++] = p;
      if ((p_side > 0 && q_side < 0) || (p_side < 0 && q_side > 0)) {
        const double share = p_side / (p_side - q_side);
        cut[kept++] = {p.x + (q.x - p.x) * share, p.y + (q.y - p.y) * share};
      }
    }
    shape = cut;
    count = kept;
  }
  double area = 0;
  for (size_t i = 1; i + 1 < count; ++i) area += turn(shape[0], shape[i], shape[i + 1]);
  return area;
}

Point point(const double* polygon, int64_t i) { return {polygon[2 * i], polygon[2 * i + 1]}; }

/// f(triangle, sign) for the fan around the first point; signed triangles add up to the polygon.
template <class F>
void each_triangle(const double* polygon, int64_t points, const F& f) {
  for (int64_t i = 1; i + 1 < points; ++i) {
    Triangle t{{point(polygon, 0), point(polygon, i), point(polygon, i + 1)}};
    const double area = turn(t.corners[0], t.corners[1], t.corners[2]);
    if (area < 0) std::swap(t.corners[1], t.corners[2]);
    if (area != 0) f(t, area < 0 ? -1.0 : 1.0);
  }
}

/// Twice the area, with the sign of the direction.
double signed_area(const double* polygon, int64_t points) {
  double area = 0;
  for (int64_t i = 1; i + 1 < points; ++i) {
    area += turn(point(polygon, 0), point(polygon, i), point(polygon, i + 1));
  }
  return area;
}

}  // namespace

double polygon_overlap(const double* a, const double* b, int64_t points) {
  double shared = 0;
  each_triangle(a, points, [&](const Triangle& s, double s_sign) {
    each_triangle(b, points, [&](const Triangle& t, double t_sign) { shared += s_sign * t_sign * shared_area(s, t); });
  });
  const double a_area = std::fabs(signed_area(a, points));
  const double b_area = std::fabs(signed_area(b, points));
  shared = std::fabs(shared);
  if (a_area == 0 || b_area == 0 || shared == 0) return 0;
  return shared / (a_area + b_area - shared);
}

}  // namespace coracle::internal
