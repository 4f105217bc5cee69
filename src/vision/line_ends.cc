// SPDX-License-Identifier: Apache-2.0
#include "vision/line_ends.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace coracle::vision {
namespace {

constexpr double kNothing = 1e-8;  // Added to lengths, so that none is 0.
constexpr double kLong = 2;

/// The edge from point `index` to the next one.
PointD edge(const Polygon& outline, std::size_t index) {
  const Point& a = outline[index % outline.size()];
  const Point& b = outline[(index + 1) % outline.size()];
  return {static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y)};
}

double angle(const PointD& a, const PointD& b) {
  const double a_length = std::sqrt(a.x * a.x + a.y * a.y) + kNothing;
  const double b_length = std::sqrt(b.x * b.x + b.y * b.y) + kNothing;
  const double cosine = (a.x / a_length) * (b.x / b_length) + (a.y / a_length) * (b.y / b_length);
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

/// How much each edge looks like an end.
std::vector<double> end_scores(const Polygon& outline) {
  const std::size_t n = outline.size();
  PointD middle;
  for (const Point& p : outline) middle = {middle.x + p.x, middle.y + p.y};
  middle = {middle.x / static_cast<double>(n), middle.y / static_cast<double>(n)};
  std::vector<double> far;
  for (const Point& p : outline) {
    const double x = p.x - middle.x;
    const double y = p.y - middle.y;
    far.push_back(std::sqrt(x * x + y * y));
  }
  std::vector<double> edge_far;
  for (std::size_t i = 0; i < n; ++i) edge_far.push_back(std::max(far[(i + 1) % n], far[i]));
  const double farthest = *std::max_element(edge_far.begin(), edge_far.end());
  std::vector<double> scores;
  for (std::size_t i = 0; i < n; ++i) {
    const PointD before = edge(outline, i + n - 1);
    const PointD after = edge(outline, i + 1);
    const PointD self = edge(outline, i);
    const double turns = (angle(self, before) + angle(self, after)) / std::numbers::pi;
    const double between = angle(before, after) / std::numbers::pi;
    double score = 0.5 * turns + 0.15 * between;
    score += 0.35 * (edge_far[i] / farthest);
    if (n % 2 == 0 && (i == n / 2 - 1 || i == n - 1)) score += 0.1;
    scores.push_back(score);
  }
  return scores;
}

struct LineEnds {
  std::size_t head;  ///< edges, by their first points
  std::size_t tail;
};

LineEnds best_ends(const std::vector<double>& scores) {
  const std::size_t n = scores.size();
  // The tail lies best opposite the head.
  std::vector<double> apart;
  for (std::size_t i = 0; i + 3 < n; ++i) {
    const double off = (static_cast<double>(i) / static_cast<double>(n - 4) - 0.5) / 0.5;
    apart.push_back(1.0 / (std::sqrt(2.0 * std::numbers::pi) * 0.5) * std::exp(-(off * off) / 2));
  }
  const double most = *std::max_element(apart.begin(), apart.end());
  for (double& a : apart) a /= most;
  LineEnds best{0, 2};
  double best_score = 0;
  for (std::size_t head = 0; head < n; ++head) {
    for (std::size_t i = 0; i < apart.size(); ++i) {
      const double score = scores[head] + scores[(head + i + 2) % n] * apart[i] * 0.3;
      if ((head == 0 && i == 0) || score > best_score) {
        best_score = score;
        best = {head, (head + i + 2) % n};
      }
    }
  }
  return best;
}

LineEnds ends_of_four(const Polygon& p) {
  const auto steep = [&](std::size_t i) {
    const PointD e = edge(p, i);
    return std::abs(e.y / (e.x + kNothing));
  };
  const auto length = [&](std::size_t i) {
    const PointD e = edge(p, i);
    return std::sqrt(e.x * e.x + e.y * e.y);
  };
  const bool level = steep(0) + steep(2) < steep(1) + steep(3);  // The first and third edges.
  const LineEnds flat = level ? LineEnds{0, 2} : LineEnds{3, 1};
  const LineEnds upright = level ? LineEnds{3, 1} : LineEnds{0, 2};
  const bool runs_down = length(upright.head) + length(upright.tail) > (length(flat.head) + length(flat.tail)) * kLong;
  return runs_down ? flat : upright;
}

}  // namespace

Sides sides_of(const Polygon& outline) {
  const std::size_t n = outline.size();
  LineEnds ends = n > 4 ? best_ends(end_scores(outline)) : ends_of_four(outline);
  std::size_t head_end = (ends.head + 1) % n;
  std::size_t tail_end = (ends.tail + 1) % n;
  if (n > 4 && head_end > tail_end) std::swap(head_end, tail_end);
  if (tail_end == 0) tail_end = n;
  Sides sides;
  for (std::size_t i = head_end; i < tail_end; ++i) sides.first.push_back(outline[i % n]);
  for (std::size_t i = tail_end; i < head_end + n; ++i) sides.second.push_back(outline[i % n]);
  return sides;
}

}  // namespace coracle::vision
