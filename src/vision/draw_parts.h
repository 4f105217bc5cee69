// SPDX-License-Identifier: Apache-2.0
// What the drawings of several answers share.
#pragma once

#include "coracle/vision/predictor.h"
#include "vision/canvas.h"

namespace coracle::vision {

/// A colour for each class, neighbours far apart.
Colour class_colour(int id);
/// The corners of an object's box in whole pixels.
std::array<Point, 4> corners_of(const Object& object);

/// The picture with masks in the colours of their classes, half each, their outlines and their numbers.
Image draw_masks(const Image& image, const std::vector<Object>& objects);
/// The picture with points and the bones between them, but for those that are hardly there.
Image draw_keypoints(const Image& image, const std::vector<Keypoint>& points,
                     const std::vector<std::array<int, 2>>& bones);

}  // namespace coracle::vision
