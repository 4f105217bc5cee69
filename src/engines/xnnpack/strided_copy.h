// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthreadpool.h>

#include <cstdint>
#include <vector>

namespace coracle_xnnpack {

/// One dimension of what is copied, and how far apart its elements lie on both sides.
struct CopyAxis {
  int64_t size = 1;
  int64_t from = 0;
  int64_t to = 0;
};

/// Moves elements from one regular place to another: what transposes, concatenations and slices are.
struct StridedCopy {
  std::vector<CopyAxis> axes;
  int64_t from_start = 0;
  int64_t to_start = 0;

  /// Fewer axes for the same: those that continue each other become one, the target's nearest elements come last.
  void simplify();
  /// After simplify(). Null runs in this thread.
  void run(const float* from, float* to, pthreadpool_t pool) const;
};

}  // namespace coracle_xnnpack
