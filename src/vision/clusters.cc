// SPDX-License-Identifier: Apache-2.0
#include "vision/clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

namespace coracle::vision {
namespace {

constexpr int kMostSteps = 300;
constexpr double kSettled = 1e-4;  // of the points' variance: the sum of squares by which centres still move

double square_distance(const PointD& a, const PointD& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/// Numbers from 0 to 1 with 53 bits of a Mersenne twister, which NumPy's RandomState gives, too.
class Chance {
 public:
  double next() {
    const auto high = static_cast<std::uint32_t>(engine_() >> 5U);
    const auto low = static_cast<std::uint32_t>(engine_() >> 6U);
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

 private:
  std::mt19937 engine_{0};
};

/// The first entry of sums that grow which is at least `value`; the last if there is none.
std::size_t first_reaching(const std::vector<double>& sums, double value) {
  const auto at = std::lower_bound(sums.begin(), sums.end(), value);
  return std::min(static_cast<std::size_t>(at - sums.begin()), sums.size() - 1);
}

/// The first centre by chance, each further one the best of some candidates, which are likelier the farther they are.
std::vector<PointD> first_centres(const std::vector<PointD>& points, std::size_t count) {
  Chance chance;
  const auto n = static_cast<double>(points.size());
  const auto first = std::min(static_cast<std::size_t>(chance.next() * n), points.size() - 1);
  std::vector<PointD> centres{points[first]};
  std::vector<double> nearest;
  for (const PointD& p : points) nearest.push_back(square_distance(points[first], p));
  double total = std::accumulate(nearest.begin(), nearest.end(), 0.0);
  const auto candidates = static_cast<std::size_t>(2 + static_cast<int>(std::log(static_cast<double>(count))));
  std::vector<double> sums(points.size());
  std::vector<double> with(points.size());
  while (centres.size() < count) {
    std::partial_sum(nearest.begin(), nearest.end(), sums.begin());
    std::vector<double> draws;
    for (std::size_t i = 0; i < candidates; ++i) draws.push_back(chance.next() * total);
    std::vector<double> best_nearest;
    std::size_t best = 0;
    for (const double draw : draws) {
      const std::size_t candidate = first_reaching(sums, draw);
      for (std::size_t i = 0; i < points.size(); ++i)
        with[i] = std::min(nearest[i], square_distance(points[candidate], points[i]));
      const double sum = std::accumulate(with.begin(), with.end(), 0.0);
      if (!best_nearest.empty() && sum >= total) continue;
      total = sum;
      best_nearest = with;
      best = candidate;
    }
    nearest = std::move(best_nearest);
    centres.push_back(points[best]);
  }
  return centres;
}

std::size_t nearest_centre(const PointD& p, const std::vector<PointD>& centres) {
  std::size_t best = 0;
  double least = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const PointD& c = centres[i];
    const double far = c.x * c.x + c.y * c.y - 2 * (p.x * c.x + p.y * c.y);
    if (i == 0 || far < least) {
      best = i;
      least = far;
    }
  }
  return best;
}

struct Sums {
  std::vector<PointD> sum;
  std::vector<double> weight;
};

/// Gives groups without points those that are farthest from their centres.
void fill_empty(const std::vector<PointD>& points, const std::vector<PointD>& centres,
                const std::vector<std::size_t>& groups, Sums& sums) {
  std::vector<double> far;
  for (std::size_t i = 0; i < points.size(); ++i) far.push_back(square_distance(points[i], centres[groups[i]]));
  if (*std::max_element(far.begin(), far.end()) == 0) return;
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return far[a] > far[b]; });
  std::size_t next = 0;
  for (std::size_t g = 0; g < centres.size(); ++g) {
    if (sums.weight[g] != 0) continue;
    const std::size_t point = order[next++];
    const std::size_t from = groups[point];
    sums.sum[from] = {sums.sum[from].x - points[point].x, sums.sum[from].y - points[point].y};
    sums.weight[from] -= 1;
    sums.sum[g] = points[point];
    sums.weight[g] = 1;
  }
}

std::vector<PointD> centres_of(const std::vector<PointD>& points, const std::vector<PointD>& before,
                               const std::vector<std::size_t>& groups) {
  Sums sums{std::vector<PointD>(before.size()), std::vector<double>(before.size())};
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointD& sum = sums.sum[groups[i]];
    sum = {sum.x + points[i].x, sum.y + points[i].y};
    sums.weight[groups[i]] += 1;
  }
  if (std::find(sums.weight.begin(), sums.weight.end(), 0.0) != sums.weight.end())
    fill_empty(points, before, groups, sums);
  const auto largest =
      static_cast<std::size_t>(std::max_element(sums.weight.begin(), sums.weight.end()) - sums.weight.begin());
  std::vector<PointD> centres(before.size());
  for (std::size_t g = 0; g < centres.size(); ++g) {
    const double part = sums.weight[g] > 0 ? 1 / sums.weight[g] : 0;
    centres[g] = {sums.sum[g].x * part, sums.sum[g].y * part};
  }
  for (std::size_t g = 0; g < centres.size(); ++g) {
    if (!(sums.weight[g] > 0)) centres[g] = centres[largest];
  }
  return centres;
}

/// The points about their mean.
std::vector<PointD> centred(const std::vector<PointD>& points) {
  PointD mean;
  for (const PointD& p : points) mean = {mean.x + p.x, mean.y + p.y};
  const auto n = static_cast<double>(points.size());
  mean = {mean.x / n, mean.y / n};
  std::vector<PointD> result;
  for (const PointD& p : points) result.push_back({p.x - mean.x, p.y - mean.y});
  return result;
}

}  // namespace

std::vector<std::size_t> groups_of(const std::vector<PointD>& points, std::size_t count) {
  const std::vector<PointD> about_mean = centred(points);
  double squares = 0;
  for (const PointD& p : about_mean) squares += p.x * p.x + p.y * p.y;
  const double settled = squares / static_cast<double>(points.size()) / 2 * kSettled;
  std::vector<PointD> centres = first_centres(about_mean, count);
  std::vector<std::size_t> groups;
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<std::size_t> found;
    for (const PointD& p : about_mean) found.push_back(nearest_centre(p, centres));
    if (found == groups) return groups;
    groups = std::move(found);
    const std::vector<PointD> moved = centres_of(about_mean, centres, groups);
    double by = 0;
    for (std::size_t g = 0; g < count; ++g) by += square_distance(moved[g], centres[g]);
    centres = moved;
    if (by <= settled) break;
  }
  for (std::size_t i = 0; i < points.size(); ++i) groups[i] = nearest_centre(about_mean[i], centres);
  return groups;
}

}  // namespace coracle::vision
