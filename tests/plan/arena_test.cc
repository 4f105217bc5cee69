// SPDX-License-Identifier: Apache-2.0
#include "plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace coracle::internal {
namespace {

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/// The largest sum of allocations alive at one step: no arena can be smaller.
size_t peak(const std::vector<ArenaAllocation>& allocations) {
  size_t most = 0;
  for (const ArenaAllocation& at : allocations) {  // the sum only grows where an allocation begins
    size_t sum = 0;
    for (const ArenaAllocation& b : allocations)
      sum += b.first <= at.first && at.first <= b.last ? aligned(b.bytes) : 0;
    most = std::max(most, sum);
  }
  return most;
}

void check(const std::vector<ArenaAllocation>& allocations, const ArenaPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), allocations.size());
  size_t sum = 0;
  for (size_t i = 0; i < allocations.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % 64, 0U);
    EXPECT_LE(plan.offsets[i] + allocations[i].bytes, plan.bytes);
    sum += aligned(allocations[i].bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together = allocations[i].first <= allocations[j].last && allocations[j].first <= allocations[i].last;
      const bool apart = plan.offsets[i] + allocations[i].bytes <= plan.offsets[j] ||
                         plan.offsets[j] + allocations[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(!together || apart) << "blocks " << i << " and " << j;
    }
  }
  EXPECT_LE(plan.bytes, sum);
  EXPECT_GE(plan.bytes, peak(allocations));
}

TEST(Arena, RandomLifetimesNeverOverlapAndStayNearThePeak) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  double ratios = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<ArenaAllocation> allocations(static_cast<size_t>(1 + below(120)));
    const int steps = 1 + below(100);
    for (ArenaAllocation& b : allocations) {
      b.bytes = static_cast<size_t>(below(round % 2 == 0 ? 4000 : 1000000));
      b.first = below(steps);
      b.last = std::min(steps, b.first + below(round % 3 == 0 ? 4 : 30));
    }
    const ArenaPlan plan = plan_arena(kNoRun, allocations);
    check(allocations, plan);
    EXPECT_EQ(plan_arena(kNoRun, allocations).offsets, plan.offsets) << "the same question, the same answer";
    const double ratio = static_cast<double>(plan.bytes) / static_cast<double>(std::max<size_t>(peak(allocations), 64));
    EXPECT_LE(ratio, 1.6);
    ratios += ratio;
  }
  EXPECT_LE(ratios / kRounds, 1.15);
}

/// The same rule, every allocation compared with every other.
std::vector<size_t> offsets_by_comparing_all(const std::vector<ArenaAllocation>& allocations) {
  std::vector<size_t> order(allocations.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return allocations[a].bytes > allocations[b].bytes; });
  std::vector<size_t> offsets(allocations.size());
  std::vector<size_t> placed;
  for (size_t b : order) {
    size_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t o : placed) {
        if (allocations[o].last < allocations[b].first || allocations[b].last < allocations[o].first) continue;
        const size_t end = offsets[o] + aligned(allocations[o].bytes);
        if (offsets[o] < offset + aligned(allocations[b].bytes) && offset < end) {
          offset = end;
          moved = true;
        }
      }
    }
    offsets[b] = offset;
    placed.push_back(b);
  }
  return offsets;
}

TEST(Arena, EachBlockLiesAtTheLowestFreeOffset) {
  std::mt19937 random(2);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaAllocation> allocations(static_cast<size_t>(1 + below(60)));
    const int steps = 1 + below(80);
    for (ArenaAllocation& b : allocations) {
      b.bytes = static_cast<size_t>(1 + below(1000));
      b.first = below(steps);
      b.last = b.first + below(round % 3 == 0 ? steps : 5);
    }
    EXPECT_EQ(plan_arena(kNoRun, allocations).offsets, offsets_by_comparing_all(allocations));
  }
}

TEST(Arena, AChainNeedsItsTwoLargestNeighbours) {
  std::vector<ArenaAllocation> allocations;
  for (int i = 0; i < 20; ++i) allocations.push_back({static_cast<size_t>(1000 + 64 * i), i, i + 1});
  EXPECT_EQ(plan_arena(kNoRun, allocations).bytes, peak(allocations));
}

TEST(Arena, BlocksWithoutBytesAndNoBlocks) {
  EXPECT_EQ(plan_arena(kNoRun, {}).bytes, 0U);
  const std::vector<ArenaAllocation> allocations{{0, 0, 9}, {1, 0, 9}, {0, 3, 4}, {64, 2, 2}};
  const ArenaPlan plan = plan_arena(kNoRun, allocations);
  check(allocations, plan);
  EXPECT_EQ(plan.bytes, 128U);
}

TEST(Arena, BlocksThatLiveForEver) {
  const std::vector<ArenaAllocation> allocations{{100, 0, INT32_MAX}, {100, 5, INT32_MAX}, {100, 0, 4}};
  const ArenaPlan plan = plan_arena(kNoRun, allocations);
  check(allocations, plan);
  EXPECT_EQ(plan.bytes, 256U);
}

}  // namespace
}  // namespace coracle::internal
