// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/answers.h"

namespace coracle::vision {
namespace {

constexpr int kRadius = 4;

/// Which pixels have one of the value `looked_for` within the radius; nothing is beyond the edges.
std::vector<std::uint8_t> near_to(const std::vector<std::uint8_t>& mask, int width, int height,
                                  std::uint8_t looked_for) {
  const auto at = [&](int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  };
  std::vector<std::uint8_t> found(mask.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (mask[at(x, y)] != looked_for) continue;
      for (int dy = -kRadius; dy <= kRadius; ++dy) {
        if (y + dy < 0 || y + dy >= height) continue;
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
          if (x + dx >= 0 && x + dx < width && dx * dx + dy * dy <= kRadius * kRadius) found[at(x + dx, y + dy)] = 1;
        }
      }
    }
  }
  return found;
}

/// Only where a disc has place: eroded, then dilated.
std::vector<std::uint8_t> opened(const std::vector<std::uint8_t>& mask, int width, int height) {
  std::vector<std::uint8_t> inner = near_to(mask, width, height, 0);
  for (std::uint8_t& m : inner) m = m == 0 ? 1 : 0;
  return near_to(inner, width, height, 1);
}

}  // namespace

AnomalyMap anomaly_map(const float* scores, int width, int height, float threshold) {
  AnomalyMap map;
  map.width = width;
  map.height = height;
  map.scores.assign(scores, scores + static_cast<std::ptrdiff_t>(width) * height);
  double sum = 0;
  map.greatest = map.scores[0];
  std::vector<std::uint8_t> above;
  for (const float s : map.scores) {
    sum += static_cast<double>(s);
    map.greatest = std::max(map.greatest, s);
    above.push_back(s > threshold ? 1 : 0);
  }
  map.mean = static_cast<float>(sum / static_cast<double>(map.scores.size()));
  map.marked = opened(above, width, height);
  return map;
}

}  // namespace coracle::vision
