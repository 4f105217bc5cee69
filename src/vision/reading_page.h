// SPDX-License-Identifier: Apache-2.0
// The blocks of a page with what holds for all of them, and the steps from which their order follows.
#pragma once

#include <cstddef>
#include <vector>

#include "vision/layout_block.h"

namespace coracle::vision::reading {

struct Page {
  /// `box` is what all blocks lie in.
  Page(std::vector<LayoutBlock> all, const Box& box);

  std::vector<LayoutBlock> blocks;
  Direction direction;      ///< that of most of its text
  double line_height = 10;  ///< mean of the blocks of text
  double line_length = 20;
  double centre;  ///< along the direction
  // Indices of blocks by kind, without those that became children of others.
  std::vector<std::size_t> headers;
  std::vector<std::size_t> footers;
  std::vector<std::size_t> unordered;
  std::vector<std::size_t> paragraph_titles;
  std::vector<std::size_t> vision_titles;
  std::vector<std::size_t> texts;
};

/// Says what the block is for the order, and finds the blocks that belong to it.
void tell_role(Page& page, std::size_t block);

/// How far two boxes are from each other, of which each side counts as much as its weight.
struct EdgeWeights {
  double left = 1;
  double right = 1;
  double up = 1;
  double down = 1;
};
double edge_distance(const Box& a, const Box& b, const EdgeWeights& weights = {});

/// Blocks across columns, of these, get a role of their own. Sorts the blocks from the left.
void tell_crossing(Page& page, std::vector<std::size_t>& members);

/// From top to bottom, in lines of the page; of a vertical page from the right.
void sort_by_lines(const Page& page, std::vector<std::size_t>& members);

/// Puts blocks that were left out between those that are in order, each where it is nearest.
void insert_left_out(const Page& page, std::vector<std::size_t> left_out, std::vector<std::size_t>& ordered);

/// The order of all blocks.
std::vector<std::size_t> order_of(Page& page);

}  // namespace coracle::vision::reading
