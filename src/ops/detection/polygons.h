// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace coracle::internal {

/// Intersection over union of two polygons without crossings, each `points` pairs of x and y in either direction; 0
/// where either has no area.
double polygon_overlap(const double* a, const double* b, int64_t points);

}  // namespace coracle::internal
