// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "devices/cpu/gemm_plan.h"

namespace coracle::internal::cpu {

/// A filter [columns, depth, height, width] cut into parts of 3x3 taps, row by row, with zeros behind its last row and
/// column; 3x3 taps are one part.
struct WinogradFilter {
  int64_t tile = 0;  ///< of output pixels: WinogradCall::tile
  int64_t height = 3;
  int64_t width = 3;

  int64_t points() const { return (tile + 2) * (tile + 2); }
  int64_t parts_h() const { return (height + 2) / 3; }
  int64_t parts_w() const { return (width + 2) / 3; }
  /// Packs the transformed parts of constants[0] as `product` says: one matrix for each point, whose taps are the
  /// parts.
  void pack(const GemmForm& product, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
            const RunContext& context) const;

 private:
  const float* part_of(const float* filter, int64_t pairs, int64_t part, float* room) const;
};

}  // namespace coracle::internal::cpu
