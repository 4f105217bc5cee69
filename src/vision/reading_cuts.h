// SPDX-License-Identifier: Apache-2.0
// Cuts through the gaps between boxes, by what they cover of an axis.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "vision/layout_block.h"

namespace coracle::vision::reading {

/// A part of an axis that boxes cover without a gap, and how many boxes are there.
struct Covered {
  int from = 0;
  int to = 0;
  int boxes = 0;
};
/// In ascending order. Boxes that touch are in one part.
std::vector<Covered> covered_parts(const std::vector<Box>& boxes, Direction d);

/// The parts of an axis, first and last pixel, that fewer boxes cover than what is on both sides, but for the first
/// one; nothing where fewer than two are.
std::vector<std::pair<int, int>> valleys(const std::vector<Box>& boxes, Direction d);

/// The indices of the boxes in the order in which recursive cuts, across `first` and the other axis in turn, put them.
/// Boxes of mirrored pages have negative sides: from the right to the left. Boxes without any pixel come last.
std::vector<std::size_t> order_by_cuts(const std::vector<Box>& boxes, Direction first);

/// Boxes that follow each other and overlap little along the axis `d`, or touch, are drawn apart; where the second
/// begins before the first they keep two pixels in common.
void draw_apart(std::vector<Box>& boxes, Direction d);

}  // namespace coracle::vision::reading
