// SPDX-License-Identifier: Apache-2.0
// Pictures in another size, with the bits of Pillow before 13, which goes through rows before columns: where one is
// made smaller, all pixels count that fall into one of the result.
#pragma once

#include "vision/resize.h"

namespace coracle::vision {

/// kArea is Pillow's BOX. Throws Error if `width` or `height` is not positive or the picture would have more than 2^27
/// pixels.
Image resample(const Image& image, int width, int height, Interpolation interpolation);

}  // namespace coracle::vision
