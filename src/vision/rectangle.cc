// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <numeric>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

using Indices = std::vector<std::size_t>;

/// The hull from the rightmost point on, through the larger y first.
Indices hull_indices(const Polygon& points) {
  Indices order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].x != points[b].x ? points[a].x < points[b].x : points[a].y < points[b].y;
  });
  const auto same = [&](std::size_t a, std::size_t b) {
    return points[a].x == points[b].x && points[a].y == points[b].y;
  };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  if (order.size() < 3) return order;
  Indices hull;
  const auto add = [&](std::size_t i, std::size_t keep) {
    while (hull.size() > keep && turn(points[hull[hull.size() - 2]], points[hull.back()], points[i]) <= 0)
      hull.pop_back();
    hull.push_back(i);
  };
  for (auto i = order.rbegin(); i != order.rend(); ++i) add(*i, 1);
  const std::size_t half = hull.size();
  for (auto i = order.begin() + 1; i != order.end(); ++i) add(*i, half);
  hull.pop_back();
  return hull;
}

/// A polygon that is convex already keeps its first point first, so that what is equally good later is found in the
/// order of the polygon.
void begin_as_given(Indices& hull) {
  const auto ascents = [&](std::size_t first) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < hull.size(); ++i) {
      count += hull[(first + i) % hull.size()] < hull[(first + i + 1) % hull.size()] ? 1 : 0;
    }
    return count;
  };
  const auto low = static_cast<std::size_t>(std::min_element(hull.begin(), hull.end()) - hull.begin());
  const auto high = static_cast<std::size_t>(std::max_element(hull.begin(), hull.end()) - hull.begin());
  if (ascents(low) == hull.size() - 1) {
    std::rotate(hull.begin(), hull.begin() + static_cast<std::ptrdiff_t>(low), hull.end());
  } else if (ascents(high) == 0) {
    std::rotate(hull.begin(), hull.begin() + static_cast<std::ptrdiff_t>(high), hull.end());
  }
}

PointF quarter_right(PointF v) { return {v.y, -v.x}; }
PointF half_turn(PointF v) { return {-v.x, -v.y}; }
PointF turned_left(PointF v) { return {-v.y, v.x}; }

bool is_right_of(PointF a, PointF b) {
  const PointF across = quarter_right(a);
  return across.x * b.x + across.y * b.y < 0;
}

/// A rectangle by a corner and its two sides.
struct Spanned {
  PointF corner;
  PointF along;
  PointF across;
};

/// Rotating calipers: a rectangle of least area has a side along an edge of the hull. In single precision, the last of
/// equally good ones.
Spanned least_area(const Polygon& hull) {
  const std::size_t n = hull.size();
  const auto point = [&](std::size_t i) {
    return PointF{static_cast<float>(hull[i].x), static_cast<float>(hull[i].y)};
  };
  std::vector<PointF> edge(n);
  std::vector<float> inverse_length(n);
  std::size_t left = 0;
  std::size_t right = 0;
  std::size_t low = 0;
  std::size_t high = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (hull[i].x < hull[left].x) left = i;
    if (hull[i].x > hull[right].x) right = i;
    if (hull[i].y > hull[high].y) high = i;
    if (hull[i].y < hull[low].y) low = i;
    const Point& next = hull[(i + 1) % n];
    const double dx = next.x - hull[i].x;
    const double dy = next.y - hull[i].y;
    edge[i] = {static_cast<float>(dx), static_cast<float>(dy)};
    inverse_length[i] = static_cast<float>(1. / std::sqrt(dx * dx + dy * dy));
  }
  std::array<std::size_t, 4> touches = {low, right, high, left};
  float least = std::numeric_limits<float>::max();
  Spanned best{};
  for (std::size_t k = 0; k < n; ++k) {
    const std::array<PointF, 4> turned = {edge[touches[0]], quarter_right(edge[touches[1]]),
                                          half_turn(edge[touches[2]]), turned_left(edge[touches[3]])};
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < 4; ++i) {
      if (is_right_of(turned[i], turned[nearest])) nearest = i;
    }
    const float scale = inverse_length[touches[nearest]];
    const float a = turned[nearest].x * scale;
    const float b = turned[nearest].y * scale;
    touches[nearest] = (touches[nearest] + 1) % n;
    const PointF t0 = point(touches[0]);
    const PointF t1 = point(touches[1]);
    const PointF t2 = point(touches[2]);
    const PointF t3 = point(touches[3]);
    const float width = (t1.x - t3.x) * a + (t1.y - t3.y) * b;
    const float height = -(t2.x - t0.x) * b + (t2.y - t0.y) * a;
    const float size = width * height;
    if (size > least) continue;
    least = size;
    const float c1 = a * t3.x + t3.y * b;
    const float c2 = -b * t0.x + t0.y * a;
    const float inverse = 1.0F / (a * a - -b * b);
    best.corner = {(c1 * a - c2 * b) * inverse, (a * c2 - -b * c1) * inverse};
    best.along = {a * width, b * width};
    best.across = {-b * height, a * height};
  }
  return best;
}

float length_of(PointF v) {
  return static_cast<float>(std::sqrt(static_cast<double>(v.x) * static_cast<double>(v.x) +
                                      static_cast<double>(v.y) * static_cast<double>(v.y)));
}

/// A rectangle by its centre, sides and angle.
struct Turned {
  PointF centre;
  float width = 0;
  float height = 0;
  float degrees = 0;

  Corners corners() const {
    const double radians = static_cast<double>(degrees) * std::numbers::pi / 180.;
    const float b = static_cast<float>(std::cos(radians)) * 0.5F;
    const float a = static_cast<float>(std::sin(radians)) * 0.5F;
    Corners p;
    p[0] = {centre.x - a * height - b * width, centre.y + b * height - a * width};
    p[1] = {centre.x + a * height - b * width, centre.y - b * height - a * width};
    p[2] = {2 * centre.x - p[0].x, 2 * centre.y - p[0].y};
    p[3] = {2 * centre.x - p[1].x, 2 * centre.y - p[1].y};
    return p;
  }
};

Turned rectangle_round(const Polygon& hull) {
  if (hull.empty()) return {};
  const PointF first{static_cast<float>(hull[0].x), static_cast<float>(hull[0].y)};
  if (hull.size() == 1) return {.centre = first};
  PointF along;
  Turned r;
  if (hull.size() == 2) {
    const PointF second{static_cast<float>(hull[1].x), static_cast<float>(hull[1].y)};
    along = {second.x - first.x, second.y - first.y};
    r = {.centre = {(first.x + second.x) * 0.5F, (first.y + second.y) * 0.5F}, .width = length_of(along), .height = 0};
  } else {
    const Spanned s = least_area(hull);
    along = s.along;
    r = {.centre = {s.corner.x + (s.along.x + s.across.x) * 0.5F, s.corner.y + (s.along.y + s.across.y) * 0.5F},
         .width = length_of(s.along),
         .height = length_of(s.across)};
  }
  const auto angle = static_cast<float>(std::atan2(static_cast<double>(along.y), static_cast<double>(along.x)));
  r.degrees = static_cast<float>(static_cast<double>(angle) * 180 / std::numbers::pi);
  return r;
}

}  // namespace

Polygon convex_hull(const Polygon& points) {
  Indices indices = hull_indices(points);
  if (indices.size() > 2) begin_as_given(indices);
  Polygon hull;
  for (const std::size_t i : indices) hull.push_back(points[i]);
  return hull;
}

Rectangle smallest_rectangle(const Polygon& points) {
  const Turned turned = rectangle_round(convex_hull(points));
  Corners p = turned.corners();
  std::stable_sort(p.begin(), p.end(), [](const PointF& a, const PointF& b) { return a.x < b.x; });
  if (!(p[1].y > p[0].y)) std::swap(p[0], p[1]);
  if (!(p[3].y > p[2].y)) std::swap(p[2], p[3]);
  return {{p[0], p[2], p[3], p[1]}, std::min(turned.width, turned.height)};
}

double area(const Corners& corners) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const PointF& a = corners[i];
    const PointF& b = corners[(i + 1) % 4];
    sum += static_cast<double>(a.x) * static_cast<double>(b.y) - static_cast<double>(a.y) * static_cast<double>(b.x);
  }
  return std::abs(sum) / 2;
}

double perimeter(const Corners& corners) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const float dx = corners[(i + 1) % 4].x - corners[i].x;
    const float dy = corners[(i + 1) % 4].y - corners[i].y;
    sum += static_cast<double>(std::sqrt(dx * dx + dy * dy));
  }
  return sum;
}

double distance(const Point& a, const Point& b) {
  const double x = a.x - b.x;
  const double y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

}  // namespace coracle::vision
