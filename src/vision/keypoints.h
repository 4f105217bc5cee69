// SPDX-License-Identifier: Apache-2.0
// The points of a body out of heat maps.
#pragma once

#include <array>
#include <span>

#include "vision/affine.h"
#include "vision/answers.h"
#include "vision/geometry.h"

namespace coracle::vision {

/// What is usual to call the points of a body, and which of them belong together.
struct Skeleton {
  std::span<const char* const> names;
  std::span<const std::array<int, 2>> bones;
};
/// COCO's of 17 points, MPII's of 16, none of other numbers.
Skeleton skeleton_of(std::size_t points);

/// How a person, who takes up the whole of a picture, is brought into a plane: middle to middle, width to width.
Placement person_placement(int picture_width, int picture_height, int width, int height);

/// The hottest place of each map (`points` x height x width), moved to the top of the bell that the neighbours'
/// logarithms make (DARK, Zhang et al. 2020), in the picture's pixels.
std::vector<Keypoint> keypoints(const float* maps, std::size_t points, int width, int height, int picture_width,
                                int picture_height, const Description& d);
/// The same of a model's output; `bones`: which of the list are joined.
std::vector<Keypoint> keypoints_of(const Output& maps, const Prepared& prepared, const Description& d,
                                   std::vector<std::array<int, 2>>& bones);

}  // namespace coracle::vision
