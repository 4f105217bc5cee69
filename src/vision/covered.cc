// SPDX-License-Identifier: Apache-2.0
// What a closed path that crosses itself covers: the outlines of the places that it goes round more often to the left
// than to the right. Crossings are fractions, so that nothing depends on rounding until the outline is written.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "vision/geometry.h"

namespace coracle::vision {
namespace {

constexpr std::size_t kMostCrossings = std::size_t{1} << 22;
constexpr int kMostSide = 1 << 14;  // products of four differences fit into 64 bits

std::int64_t cross(const Point& a, const Point& b) { return std::int64_t{a.x} * b.y - std::int64_t{a.y} * b.x; }
std::int64_t dot(const Point& a, const Point& b) { return std::int64_t{a.x} * b.x + std::int64_t{a.y} * b.y; }
Point minus(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }
bool same(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

/// A place by fractions in lowest terms: x / by, y / by.
struct Place {
  std::int64_t x;
  std::int64_t y;
  std::int64_t by;
  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr): none is here
};

Place exact_place(std::int64_t x, std::int64_t y, std::int64_t by) {
  const std::int64_t common = std::gcd(std::gcd(x, y), by);
  return {x / common, y / common, by / common};
}

int rounded_quotient(std::int64_t numerator, std::int64_t by) {
  const std::int64_t twice = 2 * std::abs(numerator) + by;
  const auto whole = static_cast<int>(twice / (2 * by));
  return numerator < 0 ? -whole : whole;
}

/// One way out of a place, along a line that the path follows `count` times more often than against it; as often, for
/// what only joins parts of the path.
struct Way {
  Point direction;
  std::size_t to;
  int count;
  int left = 0;  ///< how often the path goes round what lies to the left
  bool walked = false;
};

/// Anticlockwise from the direction (1, 0) on (with y growing upwards).
bool before(const Way& a, const Way& b) {
  const auto lower = [](const Point& d) { return d.y < 0 || (d.y == 0 && d.x < 0); };
  if (lower(a.direction) != lower(b.direction)) return lower(b.direction);
  return cross(a.direction, b.direction) > 0;
}

/// The path as lines between places that share nothing but their ends.
class Arrangement {
 public:
  explicit Arrangement(const Polygon& path) : path_(path), stops_(path.size()) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      stop(i, {path[i].x, path[i].y, 1}, {0, 1});
      stop(i, {end(i).x, end(i).y, 1}, {1, 1});
    }
    find_crossings();
    link();
    count();
  }

  /// Each outline once, what is covered to its left.
  std::vector<Polygon> outlines() {
    std::vector<Polygon> all;
    for (std::size_t from = 0; from < ways_.size(); ++from) {
      for (std::size_t i = 0; i < ways_[from].size(); ++i) {
        if (is_border(from, i) && !ways_[from][i].walked) all.push_back(walk(from, i));
      }
    }
    return all;
  }

 private:
  /// A place on a line, and how far along it: a fraction from 0 to 1.
  struct Stop {
    std::array<std::int64_t, 2> along;
    std::size_t place;
  };

  const Point& end(std::size_t line) const { return path_[(line + 1) % path_.size()]; }

  void stop(std::size_t line, const Place& at, std::array<std::int64_t, 2> along) {
    stops_[line].push_back({along, places_.try_emplace(at, places_.size()).first->second});
  }

  void find_crossings() {
    std::vector<std::size_t> order(path_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto left = [&](std::size_t i) { return std::min(path_[i].x, end(i).x); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return left(a) < left(b); });
    std::size_t found = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int right = std::max(path_[order[i]].x, end(order[i]).x);
      for (std::size_t j = i + 1; j < order.size() && left(order[j]) <= right; ++j) {
        found += meet(order[i], order[j]) ? 1 : 0;
        if (found > kMostCrossings)
          throw Error(Problem::kUnsupported, "the outline of a region of text crosses itself more than " +
                                                 std::to_string(kMostCrossings) + " times");
      }
    }
  }

  bool meet(std::size_t i, std::size_t j) {
    const Point& a = path_[i];
    const Point& b = path_[j];
    if (std::max(a.y, end(i).y) < std::min(b.y, end(j).y) || std::max(b.y, end(j).y) < std::min(a.y, end(i).y))
      return false;
    const Point along_i = minus(end(i), a);
    const Point along_j = minus(end(j), b);
    const Point apart = minus(b, a);
    std::int64_t by = cross(along_i, along_j);
    if (by == 0) {
      if (cross(apart, along_i) != 0) return false;
      share(i, b);
      share(i, end(j));
      share(j, a);
      share(j, end(i));
      return true;
    }
    std::int64_t on_i = cross(apart, along_j);
    std::int64_t on_j = cross(apart, along_i);
    if (by < 0) {
      by = -by;
      on_i = -on_i;
      on_j = -on_j;
    }
    if (on_i < 0 || on_i > by || on_j < 0 || on_j > by) return false;
    const Place at = exact_place(a.x * by + along_i.x * on_i, a.y * by + along_i.y * on_i, by);
    stop(i, at, {on_i, by});
    stop(j, at, {on_j, by});
    return true;
  }

  /// Of a point on the line's way.
  void share(std::size_t line, const Point& point) {
    const Point along = minus(end(line), path_[line]);
    const std::int64_t at = dot(minus(point, path_[line]), along);
    const std::int64_t whole = dot(along, along);
    if (at >= 0 && at <= whole) stop(line, {point.x, point.y, 1}, {at, whole});
  }

  void link() {
    std::map<std::array<std::size_t, 2>, Way> between;
    for (std::size_t line = 0; line < path_.size(); ++line) {
      std::vector<Stop>& stops = stops_[line];
      std::sort(stops.begin(), stops.end(),
                [](const Stop& a, const Stop& b) { return a.along[0] * b.along[1] < b.along[0] * a.along[1]; });
      const Point along = minus(end(line), path_[line]);
      for (std::size_t i = 1; i < stops.size(); ++i) {
        const std::size_t from = stops[i - 1].place;
        const std::size_t to = stops[i].place;
        if (from < to) {
          between.try_emplace({from, to}, Way{along, to, 0}).first->second.count += 1;
        } else if (to < from) {
          between.try_emplace({to, from}, Way{{-along.x, -along.y}, from, 0}).first->second.count -= 1;
        }
      }
    }
    ways_.resize(places_.size());
    for (const auto& [ends, way] : between) {
      ways_[ends[0]].push_back(way);
      ways_[ends[1]].push_back({{-way.direction.x, -way.direction.y}, ends[0], -way.count});
    }
    for (std::vector<Way>& ways : ways_) std::sort(ways.begin(), ways.end(), before);
    points_.resize(places_.size());
    for (const auto& [at, number] : places_)
      points_[number] = {rounded_quotient(at.x, at.by), rounded_quotient(at.y, at.by)};
  }

  /// Goes over all places from the lowest one on, below which there is nothing.
  void count() {
    std::vector<std::size_t> next;
    std::vector<bool> known(ways_.size());
    const auto reach = [&](std::size_t at, std::size_t way, int left) {
      if (known[at]) return;
      known[at] = true;
      std::vector<Way>& ways = ways_[at];
      for (std::size_t i = 0; i < ways.size(); ++i) {
        ways[way].left = left;
        way = (way + 1) % ways.size();
        left += ways[way].count;
      }
      next.push_back(at);
    };
    for (const std::size_t lowest : from_below()) {
      if (!ways_[lowest].empty()) reach(lowest, ways_[lowest].size() - 1, 0);
      while (!next.empty()) {
        const std::size_t at = next.back();
        next.pop_back();
        for (const Way& way : ways_[at]) {
          const std::size_t back = way_back(at, way);
          reach(way.to, back, way.left + ways_[way.to][back].count);
        }
      }
      if (!ways_[lowest].empty()) return;
    }
  }

  std::vector<std::size_t> from_below() const {
    std::vector<std::size_t> corners;
    for (std::size_t i = 0; i < path_.size(); ++i) corners.push_back(i);
    std::sort(corners.begin(), corners.end(), [&](std::size_t a, std::size_t b) {
      return path_[a].y != path_[b].y ? path_[a].y < path_[b].y : path_[a].x < path_[b].x;
    });
    for (std::size_t& corner : corners) corner = places_.at({path_[corner].x, path_[corner].y, 1});
    return corners;
  }

  /// The number of the same line at its other end.
  std::size_t way_back(std::size_t from, const Way& way) const {
    const std::vector<Way>& ways = ways_[way.to];
    const auto back = std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return w.to == from; });
    return static_cast<std::size_t>(back - ways.begin());
  }

  bool is_border(std::size_t from, std::size_t way) const {
    const Way& w = ways_[from][way];
    return w.left >= 1 && w.left - w.count <= 0;
  }

  Polygon walk(std::size_t from, std::size_t way) {
    Polygon outline;
    while (!ways_[from][way].walked) {
      Way& w = ways_[from][way];
      w.walked = true;
      outline.push_back(points_[from]);
      const std::size_t back = way_back(from, w);
      from = w.to;
      way = back;
      do {
        way = (way + 1) % ways_[from].size();
      } while (!is_border(from, way));
    }
    return outline;
  }

  const Polygon& path_;
  std::vector<std::vector<Stop>> stops_;  ///< by line
  std::map<Place, std::size_t> places_;
  std::vector<std::vector<Way>> ways_;  ///< by place, anticlockwise
  Polygon points_;                      ///< by place
};

/// Without points that are none: repeated ones, and those on the line between their neighbours.
Polygon turning_points(const Polygon& outline) {
  Polygon corners = outline;
  std::size_t kept = 0;  // neighbours that are corners, one after the other
  std::size_t i = 0;
  while (corners.size() > 2 && kept < corners.size()) {
    const std::size_t n = corners.size();
    const Point& p = corners[i];
    const Point& previous = corners[(i + n - 1) % n];
    const Point& next = corners[(i + 1) % n];
    if (same(p, previous) || same(p, next) || cross(minus(p, previous), minus(next, p)) == 0) {
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i));
      i = (i + n - 2) % (n - 1);
      kept = 0;
    } else {
      i = (i + 1) % n;
      ++kept;
    }
  }
  return corners.size() > 2 ? corners : Polygon{};
}

}  // namespace

std::vector<Polygon> covered(const Polygon& given) {
  std::vector<Polygon> outlines;
  Polygon path;
  for (const Point& p : given) {
    if (path.empty() || !same(p, path.back())) path.push_back(p);
  }
  while (path.size() > 1 && same(path.front(), path.back())) path.pop_back();
  if (path.size() < 3) return outlines;
  const auto [left, right] = std::minmax_element(path.begin(), path.end(), [](auto& a, auto& b) { return a.x < b.x; });
  const auto [low, high] = std::minmax_element(path.begin(), path.end(), [](auto& a, auto& b) { return a.y < b.y; });
  if (right->x - left->x > kMostSide || high->y - low->y > kMostSide)
    throw Error(Problem::kUnsupported,
                "a region of text is larger than " + std::to_string(kMostSide) + " pixels of the model's map");
  for (const Polygon& outline : Arrangement(path).outlines()) {
    Polygon corners = turning_points(outline);
    if (!corners.empty()) outlines.push_back(std::move(corners));
  }
  return outlines;
}

}  // namespace coracle::vision
