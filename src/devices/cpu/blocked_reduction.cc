// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/blocked_reduction.h"

#include <algorithm>

#include "base/size.h"

namespace coracle::internal::cpu {
namespace {

/// Elements of a block, about, which are worth a thread.
constexpr int64_t kBlockElements = 32 << 10;
/// Fewer blocks are not worth the second step.
constexpr int64_t kLeastBlocks = 4;
/// More columns are enough for threads to share.
constexpr int64_t kFewColumns = 512;
/// Rows of blocks are multiples of those that the functions add before they add the sum to others.
constexpr int64_t kRowsTogether = 64;

int64_t rounded_up(int64_t count, int64_t of) { return (count + of - 1) / of * of; }

/// What the second step does with the results of the first.
ReduceKind of_parts(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kMean:
    case ReduceKind::kSumSquares:
    case ReduceKind::kSumAbs: return ReduceKind::kSum;
    default: return kind;
  }
}

}  // namespace

BlockedReduction::BlockedReduction(ReduceKind kind, int64_t length, int64_t inner)
    : kind_(kind), length_(length), inner_(inner) {
  if (inner <= 0 || inner > kFewColumns || length / kLeastBlocks < kBlockElements / inner) return;
  block_ = rounded_up(std::max<int64_t>(kBlockElements / inner, 1), kRowsTogether);
  blocks_ = (length + block_ - 1) / block_;
}

size_t BlockedReduction::workspace(int64_t images) const {
  return is_used() ? bytes_of<float>(Size(images) * blocks_ * inner_) : 0;
}

void BlockedReduction::run(const ReduceFunctions& functions, const float* x, int64_t images, float* y, int64_t y_stride,
                           void* workspace, ThreadPool& pool, const Deadline* deadline) const noexcept {
  auto* const parts = static_cast<float*>(workspace);
  const auto inner = static_cast<size_t>(inner_);
  // The mean of an image is no mean of its blocks' means.
  const ReduceKind kind = kind_ == ReduceKind::kMean ? ReduceKind::kSum : kind_;
  pool.parallel_for(images * blocks_, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % blocks_ * block_;
      const int64_t rows = std::min(block_, length_ - row);
      functions.strided(kind, x + (i / blocks_ * length_ + row) * inner_, parts + i * inner_, static_cast<size_t>(rows),
                        inner, 0, inner, deadline);
    }
  });
  for (int64_t image = 0; image < images; ++image) {
    float* const to = y + image * y_stride;
    functions.strided(of_parts(kind_), parts + image * blocks_ * inner_, to, static_cast<size_t>(blocks_), inner, 0,
                      inner, deadline);
    if (kind_ != ReduceKind::kMean) continue;
    for (int64_t c = 0; c < inner_; ++c) to[c] /= static_cast<float>(length_);
  }
}

}  // namespace coracle::internal::cpu
