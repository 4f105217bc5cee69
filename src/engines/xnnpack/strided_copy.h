// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthreadpool.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coracle_xnnpack {

/// One dimension of what is copied, and how far apart its elements lie on both sides.
struct CopyAxis {
  int64_t size = 1;
  int64_t from = 0;
  int64_t to = 0;
  /// Where each element lies in the source, if that is not `from` times its index; `from` is about how far apart then.
  std::vector<int64_t> places = {};

  bool regular() const { return places.empty(); }
  int64_t place(int64_t i) const { return regular() ? i * from : places[static_cast<size_t>(i)]; }
};

/// Moves elements from one place to another: what transposes, concatenations, slices and nearest neighbours are.
struct StridedCopy {
  std::vector<CopyAxis> axes;
  int64_t from_start = 0;
  int64_t to_start = 0;
  size_t element_bytes = sizeof(float);  ///< or 1

  /// Fewer axes for the same: those that continue each other become one, the target's nearest elements come last.
  void simplify();
  /// After simplify(). Null runs in this thread.
  void run(const void* from, void* to, pthreadpool_t pool) const;
};

}  // namespace coracle_xnnpack
