// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fact.h"

/// Predicates for patterns.
namespace coracle::internal {

/// Images in float32, [n, c, h, w].
inline bool is_image(const Fact& f) {
  return f.dtype == DType::kFloat32 && f.shape.rank_known() && f.shape.rank() == 4;
}

/// A number for each of their channels, [n, c, 1, 1].
inline bool is_per_channel(const Fact& f) { return is_image(f) && f.shape[2] == 1 && f.shape[3] == 1; }

}  // namespace coracle::internal
