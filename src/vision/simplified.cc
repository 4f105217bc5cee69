// SPDX-License-Identifier: Apache-2.0
// Outlines by fewer points, the same ones that OpenCV's approxPolyDP keeps.
#include <array>
#include <cmath>
#include <cstdlib>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

struct Offset {
  double x;
  double y;
  Offset(const Point& to, const Point& from) : x(to.x - from.x), y(to.y - from.y) {}
  double dot(const Offset& o) const { return x * o.x + y * o.y; }
  double cross(const Offset& o) const { return y * o.x - x * o.y; }
};

class Simplifier {
 public:
  Simplifier(const Polygon& outline, double tolerance) : outline_(outline), squared_(tolerance * tolerance) {}

  Polygon run() {
    const std::array<std::size_t, 2> ends = far_ends();
    if (Offset(outline_[ends[1]], outline_[ends[0]]).dot(Offset(outline_[ends[1]], outline_[ends[0]])) <= squared_)
      return {outline_[ends[0]]};
    split(ends[0], ends[1]);
    split(ends[1], ends[0]);
    return without_straight();
  }

 private:
  /// Two points that are far apart: three times the farthest from the one before.
  std::array<std::size_t, 2> far_ends() const {
    std::array<std::size_t, 2> ends{};
    for (int i = 0; i < 3; ++i) {
      ends[0] = ends[1];
      double most = 0;
      for (std::size_t j = 1; j < outline_.size(); ++j) {
        const std::size_t at = (ends[0] + j) % outline_.size();
        const Offset apart(outline_[at], outline_[ends[0]]);
        if (apart.dot(apart) <= most) continue;
        most = apart.dot(apart);
        ends[1] = at;
      }
    }
    return ends;
  }

  /// Keeps what is needed of the points from `first` to before `last`.
  void split(std::size_t first, std::size_t last) {
    std::vector<std::array<std::size_t, 2>> parts{{first, last}};
    while (!parts.empty()) {
      const auto [from, to] = parts.back();
      parts.pop_back();
      const Offset whole(outline_[to], outline_[from]);
      double most = 0;
      std::size_t farthest = from;
      for (std::size_t i = (from + 1) % outline_.size(); i != to; i = (i + 1) % outline_.size()) {
        const double off =
            Offset(outline_[i], outline_[from]).cross(whole) * Offset(outline_[i], outline_[from]).cross(whole);
        if (off <= most) continue;
        most = off;
        farthest = i;
      }
      if (most <= squared_ * whole.dot(whole)) {
        kept_.push_back(outline_[from]);
      } else {
        parts.push_back({farthest, to});
        parts.push_back({from, farthest});
      }
    }
  }

  /// Squared: the distance from the line's part, times its length.
  static double distance_times_length(const Point& p, const Point& from, const Point& to, const Offset& whole) {
    const Offset start(p, from);
    const double length = whole.dot(whole);
    const double along = start.dot(whole);
    if (along < 0) return start.dot(start) * length;
    const Offset end(p, to);
    if (along > length) return end.dot(end) * length;
    return start.cross(whole) * start.cross(whole);
  }

  /// Drops points that are nearly on the line between the ones before and after, no two in a row.
  Polygon without_straight() const {
    const std::size_t n = kept_.size();
    Polygon result = kept_;
    std::size_t left = n;
    std::size_t to = 0;
    std::size_t read = 0;
    Point before = kept_.back();
    Point at = kept_.front();
    for (std::size_t i = 0; i < n && left > 2; ++i) {
      read = (read + 1) % n;
      const Point after = result[read];
      const Offset whole(after, before);
      const Offset first(at, before);
      const double off = first.x * whole.y - first.y * whole.x;
      if (off * off <= 0.5 * squared_ * whole.dot(whole) && whole.x != 0 && whole.y != 0 &&
          first.dot(Offset(after, at)) >= 0) {
        --left;
        before = after;
        result[to] = after;
        to = (to + 1) % n;
        read = (read + 1) % n;
        at = result[read];
        ++i;
        continue;
      }
      before = at;
      result[to] = at;
      to = (to + 1) % n;
      at = after;
    }
    result.resize(left);
    return result;
  }

  const Polygon& outline_;
  double squared_;
  Polygon kept_;
};

}  // namespace

Polygon simplified(const Polygon& outline, double tolerance) {
  return outline.size() < 2 ? outline : Simplifier(outline, tolerance).run();
}

}  // namespace coracle::vision
