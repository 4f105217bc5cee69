// SPDX-License-Identifier: Apache-2.0
// Groups of points that lie together.
#pragma once

#include <cstddef>
#include <vector>

namespace coracle::vision {

struct PointD {
  double x = 0;
  double y = 0;
};

/// The group, from 0 to `count` - 1, of each point: k-means (Lloyd 1982) that begins as k-means++ (Arthur and
/// Vassilvitskii 2007) with several candidates for each centre. The random numbers are always the same, those of
/// scikit-learn's KMeans with random_state=0, and so are the groups but for ties. A group may be empty where points
/// coincide. `count` is at least 1 and at most the number of points.
std::vector<std::size_t> groups_of(const std::vector<PointD>& points, std::size_t count);

}  // namespace coracle::vision
