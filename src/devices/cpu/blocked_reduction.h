// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/deadline.h"
#include "base/thread_pool.h"
#include "devices/cpu/isa/reduce.h"

namespace coracle::internal::cpu {

/// A reduction along the first axis of images [length, inner] that has two steps where columns are too few for threads
/// to share: of blocks of rows, then of the blocks' results. The blocks follow from the size of one image, so results
/// have the same bits with any number of threads and in any batch.
class BlockedReduction {
 public:
  BlockedReduction() = default;
  BlockedReduction(ReduceKind kind, int64_t length, int64_t inner);

  /// Whether there are two steps; else ReduceFunctions::strided is to be called.
  bool is_used() const { return blocks_ > 1; }
  /// Bytes of scratch memory.
  size_t workspace(int64_t images) const;
  /// Writes the results of image i from y[i * y_stride] on.
  void run(const ReduceFunctions& functions, const float* x, int64_t images, float* y, int64_t y_stride,
           void* workspace, ThreadPool& pool, const Deadline* deadline) const noexcept;

 private:
  ReduceKind kind_ = ReduceKind::kSum;
  int64_t length_ = 0;
  int64_t inner_ = 0;
  int64_t block_ = 0;  ///< rows
  int64_t blocks_ = 1;
};

}  // namespace coracle::internal::cpu
