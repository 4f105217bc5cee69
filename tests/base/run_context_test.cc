// SPDX-License-Identifier: Apache-2.0
#include "base/run_context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <type_traits>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "base/long_loop.h"
#include "base/thread_pool.h"

namespace coracle::internal {
namespace {

using Clock = std::chrono::steady_clock;

Deadline far() { return {"the test", Clock::now(), 1'000'000, nullptr}; }
Deadline passed() { return {"the test", Clock::now() - std::chrono::seconds(10), 1, nullptr}; }

TEST(RunContext, WithoutLimitsThereIsNothingToLookAt) {
  const RunContext none;
  EXPECT_EQ(none.deadline(), nullptr);
  EXPECT_EQ(none.ledger(), nullptr);
  EXPECT_EQ(none.trace(), nullptr);
  EXPECT_FALSE(none.over());
  EXPECT_NO_THROW(none.check());
  EXPECT_EQ(RunContext(Deadline("the test", Clock::now(), 0, nullptr)).deadline(), nullptr) << "it never passes";
  EXPECT_NE(RunContext(far()).deadline(), nullptr);
}

TEST(RunContext, EndsInTimeOrWhenEitherFlagIsSet) {
  EXPECT_TRUE(RunContext(passed()).over());
  EXPECT_THROW(RunContext(passed()).check(), Error);
  std::atomic<uint32_t> own{0};
  std::atomic<uint32_t> others{0};
  const RunContext context(Deadline("the test", Clock::now(), 0, &own, &others));
  for (std::atomic<uint32_t>* flag : {&own, &others}) {
    EXPECT_FALSE(context.over());
    *flag = 1;
    EXPECT_TRUE(context.over());
    try {
      context.check();
      ADD_FAILURE() << "it goes on";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kCancelled);
    }
    *flag = 0;
  }
  EXPECT_FALSE(context.over());
}

TEST(RunContext, WhatIsMadeForItIsOnItsLedger) {
  const auto ledger = std::make_shared<MemoryLedger>(100);
  const RunContext context(far(), ledger);
  const RunContext nobodys = context.without_ledger();
  EXPECT_EQ(context.ledger(), ledger);
  EXPECT_NE(nobodys.deadline(), nullptr);
  const Buffer<char> uncharged(1000, nobodys);
  EXPECT_EQ(ledger->used(), 0U);
  {
    Buffer<char> charged(40, context);
    EXPECT_EQ(ledger->used(), 40U);
    const Buffer<char> copy = charged;
    EXPECT_EQ(ledger->used(), 80U);
    EXPECT_THROW(charged.resize(61), Error);
    EXPECT_THROW(Buffer<char>(21, context), Error);
  }
  EXPECT_EQ(ledger->used(), 0U);
  static_assert(!std::is_constructible_v<LedgerAllocator<char>>, "who leaves the context out would charge nobody");
  static_assert(!std::is_constructible_v<LedgerAllocator<char>, RunContext>, "it would outlive its context");
}

TEST(RunContext, LongWorkEndsAtItsDeadline) {
  const RunContext over(passed());
  EXPECT_THROW(Buffer<char>(1, over), Error);
  EXPECT_THROW(doubles_of(over, Tensor::ints(std::vector<int64_t>{1})), Error);
  EXPECT_THROW(in_blocks(over, 1, [](size_t, size_t) {}), Error);
  const Tensor t = Tensor::ints(std::vector<int64_t>{1, 2});
  EXPECT_THROW(static_cast<void>(t.clone(over)), Error);
  EXPECT_THROW(static_cast<void>(t.doubles(over)), Error);
  EXPECT_THROW(static_cast<void>(t.integers(over)), Error);
  EXPECT_EQ(t.integers(), (std::vector<int64_t>{1, 2}));
  LoopCheck check(over);
  check.step(1);  // too few to look
  EXPECT_THROW(check.step(1 << 20), Error);
}

TEST(RunContext, LedgersChangeTheirLimitForWhatComes) {
  MemoryLedger ledger(100);
  const auto what = [] { return std::string("a test"); };
  ledger.charge(100, what);
  EXPECT_THROW(ledger.charge(1, what), Error);
  ledger.set_limit(150);
  ledger.charge(50, what);
  ledger.set_limit(100);
  EXPECT_EQ(ledger.used(), 150U);
  EXPECT_THROW(ledger.charge(0, what), Error);
  ledger.give_back(51);
  ledger.charge(1, what);
}

TEST(RunContext, LoopsEndAtTheDeadlineOfTheirRun) {
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    pool.start();
    std::atomic<int64_t> done{0};
    const auto count = [&](int64_t begin, int64_t end) { done += end - begin; };
    const RunContext over(passed());
    {
      const ThreadPool::Run run(pool, RunContext(far()));
      pool.parallel_for(1000, 1, count);
      EXPECT_EQ(done.exchange(0), 1000);
    }
    const ThreadPool::Run run(pool, over);
    pool.parallel_for(1000, 1, count);
    EXPECT_EQ(done, 0);
  }
}

}  // namespace
}  // namespace coracle::internal
