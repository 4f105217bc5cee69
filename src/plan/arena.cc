// SPDX-License-Identifier: Apache-2.0
#include "plan/arena.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/size.h"

namespace coracle::internal {
namespace {

constexpr int64_t kAlignment = 64;

Size aligned(size_t bytes) { return Size(bytes).rounded_up(kAlignment); }

/// Blocks that are placed, found by when they live: those that begin at a step, and those that live at it (a segment
/// tree over the steps), so that an allocation is compared with the others of its own time only.
class PlacedAllocations {
 public:
  explicit PlacedAllocations(const std::vector<ArenaAllocation>& allocations) : allocations_(allocations) {
    for (const ArenaAllocation& b : allocations) begins_.push_back(b.first);
    std::sort(begins_.begin(), begins_.end());
    begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    beginning_.resize(begins_.size());
    living_.resize(2 * begins_.size());
  }

  void add(size_t allocation) {
    const auto [first, end] = span_of(allocations_[allocation]);
    beginning_[first].push_back(allocation);
    for (size_t l = first + begins_.size(), r = end + begins_.size(); l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) living_[l++].push_back(allocation);
      if (r % 2 == 1) living_[--r].push_back(allocation);
    }
  }

  /// Those that live at one of the steps of `allocation`.
  void find(const ArenaAllocation& allocation, std::vector<size_t>& found) const {
    const auto [first, end] = span_of(allocation);
    found.clear();
    for (size_t at = first + begins_.size(); at >= 1; at /= 2) {
      found.insert(found.end(), living_[at].begin(), living_[at].end());
    }
    for (size_t i = first + 1; i < end; ++i) found.insert(found.end(), beginning_[i].begin(), beginning_[i].end());
  }

 private:
  /// Steps at which allocations begin, by their number among those: the others tell nothing apart.
  std::pair<size_t, size_t> span_of(const ArenaAllocation& b) const {
    const auto first = std::lower_bound(begins_.begin(), begins_.end(), b.first);
    const auto end = std::upper_bound(first, begins_.end(), b.last);
    return {static_cast<size_t>(first - begins_.begin()), static_cast<size_t>(end - begins_.begin())};
  }

  const std::vector<ArenaAllocation>& allocations_;
  std::vector<int> begins_;
  std::vector<std::vector<size_t>> beginning_;
  std::vector<std::vector<size_t>> living_;
};

}  // namespace

ArenaPlan plan_arena(const RunContext& context, const std::vector<ArenaAllocation>& allocations) {
  ArenaPlan plan;
  plan.offsets.resize(allocations.size(), 0);
  std::vector<size_t> by_size(allocations.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return allocations[a].bytes > allocations[b].bytes; });
  PlacedAllocations placed(allocations);
  std::vector<size_t> others;
  for (size_t b : by_size) {
    context.check();
    const Size bytes = aligned(allocations[b].bytes);
    placed.find(allocations[b], others);
    std::sort(others.begin(), others.end(), [&](size_t x, size_t y) { return plan.offsets[x] < plan.offsets[y]; });
    Size offset;
    for (size_t other : others) {
      if (Size(plan.offsets[other]) >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[other] + aligned(allocations[other].bytes));
    }
    plan.offsets[b] = offset.bytes();
    plan.bytes = std::max(plan.bytes, (offset + bytes).bytes());
    placed.add(b);
  }
  return plan;
}

ArenaPlans plan_arenas(const RunContext& context, const std::vector<ArenaAllocation>& allocations, size_t largest) {
  ArenaPlans plans;
  plans.spots.resize(allocations.size());
  std::vector<size_t> left(allocations.size());
  std::iota(left.begin(), left.end(), size_t{0});
  while (!left.empty()) {
    std::vector<ArenaAllocation> tried;
    for (size_t b : left) tried.push_back(allocations[b]);
    const ArenaPlan plan = plan_arena(context, tried);
    std::vector<size_t> rest;
    size_t bytes = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      const size_t end = (plan.offsets[i] + aligned(tried[i].bytes)).bytes();
      if (end > largest) {
        rest.push_back(left[i]);
        continue;
      }
      plans.spots[left[i]] = {static_cast<uint32_t>(plans.bytes.size()), plan.offsets[i]};
      bytes = std::max(bytes, end);
    }
    require(rest.size() < left.size(), ErrorCode::kOutOfMemory, "a tensor of ",
            counted(allocations[left[0]].bytes, "byte"), " is larger than a block of memory may be, ",
            counted(largest, "byte"));
    plans.bytes.push_back(bytes);
    left = std::move(rest);
  }
  return plans;
}

}  // namespace coracle::internal
