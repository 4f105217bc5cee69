// SPDX-License-Identifier: Apache-2.0
// Pictures moved and scaled, without turning.
#pragma once

#include "coracle/vision/image.h"

namespace coracle::vision {

/// Where a picture's pixels come to lie: x * scale_x + shift_x, y * scale_y + shift_y.
struct Placement {
  double scale_x = 1;
  double shift_x = 0;
  double scale_y = 1;
  double shift_y = 0;
};

/// As OpenCV's warpAffine with linear interpolation: places between pixels are told apart by 1 / 32, what is outside is
/// black.
Image placed(const Image& image, const Placement& placement, int width, int height);

}  // namespace coracle::vision
