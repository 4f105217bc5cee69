// SPDX-License-Identifier: Apache-2.0
// Parts of pictures seen straight on, and turned.
#pragma once

#include "vision/geometry.h"

namespace coracle::vision {

/// What the quadrilateral (top left, top right, bottom right, bottom left) shows, as a picture of `width` x `height`:
/// cubic interpolation, what is outside continues the edge.
Image straighten(const Image& image, const std::array<Point, 4>& corners, int width, int height);

Image quarter_left(const Image& image);
Image upside_down(const Image& image);

}  // namespace coracle::vision
