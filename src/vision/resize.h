// SPDX-License-Identifier: Apache-2.0
// Pictures in another size, with the same bits as OpenCV: models were trained and measured on its pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// kLanczos counts eight pixels in each direction, in Pillow's way (resample.h) six.
enum class Interpolation { kNearest, kLinear, kCubic, kArea, kLanczos };

/// Throws Error if `width` or `height` is not positive or the picture would have more than 2^27 pixels.
Image resize(const Image& image, int width, int height, Interpolation interpolation = Interpolation::kLinear);

/// The same, with pixels as far from each other as `factor` says, which the sides of the result are rounded from.
Image resize_by(const Image& image, int width, int height, double factor, Interpolation interpolation);

/// One channel of any numbers, by the nearest one.
template <class T>
std::vector<T> resize_nearest(const std::vector<T>& from, int from_width, int from_height, int width, int height) {
  std::vector<T> to(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const double sx = 1.0 / (static_cast<double>(width) / from_width);
  const double sy = 1.0 / (static_cast<double>(height) / from_height);
  auto out = to.begin();
  for (int y = 0; y < height; ++y) {
    const int fy = static_cast<int>(y * sy) < from_height ? static_cast<int>(y * sy) : from_height - 1;
    for (int x = 0; x < width; ++x) {
      const int fx = static_cast<int>(x * sx) < from_width ? static_cast<int>(x * sx) : from_width - 1;
      *out++ = from[static_cast<std::size_t>(fy) * static_cast<std::size_t>(from_width) + static_cast<std::size_t>(fx)];
    }
  }
  return to;
}

}  // namespace coracle::vision
