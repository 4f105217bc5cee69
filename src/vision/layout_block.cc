// SPDX-License-Identifier: Apache-2.0
#include "vision/layout_block.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace coracle::vision::reading {
namespace {

constexpr double kEdgeTolerance = 10;  // Pixels between a line and the edge of its column where the line is full.

template <class Sides>
double area_of_sides(const Sides& s) {
  return std::abs((static_cast<double>(s[2]) - static_cast<double>(s[0])) *
                  (static_cast<double>(s[3]) - static_cast<double>(s[1])));
}

template <class Sides>
double area_of_both(const Sides& a, const Sides& b) {
  const double width = static_cast<double>(std::min(a[2], b[2])) - static_cast<double>(std::max(a[0], b[0]));
  const double height = static_cast<double>(std::min(a[3], b[3])) - static_cast<double>(std::max(a[1], b[1]));
  return std::max(0.0, width) * std::max(0.0, height);
}

template <class Sides>
double part_of_smaller(const Sides& a, const Sides& b) {
  const double smaller = std::min(area_of_sides(a), area_of_sides(b));
  return smaller == 0 ? 0 : area_of_both(a, b) / smaller;
}

int overlap_along(const Box& a, const Box& b, std::size_t i) {
  return std::min(a.at(i + 2), b.at(i + 2)) - std::max(a.at(i), b.at(i));
}

}  // namespace

Kind kind_of(std::string_view label) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"header", Kind::kHeader},
      {"header_image", Kind::kHeader},
      {"footer", Kind::kFooter},
      {"footer_image", Kind::kFooter},
      {"footnote", Kind::kFooter},
      {"doc_title", Kind::kDocTitle},
      {"paragraph_title", Kind::kParagraphTitle},
      {"abstract_title", Kind::kParagraphTitle},
      {"reference_title", Kind::kParagraphTitle},
      {"content_title", Kind::kParagraphTitle},
      {"image", Kind::kVision},
      {"table", Kind::kVision},
      {"chart", Kind::kVision},
      {"flowchart", Kind::kVision},
      {"figure", Kind::kVision},
      {"table_title", Kind::kVisionTitle},
      {"chart_title", Kind::kVisionTitle},
      {"figure_title", Kind::kVisionTitle},
      {"figure_table_chart_title", Kind::kVisionTitle},
      {"aside_text", Kind::kUnordered},
      {"seal", Kind::kUnordered},
      {"number", Kind::kUnordered},
      {"formula_number", Kind::kUnordered},
  };
  for (const auto& [name, kind] : kKinds) {
    if (name == label) return kind;
  }
  return Kind::kOther;
}

LayoutBlock::LayoutBlock(std::string name, const std::array<double, 4>& sides)
    : label(std::move(name)),
      box{static_cast<int>(sides[0]), static_cast<int>(sides[1]), static_cast<int>(sides[2]),
          static_cast<int>(sides[3])},
      width(sides[2] - sides[0]),
      height(sides[3] - sides[1]),
      area(width * height) {
  turn_to(width >= height ? Direction::kHorizontal : Direction::kVertical);
}

void LayoutBlock::turn_to(Direction d) {
  direction = d;
  const std::size_t along = begin_of(d);
  const std::size_t across = begin_of(other(d));
  start = box.at(along);
  end = box.at(along + 2);
  across_start = box.at(across);
  across_end = box.at(across + 2);
}

void LayoutBlock::adopt(std::vector<LayoutBlock>& blocks, std::size_t self, std::size_t child) {
  LayoutBlock& parent = blocks[self];
  LayoutBlock& one = blocks[child];
  if (parent.children.empty()) parent.own_box = parent.box;
  parent.box = {std::min(parent.box[0], one.box[0]), std::min(parent.box[1], one.box[1]),
                std::max(parent.box[2], one.box[2]), std::max(parent.box[3], one.box[3])};
  parent.turn_to(parent.direction);
  parent.children.push_back(child);
  if (one.children.empty()) return;
  const std::vector<std::size_t> of_child = one.release();
  parent.children.insert(parent.children.end(), of_child.begin(), of_child.end());
}

std::vector<std::size_t> LayoutBlock::release() {
  box = own_box;
  return std::exchange(children, {});
}

double shared_along(const Box& a, const Box& b, Direction d) {
  const std::size_t i = begin_of(d);
  const int shared = overlap_along(a, b, i);
  const int all = std::max(a.at(i + 2), b.at(i + 2)) - std::min(a.at(i), b.at(i));
  return shared <= 0 || all <= 0 ? 0 : static_cast<double>(shared) / all;
}

double shared_of_shorter(const Box& a, const Box& b, Direction d) {
  const std::size_t i = begin_of(d);
  const int shared = overlap_along(a, b, i);
  const int shorter = std::min(a.at(i + 2) - a.at(i), b.at(i + 2) - b.at(i));
  return shared <= 0 || shorter <= 0 ? 0 : static_cast<double>(shared) / shorter;
}

double shared_area(const Box& a, const Box& b) {
  const double both = area_of_both(a, b);
  const double all = area_of_sides(a) + area_of_sides(b) - both;
  return all == 0 ? 0 : both / all;
}

double shared_of_smaller(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  return part_of_smaller(a, b);
}
double shared_of_smaller(const Box& a, const Box& b) { return part_of_smaller(a, b); }

double whole_parts(double a, double b) {
  if (b == 0) return std::numeric_limits<double>::infinity();
  double rest = std::fmod(a, b);
  if (rest != 0 && (b < 0) != (rest < 0)) rest += b;
  const double parts = (a - rest) / b;
  const double whole = std::floor(parts);
  return parts - whole > 0.5 ? whole + 1 : whole;
}

Continuity continuity(const BlockFlow& block, const BlockFlow* before) {
  Continuity result;
  int left = block.start;
  int right = block.end;
  if (before == nullptr) {
    result.begins = block.first_start - left >= kEdgeTolerance;
  } else {
    bool full = std::abs(before->end - before->last_end) < kEdgeTolerance;
    int apart = 0;
    if (left < before->end && right > before->start) {
      left = std::min(left, before->start);
      right = std::max(right, before->end);
      full = std::abs(right - before->last_end) < kEdgeTolerance;
    } else {
      apart = std::abs(block.start - before->end);
    }
    const bool flush = block.first_start - left < kEdgeTolerance;
    result.begins = !(full && flush && before->lines > 1 && apart < std::max(before->width, block.width));
  }
  result.ends = right - block.last_end >= kEdgeTolerance;
  return result;
}

}  // namespace coracle::vision::reading
