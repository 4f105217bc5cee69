// SPDX-License-Identifier: Apache-2.0
#include "vision/reading_cuts.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace coracle::vision::reading {
namespace {

constexpr double kMostOverlap = 0.1;  // of two boxes that are drawn apart
constexpr int kTouching = 3;          // pixels between their sides

struct Stretch {
  int from = 0;
  int to = 0;
};

/// What boxes cover of the axis, in ascending order, by the size of their sides; nothing above the greatest one.
std::vector<Stretch> stretches(const std::vector<Box>& boxes, Direction d) {
  const std::size_t i = begin_of(d);
  int least = 0;
  int most = 0;
  for (const Box& box : boxes) {
    least = std::min({least, box.at(i), box.at(i + 2)});
    most = std::max({most, box.at(i), box.at(i + 2)});
  }
  const int limit = least < 0 ? -least : most;
  std::vector<Stretch> all;
  for (const Box& box : boxes) {
    const Stretch one{std::abs(box.at(i)), std::min(std::abs(box.at(i + 2)), limit)};
    if (one.from < one.to) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
  std::vector<Stretch> joined;
  for (const Stretch& one : all) {
    if (joined.empty() || one.from > joined.back().to) {
      joined.push_back(one);
    } else {
      joined.back().to = std::max(joined.back().to, one.to);
    }
  }
  return joined;
}

class Cutter {
 public:
  Cutter(const std::vector<Box>& boxes, Direction first) : boxes_(boxes), first_(first) {}

  std::vector<std::size_t> order() {
    std::vector<std::size_t> all(boxes_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    cut(all);
    std::vector<bool> there(boxes_.size(), false);
    for (const std::size_t i : order_) there[i] = true;
    for (const std::size_t i : all) {
      if (!there[i]) order_.push_back(i);
    }
    return std::move(order_);
  }

 private:
  void cut(const std::vector<std::size_t>& members) {
    const std::vector<std::size_t> sorted = by_start(members, first_);
    std::vector<Stretch> parts = parts_of(sorted, first_);
    for (const Stretch& part : parts) {
      const std::vector<std::size_t> inside = by_start(within(sorted, first_, part), other(first_));
      const std::vector<Stretch> finer = parts_of(inside, other(first_));
      if (finer.size() == 1) order_.insert(order_.end(), inside.begin(), inside.end());
      if (finer.size() < 2) continue;
      for (const Stretch& one : finer) cut(within(inside, other(first_), one));
    }
  }

  int start(std::size_t i, Direction d) const { return boxes_[i].at(begin_of(d)); }

  std::vector<std::size_t> by_start(std::vector<std::size_t> members, Direction d) const {
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return start(a, d) < start(b, d); });
    return members;
  }

  /// In the order of reading, which on a mirrored page is from the right to the left.
  std::vector<Stretch> parts_of(const std::vector<std::size_t>& sorted, Direction d) const {
    if (sorted.empty()) return {};
    std::vector<Box> boxes;
    for (const std::size_t i : sorted) boxes.push_back(boxes_[i]);
    std::vector<Stretch> parts = stretches(boxes, d);
    if (d == Direction::kHorizontal && start(sorted.front(), d) < 0) std::reverse(parts.begin(), parts.end());
    return parts;
  }

  std::vector<std::size_t> within(const std::vector<std::size_t>& members, Direction d, const Stretch& part) const {
    std::vector<std::size_t> found;
    for (const std::size_t i : members) {
      const int at = d == Direction::kHorizontal ? std::abs(start(i, d)) : start(i, d);
      if (part.from <= at && at < part.to) found.push_back(i);
    }
    return found;
  }

  const std::vector<Box>& boxes_;
  Direction first_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::vector<Covered> covered_parts(const std::vector<Box>& boxes, Direction d) {
  const std::size_t i = begin_of(d);
  std::vector<Box> sorted = boxes;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Box& a, const Box& b) { return a.at(i) < b.at(i); });
  std::vector<Covered> parts;
  for (const Box& box : sorted) {
    if (parts.empty() || box.at(i) > parts.back().to) {
      parts.push_back({box.at(i), box.at(i + 2), 1});
    } else {
      parts.back().to = std::max(parts.back().to, box.at(i + 2));
      ++parts.back().boxes;
    }
  }
  return parts;
}

std::vector<std::pair<int, int>> valleys(const std::vector<Box>& boxes, Direction d) {
  const std::size_t i = begin_of(d);
  std::map<int, int> changes{{0, 0}};  // of how many boxes cover a pixel and the next one
  for (const Box& box : boxes) {
    ++changes[box.at(i)];
    --changes[box.at(i + 2)];
  }
  struct Level {
    int from;
    int boxes;
  };
  std::vector<Level> levels;
  int count = 0;
  for (const auto& [at, change] : changes) {
    count += change;
    if (levels.empty() || change != 0) levels.push_back({at, count});
  }
  std::vector<std::pair<int, int>> found;
  // The last level is what is beyond the boxes.
  for (std::size_t n = 0; n + 2 < levels.size(); ++n) {
    const bool falls = n == 0 || levels[n - 1].boxes > levels[n].boxes;
    if (falls && levels[n + 1].boxes > levels[n].boxes) found.emplace_back(levels[n].from, levels[n + 1].from - 1);
  }
  if (found.size() < 2) return {};
  found.erase(found.begin());
  return found;
}

std::vector<std::size_t> order_by_cuts(const std::vector<Box>& boxes, Direction first) {
  return Cutter(boxes, first).order();
}

void draw_apart(std::vector<Box>& boxes, Direction d) {
  const std::size_t from = begin_of(d);
  const std::size_t to = from + 2;
  for (std::size_t n = 1; n < boxes.size(); ++n) {
    Box& a = boxes[n - 1];
    Box& b = boxes[n];
    const double overlap = shared_along(a, b, d);
    const bool little = shared_along(a, b, other(d)) > 0 && overlap > 0 && overlap < kMostOverlap;
    if (!little && std::abs(a.at(to) - b.at(from)) > kTouching) continue;
    const int middle = (std::max(a.at(from), b.at(from)) + std::min(a.at(to), b.at(to))) / 2;
    if (a.at(from) < b.at(from)) {
      a.at(to) = middle - 1;
      b.at(from) = middle + 1;
    } else {  // As PaddleX has it: they keep two pixels in common.
      a.at(from) = middle - 1;
      b.at(to) = middle + 1;
    }
  }
}

}  // namespace coracle::vision::reading
