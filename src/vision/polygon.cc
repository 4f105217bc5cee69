// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

/// A polygon's pixels, in the rectangle of `width` x `height` from the origin on.
class Filled {
 public:
  Filled(int width, int height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  bool has(int x, int y) const { return pixels_[index(x, y)] != 0; }

  /// The line by Bresenham's rule, from its left end on; of one that leaves the rectangle, the line between the
  /// places where it does.
  void line(Point a, Point b) {
    if (!clip(a, b)) return;
    if (b.x < a.x) std::swap(a, b);
    int dx = b.x - a.x;
    int dy = std::abs(b.y - a.y);
    const int down = b.y < a.y ? -1 : 1;
    const bool steep = dy > dx;
    if (steep) std::swap(dx, dy);
    int error = dx - 2 * dy;
    for (int i = 0; i <= dx; ++i) {
      set(a.x, a.y);
      const bool both = error < 0;
      error += (both ? 2 * dx : 0) - 2 * dy;
      if (!steep || both) a.x += 1;
      if (steep || both) a.y += down;
    }
  }

  void fill(const Polygon& polygon) {
    for (std::size_t i = 0; i < polygon.size(); ++i) line(polygon[i == 0 ? polygon.size() - 1 : i - 1], polygon[i]);
    std::vector<std::int64_t> crossings;
    for (int y = 0; y < height_; ++y) {
      crossings.clear();
      for (std::size_t i = 0; i < polygon.size(); ++i)
        add_crossing(polygon[i == 0 ? polygon.size() - 1 : i - 1], polygon[i], y, crossings);
      std::sort(crossings.begin(), crossings.end());
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
        const auto first = static_cast<int>(std::max<std::int64_t>((crossings[i] + kOne - 1) >> kShift, 0));
        const auto last = static_cast<int>(std::min<std::int64_t>(crossings[i + 1] >> kShift, width_ - 1));
        for (int x = first; x <= last; ++x) set(x, y);
      }
    }
  }

 private:
  static constexpr int kShift = 16;
  static constexpr std::int64_t kOne = std::int64_t{1} << kShift;

  /// Where the edge crosses row `y`, in units of 1 / kOne; an edge has its upper end, not its lower one.
  static void add_crossing(Point a, Point b, int y, std::vector<std::int64_t>& crossings) {
    if (a.y == b.y) return;
    if (a.y > b.y) std::swap(a, b);
    if (y < a.y || y >= b.y) return;
    const std::int64_t slope = (b.x - a.x) * kOne / (b.y - a.y);
    crossings.push_back(a.x * kOne + slope * (y - a.y));
  }

  /// Moves the first end into the rectangle, first up or down, then sideways. False if no part of the line is in it.
  bool clip_end(Point& a, const Point& b, bool rows) const {
    const int limit = rows ? height_ - 1 : width_ - 1;
    int& along = rows ? a.y : a.x;
    int& other = rows ? a.x : a.y;
    if (along >= 0 && along <= limit) return true;
    const int to = along < 0 ? 0 : limit;
    const int end = rows ? b.y : b.x;
    if ((along < 0 && end < 0) || (along > limit && end > limit)) return false;
    other += static_cast<int>(static_cast<double>(to - along) * ((rows ? b.x : b.y) - other) / (end - along));
    along = to;
    return true;
  }
  bool clip(Point& a, Point& b) const {
    return clip_end(a, b, true) && clip_end(b, a, true) && clip_end(a, b, false) && clip_end(b, a, false);
  }

  void set(int x, int y) {
    if (x >= 0 && y >= 0 && x < width_ && y < height_) pixels_[index(x, y)] = 1;
  }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_;
  int height_;
  std::vector<std::uint8_t> pixels_;
};

std::int64_t rounded_away(double value) { return static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5); }

struct Vector {
  double x;
  double y;
};

/// Arcs round the corners of a polygon, in steps that stay a quarter of a unit from the circle.
class Arcs {
 public:
  explicit Arcs(double radius) : radius_(radius) {
    const double tolerance = std::min(0.25, radius * 0.25);
    const double steps = std::min(std::numbers::pi / std::acos(1 - tolerance / radius), radius * std::numbers::pi);
    sine_ = std::sin(2 * std::numbers::pi / steps);
    cosine_ = std::cos(2 * std::numbers::pi / steps);
    steps_per_radian_ = steps / (2 * std::numbers::pi);
  }

  /// Round `corner` from the normal of the edge before to that of the edge after.
  void add(const Point& corner, const Vector& before, const Vector& after, Polygon& out) const {
    const double cross = std::clamp(before.x * after.y - after.x * before.y, -1.0, 1.0);
    const double dot = before.x * after.x + before.y * after.y;
    if (std::abs(cross * radius_) < 1.0 && dot > 0) return push(corner, before, out);
    if (cross < 0) {  // A dent: by its corner, so that what lies between the edges is gone round to the right.
      push(corner, before, out);
      out.push_back(corner);
      return push(corner, after, out);
    }
    const auto steps = std::max<std::int64_t>(rounded_away(steps_per_radian_ * std::abs(std::atan2(cross, dot))), 1);
    Vector v = before;
    for (std::int64_t i = 0; i < steps; ++i) {
      push(corner, v, out);
      v = {v.x * cosine_ - sine_ * v.y, v.x * sine_ + v.y * cosine_};
    }
    push(corner, after, out);
  }

 private:
  void push(const Point& corner, const Vector& v, Polygon& out) const {
    out.push_back({static_cast<int>(rounded_away(corner.x + v.x * radius_)),
                   static_cast<int>(rounded_away(corner.y + v.y * radius_))});
  }

  double radius_;
  double sine_ = 0;
  double cosine_ = 0;
  double steps_per_radian_ = 0;
};

std::int64_t twice_area(const Polygon& polygon) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& a = polygon[i];
    const Point& b = polygon[(i + 1) % polygon.size()];
    sum += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return sum;
}

/// The polygon without repeated points, gone round to the left, by the ends of its edges moved outwards and arcs
/// between them. It may cross itself. Nothing where there are less than three points.
Polygon offset(const Polygon& polygon, double distance) {
  Polygon path;
  for (const Point& p : polygon) {
    if (path.empty() || p.x != path.back().x || p.y != path.back().y) path.push_back(p);
  }
  while (path.size() > 1 && path.front().x == path.back().x && path.front().y == path.back().y) path.pop_back();
  if (path.size() < 3 || !(distance > 0)) return path;
  const std::size_t n = path.size();
  if (twice_area(path) < 0) std::reverse(path.begin(), path.end());
  std::vector<Vector> normals;
  for (std::size_t i = 0; i < n; ++i) {
    const double dx = path[(i + 1) % n].x - path[i].x;
    const double dy = path[(i + 1) % n].y - path[i].y;
    const double inverse = 1.0 / std::sqrt(dx * dx + dy * dy);
    normals.push_back({dy * inverse, -dx * inverse});
  }
  const Arcs arcs(distance);
  Polygon grown;
  for (std::size_t i = 0; i < n; ++i) arcs.add(path[i], normals[(i + n - 1) % n], normals[i], grown);
  return grown;
}

}  // namespace

double mean_inside(const float* values, int width, int height, const Polygon& polygon) {
  if (polygon.empty()) return 0;
  const auto by_x = [](const Point& a, const Point& b) { return a.x < b.x; };
  const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
  const auto [left, right] = std::minmax_element(polygon.begin(), polygon.end(), by_x);
  const auto [top, bottom] = std::minmax_element(polygon.begin(), polygon.end(), by_y);
  const int x0 = std::clamp(left->x, 0, width - 1);
  const int y0 = std::clamp(top->y, 0, height - 1);
  const int x1 = std::clamp(right->x, 0, width - 1);
  const int y1 = std::clamp(bottom->y, 0, height - 1);
  Filled mask(x1 - x0 + 1, y1 - y0 + 1);
  Polygon moved;
  for (const Point& p : polygon) moved.push_back({p.x - x0, p.y - y0});
  mask.fill(moved);
  double sum = 0;
  std::int64_t count = 0;
  for (int y = y0; y <= y1; ++y) {
    const float* row = values + static_cast<std::ptrdiff_t>(y) * width;
    for (int x = x0; x <= x1; ++x) {
      if (!mask.has(x - x0, y - y0)) continue;
      sum += static_cast<double>(row[x]);
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double area(const Polygon& polygon) { return static_cast<double>(std::abs(twice_area(polygon))) / 2; }

double perimeter(const Polygon& polygon) {
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& next = polygon[i + 1 < polygon.size() ? i + 1 : 0];
    const auto dx = static_cast<float>(next.x - polygon[i].x);
    const auto dy = static_cast<float>(next.y - polygon[i].y);
    sum += static_cast<double>(std::sqrt(dx * dx + dy * dy));
  }
  return sum;
}

Polygon grow(const Corners& corners, double distance) {
  Polygon polygon;
  for (const PointF& c : corners) polygon.push_back({static_cast<int>(c.x), static_cast<int>(c.y)});
  return offset(polygon, distance);
}

std::vector<Polygon> grow(const Polygon& polygon, double distance) {
  if (polygon.size() < 3 || !(distance > 0)) return {};
  return covered(offset(polygon, distance));
}

}  // namespace coracle::vision
