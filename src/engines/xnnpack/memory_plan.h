// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace coracle_xnnpack {

/// Memory that is needed from one step to another, both included, and where it lies.
struct MemoryRange {
  size_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
  size_t at = 0;  ///< set by place()
};

/// Where a processor's lines of its cache begin: so do all ranges.
inline constexpr size_t kMemoryAlignment = 64;

/// Gives each range its place so that those needed at the same time do not overlap; returns the bytes of all together.
size_t place(std::vector<MemoryRange>& ranges);

}  // namespace coracle_xnnpack
