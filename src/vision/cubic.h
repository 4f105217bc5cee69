// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace coracle::vision {

/// Weights of four neighbours for a place `x` (0 to 1) between the middle two: cubic convolution with a = -0.75.
inline std::array<float, 4> cubic_weights(float x) {
  constexpr float a = -0.75F;
  std::array<float, 4> w{};
  w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
  w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
  w[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
  w[3] = 1.0F - w[0] - w[1] - w[2];
  return w;
}

}  // namespace coracle::vision
