// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "vision/draw_parts.h"
#include "vision/mask.h"

namespace coracle::vision {
namespace {

/// A place within the mask, where it is tall and not far from its middle.
std::optional<Point> middle_of(const Mask& mask) {
  const auto height = static_cast<std::uint32_t>(mask.height);
  double area = 0;
  double sum = 0;
  std::uint32_t longest = 0;
  const auto each_run = [&](const auto& f) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < mask.counts.size(); ++i) {
      const std::uint32_t count = mask.counts[i];
      if (i % 2 == 1 && count > 0) f(at + count / 2, count);
      at += count;
    }
  };
  each_run([&](std::uint32_t place, std::uint32_t count) {
    area += count;
    const std::uint32_t column = place / height;
    sum += static_cast<double>(count) * column;
    longest = std::max(longest, count);
  });
  std::optional<Point> best;
  double distance = 0;
  each_run([&](std::uint32_t place, std::uint32_t count) {
    const std::uint32_t column = place / height;
    const double away = std::abs(column - sum / area);
    if (count < longest - longest / 2 || (best && away >= distance)) return;
    best = Point{static_cast<int>(column), static_cast<int>(place % height)};
    distance = away;
  });
  return best;
}

}  // namespace

void Canvas::mask(const Mask& mask, const Colour& colour) {
  const Part part = bounds(mask);
  const std::vector<std::uint8_t> pixels = mask.pixels();
  const auto inside = [&](int x, int y) {
    return x >= 0 && y >= 0 && x < mask.width && y < mask.height &&
           pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(mask.width) + static_cast<std::size_t>(x)] !=
               0;
  };
  for (int y = part.top; y < part.bottom; ++y) {
    for (int x = part.left; x < part.right; ++x) {
      if (inside(x, y)) mix(x, y, colour);
    }
  }
  for (int y = part.top; y < part.bottom; ++y) {
    for (int x = part.left; x < part.right; ++x) {
      const bool edge = inside(x, y) && !(inside(x - 1, y) && inside(x + 1, y) && inside(x, y - 1) && inside(x, y + 1));
      if (edge) dot({x, y}, colour);
    }
  }
}

Image draw_masks(const Image& image, const std::vector<Object>& objects) {
  Canvas canvas(image);
  std::vector<std::array<Point, 4>> boxes;
  for (const Object& o : objects) {
    if (o.mask && o.mask->width == image.width && o.mask->height == image.height)
      canvas.mask(*o.mask, class_colour(o.id + 1));
    boxes.push_back(corners_of(o));
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Colour colour = class_colour(objects[i].id + 1);
    const std::optional<Point> middle = objects[i].mask ? middle_of(*objects[i].mask) : std::nullopt;
    if (!middle || !canvas.number(i + 1, *middle, colour)) canvas.number(i + 1, i, boxes, colour);
  }
  return canvas.take();
}

}  // namespace coracle::vision
