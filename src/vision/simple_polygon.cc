// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

bool same_place(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

Polygon without_repetitions(const Polygon& outline) {
  Polygon points;
  for (const Point& p : outline) {
    if (points.empty() || !same_place(points.back(), p)) points.push_back(p);
  }
  while (points.size() > 1 && same_place(points.front(), points.back())) points.pop_back();
  return points;
}

int side_of(const Point& a, const Point& b, const Point& p) {
  const std::int64_t t = turn(a, b, p);
  return t > 0 ? 1 : t < 0 ? -1 : 0;
}

/// Whether `p`, on the line through `a` and `b`, lies between them.
bool between(const Point& a, const Point& b, const Point& p) {
  return std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= p.y &&
         p.y <= std::max(a.y, b.y);
}

bool meet(const Point& a, const Point& b, const Point& c, const Point& d) {
  const int c_side = side_of(a, b, c);
  const int d_side = side_of(a, b, d);
  const int a_side = side_of(c, d, a);
  const int b_side = side_of(c, d, b);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && between(a, b, c)) || (d_side == 0 && between(a, b, d)) || (a_side == 0 && between(c, d, a)) ||
         (b_side == 0 && between(c, d, b));
}

/// Whether the way from `a` over `b` to `c` goes back on itself.
bool goes_back(const Point& a, const Point& b, const Point& c) {
  if (side_of(a, b, c) != 0) return false;
  return std::int64_t{b.x - a.x} * (c.x - b.x) + std::int64_t{b.y - a.y} * (c.y - b.y) < 0;
}

struct Corner {
  double x;
  double y;
};

/// The part of a polygon to the left of the line from `a` to `b`, where `left` is 1, or to its right, where it is -1.
std::vector<Corner> cut(const std::vector<Corner>& polygon, const Corner& a, const Corner& b, double left) {
  const auto distance = [&](const Corner& p) { return left * ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)); };
  std::vector<Corner> rest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner& p = polygon[i];
    const Corner& q = polygon[(i + 1) % polygon.size()];
    const double from = distance(p);
    const double to = distance(q);
    if (from >= 0) rest.push_back(p);
    if ((from > 0 && to < 0) || (from < 0 && to > 0)) {
      const double part = from / (from - to);
      rest.push_back({p.x + (q.x - p.x) * part, p.y + (q.y - p.y) * part});
    }
  }
  return rest;
}

double signed_area(const std::vector<Corner>& polygon) {
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner& p = polygon[i];
    const Corner& q = polygon[(i + 1) % polygon.size()];
    sum += p.x * q.y - q.x * p.y;
  }
  return sum / 2;
}

}  // namespace

bool is_simple(const Polygon& outline) {
  const Polygon p = without_repetitions(outline);
  const std::size_t n = p.size();
  if (n < 3) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const Point& a = p[i];
    const Point& b = p[(i + 1) % n];
    if (goes_back(a, b, p[(i + 2) % n])) return false;
    for (std::size_t j = i + 2; j < n; ++j) {
      if ((j + 1) % n != i && meet(a, b, p[j], p[(j + 1) % n])) return false;
    }
  }
  return true;
}

double shared_area(const Polygon& polygon, const Corners& rectangle) {
  std::vector<Corner> rest;
  for (const Point& p : polygon) rest.push_back({static_cast<double>(p.x), static_cast<double>(p.y)});
  std::vector<Corner> round;
  for (const PointF& p : rectangle) round.push_back({static_cast<double>(p.x), static_cast<double>(p.y)});
  const double left = signed_area(round) >= 0 ? 1 : -1;
  for (std::size_t i = 0; i < 4; ++i) rest = cut(rest, round[i], round[(i + 1) % 4], left);
  return std::abs(signed_area(rest));
}

}  // namespace coracle::vision
