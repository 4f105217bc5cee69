// SPDX-License-Identifier: Apache-2.0
// Parts of pictures seen straight on, and turned.
#pragma once

#include "vision/geometry.h"

namespace coracle::vision {

/// What the quadrilateral (top left, top right, bottom right, bottom left) shows, as a picture of `width` x `height`:
/// cubic interpolation, what is outside continues the edge.
Image straighten(const Image& image, const Corners& corners, int width, int height);
/// The same with linear interpolation, and black outside the image. The quadrilateral is mapped to `wide` x `high`
/// pixels, of which the picture has whole ones.
Image straighten_linearly(const Image& image, const Corners& corners, float wide, float high);

/// Draws a picture into a quadrilateral of another, by its nearest pixels; the darker one of both stays.
void place(const Image& part, const std::array<Point, 4>& corners, Image& onto);

Image quarter_left(const Image& image);
/// Turned anticlockwise by 0, 90, 180 or 270 degrees, pixel by pixel.
Image turned_exactly(const Image& image, int degrees);
Image upside_down(const Image& image);
/// Turned anticlockwise by 0, 90, 180 or 270 degrees about the point (width / 2, height / 2), as OpenCV's affine maps
/// do it: pixels lie at integers, so the first row, column or both are black and as many on the other side are
/// lost.
Image turned(const Image& image, int degrees);

}  // namespace coracle::vision
