// SPDX-License-Identifier: Apache-2.0
#include "vision/affine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "vision/limits.h"

namespace coracle::vision {
namespace {

constexpr int kAffineBits = 5;  // Places between pixels are told apart by 1 / 32,
constexpr int kAffinePlaces = 1 << kAffineBits;
constexpr int kSumSteps = 1 << 10;  // in sums of steps of 1 / 1024.

std::int64_t steps(double value) {
  constexpr double most = std::numeric_limits<int>::max();
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(value * kSumSteps, -most, most)));
}

/// In units of 1 / kPlaces.
std::int64_t in_places(std::int64_t value) { return (value + kSumSteps / kAffinePlaces / 2) >> 5; }

}  // namespace

Image placed(const Image& image, const Placement& p, int width, int height) {
  check_size(width, height);
  const double inverse = 1 / (p.scale_x * p.scale_y);
  const double across = p.scale_y * inverse;
  const double down = p.scale_x * inverse;
  const double left = -across * p.shift_x;
  const double top = -down * p.shift_y;
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    const std::int64_t v = in_places(steps(down * y + top));
    const auto below = static_cast<int>(v & (kAffinePlaces - 1));
    std::uint8_t* out = result.row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      const std::int64_t u = in_places(steps(left) + steps(across * x));
      const auto beside = static_cast<int>(u & (kAffinePlaces - 1));
      std::array<int, 3> sum{};
      for (int i = 0; i < 4; ++i) {
        const std::int64_t row = (v >> kAffineBits) + i / 2;
        const std::int64_t column = (u >> kAffineBits) + i % 2;
        if (row < 0 || column < 0 || row >= image.height || column >= image.width) continue;
        const int weight =
            (i / 2 == 0 ? kAffinePlaces - below : below) * (i % 2 == 0 ? kAffinePlaces - beside : beside);
        const std::uint8_t* pixel = image.row(static_cast<int>(row)) + 3 * column;
        for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c] * weight;
      }
      constexpr int kAll = kAffinePlaces * kAffinePlaces;
      for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>((sum[c] + kAll / 2) / kAll);
    }
  }
  return result;
}

}  // namespace coracle::vision
