// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

constexpr std::int8_t kInside = 1;        // Part of a region, on no border that was followed.
constexpr std::int8_t kBorder = 2;        // On a followed border.
constexpr std::int8_t kRightEdge = -126;  // On one, with nothing to the right.

/// Directions in steps of 45 degrees, counter-clockwise from the right.
constexpr std::array<Point, 8> kSteps{{{1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

/// The picture's marks with a frame of zeros.
class Follower {
 public:
  Follower(const std::vector<std::uint8_t>& mask, int width, int height)
      : stride_(width + 2), marks_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height + 2)) {
    for (int y = 0; y < height; ++y) {
      const auto row = mask.begin() + static_cast<std::ptrdiff_t>(y) * width;
      std::transform(row, row + width, &at({1, y + 1}),
                     [](std::uint8_t m) { return m != 0 ? kInside : std::int8_t{0}; });
    }
  }

  std::int8_t& at(Point p) {
    return marks_[static_cast<std::size_t>(p.y) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(p.x)];
  }

  /// Follows the border that begins at `start`, an outer one or that of a hole, marks it and returns the points where
  /// it turns.
  Polygon follow(Point start, bool hole) {
    Polygon corners;
    const int last = hole ? 0 : 4;
    int s = last;
    Point first;
    do {
      s = (s - 1) & 7;
      first = step(start, s);
    } while (at(first) == 0 && s != last);
    if (s == last) {
      at(start) = kRightEdge;
      corners.push_back({start.x - 1, start.y - 1});
      return corners;
    }
    int direction = s ^ 4;
    Point p = start;
    for (;;) {
      const int from = s;
      Point next;
      do {
        next = step(p, ++s & 7);
      } while (at(next) == 0 && s < 15);
      s &= 7;
      if (static_cast<unsigned>(s - 1) < static_cast<unsigned>(from)) {
        at(p) = kRightEdge;
      } else if (at(p) == kInside) {
        at(p) = kBorder;
      }
      if (s != direction) {
        corners.push_back({p.x - 1, p.y - 1});
        direction = s;
      }
      if (same(next, start) && same(p, first)) return corners;
      p = next;
      s = (s + 4) & 7;
    }
  }

 private:
  static Point step(Point p, int direction) {
    const Point& d = kSteps[static_cast<std::size_t>(direction)];
    return {p.x + d.x, p.y + d.y};
  }
  static bool same(Point a, Point b) { return a.x == b.x && a.y == b.y; }

  int stride_;
  std::vector<std::int8_t> marks_;
};

}  // namespace

std::vector<Polygon> find_contours(const std::vector<std::uint8_t>& mask, int width, int height) {
  Follower follower(mask, width, height);
  std::vector<Polygon> contours;
  for (int y = 1; y <= height; ++y) {
    std::int8_t previous = 0;
    for (int x = 1; x <= width + 1; ++x) {
      std::int8_t mark = follower.at({x, y});
      if (mark == previous) continue;
      const bool outer = previous == 0 && mark == kInside;
      const bool hole = mark == 0 && previous >= 1;
      if (outer || hole) {
        contours.push_back(follower.follow({hole ? x - 1 : x, y}, hole));
        mark = follower.at({x, y});
      }
      previous = mark;
    }
  }
  std::reverse(contours.begin(), contours.end());
  return contours;
}

}  // namespace coracle::vision
