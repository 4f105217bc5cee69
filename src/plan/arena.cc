// SPDX-License-Identifier: Apache-2.0
#include "plan/arena.h"

#include <algorithm>
#include <numeric>

#include "base/deadline.h"
#include "base/size.h"

namespace coracle {
namespace {

constexpr int64_t kAlignment = 64;

Size aligned(size_t bytes) { return Size(bytes).rounded_up(kAlignment); }

}  // namespace

ArenaPlan plan_arena(const std::vector<ArenaBlock>& blocks) {
  ArenaPlan plan;
  plan.offsets.resize(blocks.size(), 0);
  std::vector<size_t> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<size_t> placed;  // by offset
  for (size_t b : by_size) {
    Deadline::check_current();
    const ArenaBlock& block = blocks[b];
    const Size bytes = aligned(block.bytes);
    Size offset;
    for (size_t other : placed) {
      const ArenaBlock& o = blocks[other];
      if (o.last < block.first || block.last < o.first) continue;
      if (Size(plan.offsets[other]) >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[other] + aligned(o.bytes));
    }
    plan.offsets[b] = offset.bytes();
    plan.bytes = std::max(plan.bytes, (offset + bytes).bytes());
    placed.insert(std::upper_bound(placed.begin(), placed.end(), b,
                                   [&](size_t x, size_t y) { return plan.offsets[x] < plan.offsets[y]; }),
                  b);
  }
  return plan;
}

}  // namespace coracle
