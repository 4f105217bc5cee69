// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "vision/reading_page.h"

namespace coracle::vision::reading {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kEdgeWeight = 1e4;
constexpr double kLeftWeight = 1e-4;
constexpr double kSameEdge = 2;  // Pixels between upper edges that count as one.

double square_from_origin(const LayoutBlock& b) { return b.centre_x() * b.centre_x() + b.centre_y() * b.centre_y(); }

EdgeWeights weights_of(const LayoutBlock& b) {
  if (b.role == Role::kDocTitle) {
    return b.direction == Direction::kHorizontal ? EdgeWeights{1, 0.1, 0.1, 1} : EdgeWeights{0.2, 0.1, 1, 1};
  }
  return b.role == Role::kParagraphTitle ? EdgeWeights{1, 1, 0.1, 1} : EdgeWeights{1, 1, 1, 0.1};
}

bool is_vision_or_title(const LayoutBlock& b) {
  const Kind kind = kind_of(b.label);
  return kind == Kind::kVision || kind == Kind::kVisionTitle;
}

int half_down(int value) { return value >= 0 ? value / 2 : (value - 1) / 2; }

/// Whether a block comes after one that is in order.
bool comes_after(const Page& page, const LayoutBlock& block, const LayoutBlock& there) {
  if (half_down(block.box[1]) != half_down(there.box[1])) return block.box[1] > there.box[1];
  if (page.direction == Direction::kHorizontal) {
    if (half_down(block.box[0]) != half_down(block.box[2])) return block.box[0] > there.box[0];
  } else if (block.box[0] != block.box[2]) {
    return -block.box[2] > -there.box[2];
  }
  return square_from_origin(block) > square_from_origin(there);
}

bool goes_on(const Page& page, std::size_t block, std::size_t before) {
  const BlockFlow flow = page.blocks[before].flow();
  return !continuity(page.blocks[block].flow(), &flow).begins;
}

void insert_at(std::vector<std::size_t>& list, std::size_t place, std::size_t value) {
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(std::min(place, list.size())), value);
}

/// The place of a block beside the nearest of those in order. Of those that are as near the highest, then the leftmost
/// counts; below blocks the lowest. Pictures do not part paragraphs that go on.
std::size_t nearest_place(const Page& page, const LayoutBlock& block, const std::vector<std::size_t>& ordered) {
  const bool horizontal = page.direction == Direction::kHorizontal;
  const bool ordinary = kind_of(block.label) != Kind::kUnordered;
  double tolerance = kSameEdge;
  double least = kInfinite;
  double least_edge = kInfinite;
  std::size_t place = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const LayoutBlock& there = page.blocks[ordered[i]];
    double distance = edge_distance(block.box, there.box, weights_of(block));
    if (kind_of(block.label) == Kind::kDocTitle) tolerance = std::max({tolerance, 1.0, page.line_length});
    if (block.label == "abstract") {
      tolerance *= 2;
      distance = std::max(0.1, distance) * 10;
    }
    double edge = horizontal ? there.box[1] : -there.box[2];
    double left = horizontal ? there.box[0] : there.box[1];
    const bool below = horizontal ? there.box[3] < block.box[1] : there.box[0] > block.box[2];
    if (ordinary && below) {
      edge = -edge;
      left = -left;
    }
    if (std::abs(least_edge - edge) <= tolerance) edge = least_edge;
    const double weighted = distance * kEdgeWeight + edge + left * kLeftWeight;
    least_edge = std::min(edge, least_edge);
    if (weighted >= least) continue;
    least = weighted;
    if (comes_after(page, block, there)) {
      place = i + 1;
      if (i + 1 < ordered.size() && is_vision_or_title(block) && goes_on(page, ordered[i + 1], ordered[i])) ++place;
    } else {
      place = i;
      if (i > 0 && is_vision_or_title(block) && goes_on(page, ordered[i], ordered[i - 1])) --place;
    }
  }
  return place;
}

/// The place after the rightmost, then lowest block above a list of references.
std::size_t reference_place(const Page& page, const LayoutBlock& block, const std::vector<std::size_t>& ordered) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::size_t place = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const Box& there = page.blocks[ordered[i]].box;
    const std::int64_t distance = -(std::int64_t{there[2]} * 10 + there[3]);
    if (there[3] > block.box[1] || distance >= least) continue;
    least = distance;
    place = i;
  }
  return place + 1;
}

}  // namespace

void sort_by_lines(const Page& page, std::vector<std::size_t>& members) {
  const bool horizontal = page.direction == Direction::kHorizontal;
  const auto key = [&](std::size_t n) {
    const LayoutBlock& b = page.blocks[n];
    const double x = b.centre_x();
    const double y = b.centre_y();
    return horizontal ? std::tuple(whole_parts(b.box[1], page.line_height), whole_parts(b.box[0], page.line_length),
                                   x * x + y * y)
                      : std::tuple(whole_parts(-b.box[2], page.line_length), whole_parts(b.box[1], page.line_height),
                                   y * y - x * x);
  };
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}

void insert_left_out(const Page& page, std::vector<std::size_t> left_out, std::vector<std::size_t>& ordered) {
  sort_by_lines(page, left_out);
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    const LayoutBlock& block = page.blocks[left_out[i]];
    std::size_t place = 0;
    if (block.role == Role::kCrossReference) {
      place = reference_place(page, block, ordered);
    } else if (i > 0 || block.role != Role::kDocTitle) {
      place = nearest_place(page, block, ordered);
    }
    insert_at(ordered, place, left_out[i]);
  }
}

}  // namespace coracle::vision::reading
