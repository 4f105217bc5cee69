// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu/launch_plan.h"

namespace coracle::internal::gpu {

/// Where launches of a plan have what they share, in floats of the call's workspace.
class WorkspaceRoom {
 public:
  /// Room for so many numbers of four bytes: where it begins.
  int64_t take(int64_t count) {
    constexpr int64_t kAligned = 64;
    const int64_t at = floats_;
    floats_ += (count + kAligned - 1) / kAligned * kAligned;
    return at;
  }
  int64_t floats() const { return floats_; }

 private:
  int64_t floats_ = 0;
};

/// Lines [outer, length, inner] to be sorted stably (kernels/sort.cl).
struct SortedLines {
  Parameter keys;                ///< the elements
  DType type = DType::kFloat32;  ///< of them
  bool descending = true;
  int64_t lines = 1;   ///< outer * inner
  int64_t length = 1;  ///< of each, at most
  int64_t inner = 1;
  const Parameter* counts = nullptr;  ///< int32 for each line: its number of elements; null: `length`
  int64_t limit = 1;                  ///< of the order, the first so many are wanted
};

/// Why lines cannot be sorted: positions are 32-bit integers.
RejectionReason sorting_rejection(int64_t lines, int64_t length);

/// Adds the launches. Gives the workspace's part with the order: positions in the line as int32, `length` for each
/// line.
Parameter add(LaunchPlan& plan, OpenDevice& device, WorkspaceRoom& room, const SortedLines& sorted);

/// The definitions that kernels/ordering.cl needs.
Definitions ordering_of(DType type, bool descending);

}  // namespace coracle::internal::gpu
