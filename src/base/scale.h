// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace coracle::internal {

/// to[i] = from[i] * by, rounded once. `to` may be `from`.
void scale_floats(const float* from, double by, int64_t count, float* to);
/// to[i] = from[i] * by[i], likewise.
void scale_floats(const float* from, const double* by, int64_t count, float* to);

}  // namespace coracle::internal
