// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string_view>

#include "vision/answers.h"

namespace coracle::vision {
namespace {

constexpr float kLeastSide = 6;
constexpr double kMostShared = 0.7;         // Of the smaller of two regions,
constexpr double kMostSharedFormula = 0.5;  // and where one is a formula within a line.

double area_of_region(const Object& o) {
  return static_cast<double>(o.right - o.left) * static_cast<double>(o.bottom - o.top);
}

/// What two regions share as a part of the smaller one.
double shared(const Object& a, const Object& b) {
  const double width = std::max(0.0F, std::min(a.right, b.right) - std::max(a.left, b.left));
  const double height = std::max(0.0F, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const double smaller = std::min(area_of_region(a), area_of_region(b));
  return smaller > 0 ? width * height / smaller : 0;
}

bool is_formula(const Object& o) { return o.name == "inline_formula"; }

bool is_figure(const Object& o) {
  constexpr std::string_view kFigures[] = {"image", "table", "seal", "chart"};
  return std::find(std::begin(kFigures), std::end(kFigures), o.name) != std::end(kFigures);
}

/// Regions of different kinds of which one holds the other: pictures and tables in each other, pictures with text.
bool may_nest(const Object& a, const Object& b) {
  if (a.name == b.name || !(is_figure(a) || is_figure(b))) return false;
  return (a.name != "table" && b.name != "table") || (is_figure(a) && is_figure(b));
}

}  // namespace

std::vector<Object> without_overlaps(std::vector<Object> regions) {
  std::erase_if(regions, [](const Object& o) { return o.name == "reference"; });
  std::set<std::size_t> dropped;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Object& a = regions[i];
    if (a.right - a.left < kLeastSide || a.bottom - a.top < kLeastSide) dropped.insert(i);
    for (std::size_t j = i + 1; j < regions.size() && dropped.count(i) == 0; ++j) {
      const Object& b = regions[j];
      if (dropped.count(j) != 0) continue;
      const double part = shared(a, b);
      if ((is_formula(a) || is_formula(b)) && part > kMostSharedFormula) {
        if (is_formula(a)) dropped.insert(i);
        if (is_formula(b)) dropped.insert(j);
      } else if (part > kMostShared && !may_nest(a, b)) {
        dropped.insert(area_of_region(a) >= area_of_region(b) ? j : i);
      }
    }
  }
  std::vector<Object> kept;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (dropped.count(i) == 0) kept.push_back(std::move(regions[i]));
  }
  return kept;
}

}  // namespace coracle::vision
