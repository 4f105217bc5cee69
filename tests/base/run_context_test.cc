// SPDX-License-Identifier: Apache-2.0
#include "base/run_context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/buffer.h"
#include "base/error.h"
#include "base/thread_pool.h"

namespace coracle {
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

TEST(RunContext, IsInEffectOnItsThreadWhileItsScopeLives) {
  EXPECT_EQ(RunContext::current(), nullptr);
  EXPECT_EQ(Deadline::current(), nullptr);
  EXPECT_EQ(MemoryLedger::current(), nullptr);
  const auto ledger = std::make_shared<MemoryLedger>(100);
  const RunContext outer(far(), ledger);
  {
    const RunContext::Scope scope(outer);
    EXPECT_EQ(RunContext::current(), &outer);
    EXPECT_EQ(Deadline::current(), outer.deadline());
    EXPECT_EQ(MemoryLedger::current(), ledger);
    std::thread([] { EXPECT_EQ(RunContext::current(), nullptr); }).join();
    {
      const RunContext nobodys = outer.with_ledger(nullptr);
      EXPECT_EQ(outer.ledger(), ledger);
      const RunContext::Scope inner(nobodys);
      EXPECT_EQ(MemoryLedger::current(), nullptr);
      EXPECT_EQ(Deadline::current(), nobodys.deadline());
      EXPECT_NE(Deadline::current(), nullptr);
      const Buffer<char> uncharged(1000);
      EXPECT_EQ(ledger->used(), 0U);
    }
    EXPECT_EQ(RunContext::current(), &outer);
    const Buffer<char> charged(100);
    EXPECT_EQ(ledger->used(), 100U);
    EXPECT_THROW(Buffer<char>(1), Error);
  }
  EXPECT_EQ(RunContext::current(), nullptr);
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

/// Whether parts of loops met what they should: on the calling thread, and on a helper within a minute.
template <class OnCaller, class OnHelper>
bool loops_meet(ThreadPool& pool, const OnCaller& on_caller, const OnHelper& on_helper) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> wrong{false};
  std::atomic<bool> helped{false};
  const Clock::time_point end = Clock::now() + std::chrono::seconds(60);
  while (!helped && !wrong && Clock::now() < end) {
    std::atomic<int> begun{0};
    pool.parallel_for(2, 1, [&](int64_t, int64_t) {
      const bool helps = std::this_thread::get_id() != caller;
      if (!(helps ? on_helper() : on_caller())) wrong = true;
      if (helps) helped = true;
      ++begun;
      const Clock::time_point wait = Clock::now() + std::chrono::milliseconds(20);
      while (begun < 2 && Clock::now() < wait) {
      }
    });
  }
  return helped && !wrong;
}

TEST(RunContext, HelpersHaveThatOfTheirLoop) {
  ThreadPool pool(2);
  pool.start();
  const auto ledger = std::make_shared<MemoryLedger>();
  const RunContext context(far(), ledger);
  const auto has_it = [&] {
    const RunContext* current = RunContext::current();
    return current != nullptr && current->deadline() != nullptr && current->ledger() == ledger;
  };
  const auto has_none = [] { return RunContext::current() == nullptr; };
  EXPECT_TRUE(loops_meet(pool, has_none, has_none)) << "outside of a run";
  {
    const ThreadPool::Run run(pool, context);
    EXPECT_TRUE(loops_meet(pool, has_it, has_it)) << "whatever the caller has";
    EXPECT_EQ(RunContext::current(), nullptr);
    const RunContext planning = context.with_ledger(nullptr);
    const RunContext::Scope scope(planning);
    EXPECT_TRUE(loops_meet(
        pool, [&] { return RunContext::current() == &planning; }, has_it))
        << "the caller keeps its own";
  }
  EXPECT_TRUE(loops_meet(pool, has_none, has_none)) << "after the run";
}

TEST(RunContext, LoopsEndAtTheDeadlineOfTheirRun) {
  for (int threads : {1, 2}) {
    ThreadPool pool(threads);
    pool.start();
    std::atomic<int64_t> done{0};
    const auto count = [&](int64_t begin, int64_t end) { done += end - begin; };
    const RunContext over(passed());
    {
      const RunContext::Scope scope(over);
      const ThreadPool::Run run(pool, RunContext(far()));
      pool.parallel_for(1000, 1, count);
      EXPECT_EQ(done.exchange(0), 1000) << "the caller's is not looked at";
    }
    const ThreadPool::Run run(pool, over);
    pool.parallel_for(1000, 1, count);
    EXPECT_EQ(done, 0);
  }
}

}  // namespace
}  // namespace coracle
