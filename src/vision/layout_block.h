// SPDX-License-Identifier: Apache-2.0
// A block of a page as the order of reading sees it. Names and numbers are those of PaddleX's pipeline PP-StructureV3.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/vision/document_reader.h"

namespace coracle::vision::reading {

/// Left, top, right, bottom in whole pixels.
using Box = std::array<int, 4>;

/// Along which axis text runs, or something is compared.
enum class Direction { kHorizontal, kVertical };

inline Direction other(Direction d) {
  return d == Direction::kHorizontal ? Direction::kVertical : Direction::kHorizontal;
}
/// Where a box begins along the axis; it ends two further.
inline std::size_t begin_of(Direction d) { return d == Direction::kHorizontal ? 0 : 1; }

/// What a block is for the order. Children go with the block that they belong to.
enum class Role {
  kNone,
  kHeader,
  kFooter,
  kUnordered,
  kDocTitle,
  kDocTitleText,  ///< child of a title of the document
  kParagraphTitle,
  kSubTitle,  ///< child of a title of a paragraph
  kVision,    ///< a picture, table or chart
  kVisionTitle,
  kVisionFootnote,
  kText,
  kCross,  ///< reaches across columns
  kCrossReference,
};

/// Classes of regions that the order treats alike.
enum class Kind { kHeader, kFooter, kDocTitle, kParagraphTitle, kVision, kVisionTitle, kUnordered, kOther };
Kind kind_of(std::string_view label);

struct LayoutBlock {
  /// `sides`: left, top, right, bottom of the region, of which the box has the whole pixels.
  LayoutBlock(std::string label, const std::array<double, 4>& sides);

  void turn_to(Direction d);
  /// The box grows round the child; the child's own children become this block's.
  void adopt(std::vector<LayoutBlock>& blocks, std::size_t self, std::size_t child);
  /// Its children, after which it has none and its own box.
  std::vector<std::size_t> release();

  double long_side() const { return direction == Direction::kHorizontal ? width : height; }
  double short_side() const { return direction == Direction::kHorizontal ? height : width; }
  double centre_x() const { return (box[0] + box[2]) / 2.0; }
  double centre_y() const { return (box[1] + box[3]) / 2.0; }
  BlockFlow flow() const { return {start, end, width, lines, first_start, last_end}; }

  std::string label;
  Box box;
  double width;
  double height;
  double area;
  Role role = Role::kNone;
  Direction direction = Direction::kHorizontal;
  int start = 0;  ///< of the box along the direction, as it was when that was last told
  int end = 0;
  int across_start = 0;
  int across_end = 0;

  std::string text;
  int lines = 1;
  double line_height = 1;                                        ///< mean of its lines
  double line_length = 1;                                        ///< likewise
  double first_start = std::numeric_limits<double>::infinity();  ///< where its first line begins
  double last_end = -std::numeric_limits<double>::infinity();    ///< where its last line ends, of several

  std::vector<std::size_t> children;
  Box own_box{};
};

/// What two boxes share along the axis, as a part of what they cover together, or of the shorter one; 0 where nothing.
double shared_along(const Box& a, const Box& b, Direction d);
double shared_of_shorter(const Box& a, const Box& b, Direction d);

/// What two boxes share as a part of the area that they cover, or of the smaller one's.
double shared_area(const Box& a, const Box& b);
double shared_of_smaller(const std::array<double, 4>& a, const std::array<double, 4>& b);
double shared_of_smaller(const Box& a, const Box& b);

/// The greatest whole number not above a / b, as Python's //; infinity where b is 0.
double whole_parts(double a, double b);

/// Whether a block begins a paragraph, as far as the block before it tells (null: there is none), and ends one.
struct Continuity {
  bool begins = true;
  bool ends = true;
};
Continuity continuity(const BlockFlow& block, const BlockFlow* before);

}  // namespace coracle::vision::reading
