// SPDX-License-Identifier: Apache-2.0
// Where the engine xnnpack puts its values: its planner alone, which needs nothing of XNNPACK.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engines/xnnpack/memory_plan.h"

namespace coracle::internal::test {
namespace {

using coracle_xnnpack::kMemoryAlignment;
using coracle_xnnpack::MemoryRange;

bool meet(const MemoryRange& a, const MemoryRange& b) { return a.first <= b.last && b.first <= a.last; }
bool overlap(const MemoryRange& a, const MemoryRange& b) { return a.at < b.at + b.bytes && b.at < a.at + a.bytes; }

TEST(XnnpackMemoryPlan, WhatIsNeededAtTheSameTimeLiesApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::vector<MemoryRange> ranges(random() % 40);
    for (MemoryRange& r : ranges) {
      r.bytes = 1 + random() % 5000;
      r.first = random() % 30;
      r.last = r.first + random() % 6;
    }
    const size_t all = coracle_xnnpack::place(ranges);
    size_t sum = 0;
    size_t most = 0;  // needed at one step
    for (size_t step = 0; step < 36; ++step) {
      size_t needed = 0;
      for (const MemoryRange& r : ranges) needed += r.first <= step && step <= r.last ? r.bytes : 0;
      most = std::max(most, needed);
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      sum += ranges[i].bytes;
      EXPECT_EQ(ranges[i].at % kMemoryAlignment, 0U);
      EXPECT_LE(ranges[i].at + ranges[i].bytes, all);
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(meet(ranges[i], ranges[j]) && overlap(ranges[i], ranges[j])) << i << " and " << j;
      }
    }
    EXPECT_GE(all, most);
    EXPECT_LE(all, sum);
  }
}

TEST(XnnpackMemoryPlan, AChainTakesItsTwoLargestNeighbours) {
  std::vector<MemoryRange> chain;
  for (size_t i = 0; i < 20; ++i) chain.push_back({1024 * (1 + i % 3), i, i + 1});
  EXPECT_EQ(coracle_xnnpack::place(chain), 1024U * 5 + 1024U);  // three sizes in turn leave one gap
}

TEST(XnnpackMemoryPlan, NothingTakesNothing) {
  std::vector<MemoryRange> none;
  EXPECT_EQ(coracle_xnnpack::place(none), 0U);
}

}  // namespace
}  // namespace coracle::internal::test
