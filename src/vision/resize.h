// SPDX-License-Identifier: Apache-2.0
// Pictures in another size, with the same bits as OpenCV: models were trained and measured on its pictures.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// kLanczos counts eight pixels in each direction, in Pillow's way (resample.h) six.
enum class Interpolation { kNearest, kLinear, kCubic, kArea, kLanczos };

/// For one place along an axis of the result: the source indices round it, clamped to the picture, and their weights,
/// in units of 1 / 2048.
template <std::size_t N>
struct Tap {
  std::array<int, N> at;
  std::array<int, N> weight;
};

/// What resize() does by kLinear along an axis that has `from` pixels and is to have `to`: first along rows, then down.
std::vector<Tap<2>> linear_taps_of_rows(int from, int to);
std::vector<Tap<2>> linear_taps_down(int from, int to);
/// The values of a row of the result, from two rows that were summed with the weights of their taps.
void join_linear(const std::array<const int*, 2>& rows, const Tap<2>& tap, int values, std::uint8_t* out);

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
