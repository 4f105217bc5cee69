// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "vision/draw_parts.h"

namespace coracle::vision {
namespace {

constexpr float kVisible = 0.1F;  // Points of a lower score are not drawn.
constexpr Colour kPoint{30, 30, 220};
constexpr double kMostAway = 1e6;

/// Points may lie beside the picture, but not so far that a line there takes long.
Point pixel_of(const Keypoint& k) {
  const auto whole = [](float at) {
    return static_cast<int>(std::clamp(std::isnan(at) ? 0.0 : static_cast<double>(at), -kMostAway, kMostAway));
  };
  return {whole(k.x), whole(k.y)};
}

}  // namespace

Image draw_keypoints(const Image& image, const std::vector<Keypoint>& points,
                     const std::vector<std::array<int, 2>>& bones) {
  Canvas canvas(image);
  const auto visible = [](const Keypoint& k) { return k.score >= kVisible; };
  int number = 0;
  for (const auto& [from, to] : bones) {
    const Keypoint& a = points[static_cast<std::size_t>(from)];
    const Keypoint& b = points[static_cast<std::size_t>(to)];
    ++number;
    if (visible(a) && visible(b)) canvas.line(pixel_of(a), pixel_of(b), class_colour(number));
  }
  for (const Keypoint& k : points) {
    if (!visible(k)) continue;
    const Point p = pixel_of(k);
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) canvas.dot({p.x + x, p.y + y}, kPoint);
    }
  }
  return canvas.take();
}

}  // namespace coracle::vision
