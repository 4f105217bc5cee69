// SPDX-License-Identifier: Apache-2.0
#include "run/step_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/run_context.h"
#include "graph/text.h"

namespace coracle::internal {
namespace {

/// One node that reads %x; %y is read by the next one.
const Graph& two_nodes() {
  static const Graph graph =
      parse("graph (%x: float32[?], %y: float32[?]) { %a = relu(%x) %b = add(%a, %y) return %b }");
  return graph;
}

/// A cache and what is asked of it.
struct Asked {
  StepCache cache;
  std::optional<RunContext> context = RunContext();  // of those who get

  std::shared_ptr<const PlannedSteps> get(StepCache::User& user, int64_t size, size_t bytes, size_t stop = 2,
                                          int64_t other_size = 1, int threads = 1) {
    std::vector<Fact> facts(two_nodes().value_count());
    facts[index(two_nodes().inputs()[0])] = Fact(DType::kFloat32, Shape{size});
    facts[index(two_nodes().inputs()[1])] = Fact(DType::kFloat32, Shape{other_size});
    const SegmentRequest request{.graph = two_nodes(), .number = 0, .position = 0, .facts = facts, .threads = threads};
    return cache.get(request, user, *context, [&] {
      auto planned = std::make_unique<PlannedSteps>();
      planned->steps.bytes = bytes;
      planned->steps.stop = stop;
      return planned;
    });
  }
  /// Whether there are steps for this size; as a run of its own.
  bool has(StepCache::User& user, int64_t size) {
    const size_t before = cache.plans_made();
    user.begin_run();
    try {
      std::vector<Fact> facts(two_nodes().value_count(), Fact(DType::kFloat32, Shape{1}));
      facts[index(two_nodes().inputs()[0])] = Fact(DType::kFloat32, Shape{size});
      cache.get({.graph = two_nodes(), .number = 0, .position = 0, .facts = facts, .threads = 1}, user, *context,
                []() -> std::unique_ptr<PlannedSteps> { fail(ErrorCode::kUnsupported, "nothing is planned here"); });
      return cache.plans_made() == before;
    } catch (const Error&) {
      return false;
    }
  }
  void in_run_of_its_own(StepCache::User& user, int64_t size, size_t bytes) {
    user.begin_run();
    get(user, size, bytes);
  }
};

TEST(StepCache, TheLeastRecentlyUsedGoesFirst) {
  Asked asked;
  StepCache::User user(asked.cache, 50000);
  for (int64_t size : {1, 2, 3}) asked.in_run_of_its_own(user, size, 15000);
  EXPECT_TRUE(asked.has(user, 1));
  asked.in_run_of_its_own(user, 4, 15000);
  EXPECT_FALSE(asked.has(user, 2));
  for (int64_t size : {1, 3, 4}) EXPECT_TRUE(asked.has(user, size)) << size;
}

TEST(StepCache, BytesStayWithinTheBound) {
  Asked asked;
  StepCache::User user(asked.cache, 200000);
  for (int64_t i = 0; i < 200; ++i) {
    asked.in_run_of_its_own(user, i, static_cast<size_t>(i * 97 % 4000) * 20);
    EXPECT_LE(asked.cache.bytes(), 200000U);
    EXPECT_TRUE(asked.has(user, i));
  }
  EXPECT_GT(asked.cache.bytes(), 100000U);
}

TEST(StepCache, TheNewestIsKeptWhateverItsSize) {
  Asked asked;
  StepCache::User user(asked.cache, 3000);
  asked.in_run_of_its_own(user, 1, 1000);
  asked.in_run_of_its_own(user, 2, 50000);
  EXPECT_TRUE(asked.has(user, 2));
  EXPECT_FALSE(asked.has(user, 1));
  asked.in_run_of_its_own(user, 3, 1000);
  EXPECT_FALSE(asked.has(user, 2));
  EXPECT_TRUE(asked.has(user, 3));
  EXPECT_LE(asked.cache.bytes(), 3000U);
}

TEST(StepCache, ABoundOfZeroKeepsNothing) {
  Asked asked;
  StepCache::User user(asked.cache, 0);
  const std::shared_ptr<const PlannedSteps> running = asked.get(user, 1, 10);
  EXPECT_FALSE(asked.has(user, 1));
  EXPECT_EQ(asked.cache.bytes(), 0U);
  EXPECT_EQ(running->steps.bytes, 10U) << "what is running stays";
}

TEST(StepCache, ARunKeepsWhatItUsesItself) {
  Asked asked;
  StepCache::User user(asked.cache, 50000);
  for (int run = 0; run < 3; ++run) {
    user.begin_run();
    const size_t before = asked.cache.plans_made();
    for (int64_t size = 0; size < 8; ++size) asked.get(user, size, 15000);
    EXPECT_LE(asked.cache.bytes(), 50000U);
    EXPECT_EQ(asked.cache.plans_made() - before, run == 0 ? 8U : 5U) << "three have room";
  }
}

TEST(StepCache, WhereTheModelDecidesARunHasRoomUpToTheMost) {
  Asked asked;
  StepCache::User user(asked.cache, StepCache::kByModel);
  constexpr size_t kMegabyte = size_t{1} << 20U;
  for (int64_t run = 0; run < 50; ++run) asked.in_run_of_its_own(user, run, kMegabyte / 4);
  EXPECT_LE(asked.cache.bytes(), StepCache::kLeastBytes) << "other shapes alone ask for no more";
  const auto run_of = [&](int64_t plans) {
    user.begin_run();
    const size_t before = asked.cache.plans_made();
    for (int64_t size = 0; size < plans; ++size) asked.get(user, 1000 + size, kMegabyte / 4);
    return asked.cache.plans_made() - before;
  };
  EXPECT_EQ(run_of(100), 100U);
  EXPECT_EQ(run_of(100), 0U);
  run_of(1000);
  EXPECT_LE(asked.cache.bytes(), StepCache::kMostBytes);
  EXPECT_GT(asked.cache.bytes(), StepCache::kMostBytes / 2);
  const size_t missing = run_of(1000);
  EXPECT_EQ(run_of(1000), missing);
  EXPECT_LT(missing, 800U);
}

TEST(StepCache, TheLargestBoundOfTheSessionsHolds) {
  Asked asked;
  StepCache::User small(asked.cache, 20000);
  {
    StepCache::User large(asked.cache, 100000);
    StepCache::User none(asked.cache, 0);
    for (int64_t size = 0; size < 5; ++size) asked.in_run_of_its_own(none, size, 15000);
    EXPECT_GT(asked.cache.bytes(), 75000U);
    EXPECT_TRUE(asked.has(small, 0));
  }
  EXPECT_LE(asked.cache.bytes(), 20000U);
  EXPECT_TRUE(asked.has(small, 0)) << "the one that was used last";
}

TEST(StepCache, StepsStayForWhoeverHasThem) {
  Asked asked;
  StepCache::User user(asked.cache, 20000);
  const std::shared_ptr<const PlannedSteps> first = asked.get(user, 1, 15000);
  asked.in_run_of_its_own(user, 2, 15000);
  EXPECT_FALSE(asked.has(user, 1));
  EXPECT_EQ(first->steps.bytes, 15000U);
  EXPECT_EQ(first.use_count(), 1);
}

TEST(StepCache, WhatNobodyHasIsReleased) {
  Asked asked;
  StepCache::User user(asked.cache, 100000);
  const std::shared_ptr<const PlannedSteps> held = asked.get(user, 1, 15000);
  asked.get(user, 2, 15000);
  const size_t before = asked.cache.bytes();
  EXPECT_EQ(asked.cache.release_unused(), before - held->bytes());
  EXPECT_TRUE(asked.has(user, 1));
  EXPECT_FALSE(asked.has(user, 2));
}

TEST(StepCache, KeysHoldWhatASegmentReads) {
  Asked asked;
  StepCache::User user(asked.cache, 1000000);
  const auto first = asked.get(user, 1, 100, 1, 7);
  EXPECT_NE(asked.get(user, 2, 100, 1, 7), first);
  EXPECT_NE(asked.get(user, 1, 100, 1, 8), first) << "the node behind it reads %y, and may have ended it for that";
  EXPECT_EQ(asked.get(user, 1, 100, 1, 7), first);
  EXPECT_NE(asked.get(user, 1, 100, 1, 7, 2), first) << "of another number of threads";
  EXPECT_EQ(segment_reads(two_nodes(), 0, 2).values.size(), 2U);
  EXPECT_EQ(segment_reads(two_nodes(), 1, 2).values.size(), 2U) << "%a and %y";
}

TEST(StepCache, AFailureLetsTheNextOneTry) {
  Asked asked;
  StepCache::User user(asked.cache, 100000);
  EXPECT_FALSE(asked.has(user, 1));
  EXPECT_NE(asked.get(user, 1, 100), nullptr);
  EXPECT_TRUE(asked.has(user, 1));
}

/// Another thread plans until `let_go`.
struct SlowPlan {
  Asked& asked;
  const bool fails;
  std::atomic<bool> begun{false};
  std::atomic<bool> let_go{false};
  std::thread thread = std::thread([this] {
    StepCache::User user(asked.cache, StepCache::kByModel);
    std::vector<Fact> facts(two_nodes().value_count(), Fact(DType::kFloat32, Shape{1}));
    try {
      const SegmentRequest request{.graph = two_nodes(), .number = 0, .position = 0, .facts = facts, .threads = 1};
      asked.cache.get(request, user, RunContext(), [&] {
        begun = true;
        while (!let_go) std::this_thread::yield();
        require(!fails, "this one fails");
        auto planned = std::make_unique<PlannedSteps>();
        planned->steps.stop = 2;
        return planned;
      });
    } catch (const Error&) {
      EXPECT_TRUE(fails);
    }
  });

  SlowPlan(Asked& in, bool does_fail) : asked(in), fails(does_fail) {
    while (!begun) std::this_thread::yield();
  }
  ~SlowPlan() {
    let_go = true;
    thread.join();
  }
};

TEST(StepCache, WhoeverWaitsKeepsItsDeadline) {
  Asked asked;
  StepCache::User user(asked.cache, StepCache::kByModel);
  SlowPlan slow(asked, false);
  asked.context.emplace(Deadline("the run", Deadline::Clock::now(), 20, nullptr));
  EXPECT_THROW(asked.get(user, 1, 100), Error);
  EXPECT_EQ(asked.cache.plans_made(), 0U);
}

TEST(StepCache, WhoeverWaitsIsCancelled) {
  Asked asked;
  StepCache::User user(asked.cache, StepCache::kByModel);
  SlowPlan slow(asked, false);
  const std::atomic<uint32_t> cancelled{1};
  asked.context.emplace(Deadline("the run", Deadline::Clock::now(), 0, &cancelled));
  try {
    asked.get(user, 1, 100);
    ADD_FAILURE() << "another one plans";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kCancelled);
  }
}

TEST(StepCache, WhoeverWaitsTriesItselfWhereTheOtherFails) {
  for (bool fails : {true, false}) {
    Asked asked;
    StepCache::User user(asked.cache, StepCache::kByModel);
    SlowPlan slow(asked, fails);
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      slow.let_go = true;
    });
    EXPECT_NE(asked.get(user, 1, 100), nullptr);
    EXPECT_EQ(asked.cache.plans_made(), 1U);
    later.join();
  }
}

}  // namespace
}  // namespace coracle::internal
