// SPDX-License-Identifier: Apache-2.0
#include "vision/reading_order.h"

#include <algorithm>

namespace coracle::vision {

std::vector<Object> in_reading_order(std::vector<Object> regions, int page_width) {
  const double width = page_width;
  const auto starts_left = [&](const Object& o) {
    return static_cast<double>(o.left) < width / 4 && static_cast<double>(o.right) < 3 * width / 5;
  };
  const auto starts_right = [&](const Object& o) { return static_cast<double>(o.left) > 2 * width / 5; };
  std::stable_sort(regions.begin(), regions.end(),
                   [](const Object& a, const Object& b) { return a.top != b.top ? a.top < b.top : a.left < b.left; });
  std::vector<Object> ordered;
  std::vector<Object> left;
  std::vector<Object> right;
  const auto end_columns = [&] {
    ordered.insert(ordered.end(), left.begin(), left.end());
    ordered.insert(ordered.end(), right.begin(), right.end());
    left.clear();
    right.clear();
  };
  for (const Object& region : regions) {
    if (starts_left(region)) {
      left.push_back(region);
    } else if (starts_right(region)) {
      right.push_back(region);
    } else {
      end_columns();
      ordered.push_back(region);
    }
  }
  end_columns();
  return ordered;
}

}  // namespace coracle::vision
