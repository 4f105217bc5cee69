// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vision/clusters.h"
#include "vision/geometry.h"

namespace coracle::vision {

/// The long sides of a line of text, from one end to the other and back.
struct Sides {
  Polygon first;
  Polygon second;
};

/// The ends of a line, given by its outline of at least 4 points, are the two edges that turn most, lie farthest from
/// the middle and best apart from each other; of 4 points the short ones, or the upright ones where none is half as
/// long as the others. After DRRG (Zhang and others 2020) as PaddleX has it.
Sides sides_of(const Polygon& outline);

}  // namespace coracle::vision
