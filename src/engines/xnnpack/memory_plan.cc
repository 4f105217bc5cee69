// SPDX-License-Identifier: Apache-2.0
#include "memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace coracle_xnnpack {

size_t place(std::vector<MemoryRange>& ranges) {
  for (MemoryRange& r : ranges) r.bytes = (r.bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a].bytes > ranges[b].bytes; });
  // The largest first, each into the smallest gap that it fits into.
  size_t all = 0;
  std::vector<const MemoryRange*> placed;  // by place
  for (size_t i : order) {
    MemoryRange& range = ranges[i];
    size_t end = 0;  // of what is needed at the same time and lies before the gap
    size_t least = std::numeric_limits<size_t>::max();
    for (const MemoryRange* other : placed) {
      if (other->last < range.first || range.last < other->first) continue;
      if (other->at >= end + range.bytes && other->at - end < least) {
        least = other->at - end;
        range.at = end;
      }
      end = std::max(end, other->at + other->bytes);
    }
    if (least == std::numeric_limits<size_t>::max()) range.at = end;
    all = std::max(all, range.at + range.bytes);
    const auto after = std::upper_bound(placed.begin(), placed.end(), range.at,
                                        [](size_t at, const MemoryRange* other) { return at < other->at; });
    placed.insert(after, &range);
  }
  return all;
}

}  // namespace coracle_xnnpack
