// SPDX-License-Identifier: Apache-2.0
#include "serve/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

TEST(MemoryBudget, CountsWhatIsReservedAndWhatTheLibraryHolds) {
  size_t library = 30;
  const MemoryBudget budget(100, [&] { return library; });
  MemoryBudget::Share share = budget.reserve(50, "a test");
  EXPECT_EQ(budget.used(), 80U);
  EXPECT_THROW(budget.reserve(21, "a test"), Failure);
  library = 10;
  const MemoryBudget::Share second = budget.reserve(40, "a test");
  share = nullptr;
  EXPECT_EQ(budget.used(), 50U);
}

TEST(MemoryBudget, WithoutALimitNothingCounts) {
  const MemoryBudget budget;
  EXPECT_FALSE(budget.limited());
  EXPECT_EQ(budget.reserve(SIZE_MAX, "a test"), nullptr);
  EXPECT_EQ(budget.reserve_run(SIZE_MAX, SIZE_MAX, 0).bytes, 0U);
}

TEST(MemoryBudget, SaysWhatThereIsAndWhatIsNeeded) {
  const MemoryBudget budget(size_t{8} << 20, [] { return size_t{3} << 20; });
  try {
    budget.reserve(size_t{6} << 20, "the body");
    FAIL() << "it was given";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), Code::kUnavailable);
    EXPECT_STREQ(failure.what(),
                 "there is not the memory now for the body, 6 MiB: 3 MiB of the server's 8 MiB are in use "
                 "(--memory-limit-mib)");
  }
}

TEST(MemoryBudget, WhatIsLoadedHasToFit) {
  size_t library = 90;
  const MemoryBudget budget(100, [&] { return library; });
  budget.require_kept(30, "the model");
  budget.require_possible(100, "a picture");
  EXPECT_THROW(budget.require_possible(101, "a picture"), Failure);
  library = 101;
  EXPECT_THROW(budget.require_kept(30, "the model"), Failure);
  const MemoryBudget::Share idle = budget.when_short([&] { library = 100; });
  budget.require_kept(30, "the model");
}

TEST(MemoryBudget, IdleSessionsGiveBackTheirs) {
  size_t library = 90;
  const MemoryBudget budget(100, [&] { return library; });
  MemoryBudget::Share idle = budget.when_short([&] { library = 20; });
  EXPECT_NE(budget.reserve(50, "a test"), nullptr);
  library = 90;
  idle = nullptr;
  EXPECT_THROW(budget.reserve(50, "a test"), Failure);
}

TEST(MemoryBudget, ARunGetsWhatItWishesOrWhatThereIs) {
  const MemoryBudget budget(100, [] { return size_t{20}; });
  EXPECT_EQ(budget.reserve_run(10, 40, 0).bytes, 40U);
  EXPECT_EQ(budget.used(), 20U) << "the run has ended";
  EXPECT_EQ(budget.reserve_run(10, 500, 0).bytes, 40U) << "half is left to others";
  EXPECT_EQ(budget.reserve_run(70, 500, 0).bytes, 70U);
  EXPECT_EQ(budget.reserve_run(10, SIZE_MAX, 0).bytes, 80U);
  EXPECT_EQ(budget.reserve_run(90, SIZE_MAX, 20).bytes, 100U)
      << "what the session holds is among what the library holds";
  EXPECT_THROW(budget.reserve_run(90, 500, 0), Failure);
}

TEST(MemoryBudget, ARunWaitsForOthers) {
  const MemoryBudget budget(100, [] { return size_t{0}; });
  MemoryBudget::Run first = budget.reserve_run(70, 70, 0);
  std::atomic<bool> began{false};
  std::thread second([&] {
    began = true;
    EXPECT_EQ(budget.reserve_run(60, 60, 0).bytes, 60U);
  });
  while (!began) std::this_thread::yield();
  first.share = nullptr;
  second.join();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryBudget, IsNeverPassedByManyThreads) {
  const MemoryBudget budget(100, [] { return size_t{0}; });
  std::atomic<size_t> in_use{0};
  std::atomic<size_t> refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        try {
          const size_t bytes = 30 + static_cast<size_t>(i % 5);
          const MemoryBudget::Run run = t < 2 ? budget.reserve_run(bytes, bytes, 0) : MemoryBudget::Run();
          const MemoryBudget::Share share = t < 2 ? nullptr : budget.reserve(bytes, "a test");
          EXPECT_LE(in_use.fetch_add(bytes) + bytes, 100U);
          in_use -= bytes;
        } catch (const Failure&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace coracle::serve
