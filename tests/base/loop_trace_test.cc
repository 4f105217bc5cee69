// SPDX-License-Identifier: Apache-2.0
#include "base/loop_trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/thread_pool.h"
#include "base/workers.h"

namespace coracle::internal {
namespace {

using Steady = std::chrono::steady_clock;

int64_t now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch()).count(); }

/// Runs loops whose parts wait for each other (some time) until a helper was noted; checks what was.
bool helper_is_noted(ThreadPool& pool, LoopTrace& trace) {
  const Steady::time_point end = Steady::now() + std::chrono::seconds(60);
  while (Steady::now() < end) {
    const ThreadPool::Run run(pool, RunContext(Deadline("the test", end, 0, nullptr), &trace));
    std::atomic<int> begun{0};
    std::atomic<int> parts{0};
    pool.parallel_for(2, 1, [&](int64_t begin, int64_t stop) {
      parts += static_cast<int>(stop - begin);
      ++begun;
      const Steady::time_point wait = Steady::now() + std::chrono::milliseconds(20);
      while (begun < 2 && Steady::now() < wait) {
      }
    });
    EXPECT_EQ(parts, 2);
    const std::vector<LoopTrace::Span> spans = trace.take();
    if (spans.empty()) continue;
    EXPECT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].thread, 1);
    EXPECT_GT(spans[0].busy, 0);
    EXPECT_LE(spans[0].busy, spans[0].end - spans[0].begin + 1);
    EXPECT_LE(spans[0].end, now());
    return true;
  }
  return false;
}

TEST(LoopTrace, HelpersAreNotedAndTheCallerIsNot) {
  ThreadPool pool(2);
  pool.start();
  LoopTrace trace(pool.threads());
  const int64_t start = now();
  trace.add(start, start + 5);  // of the caller
  EXPECT_TRUE(trace.take().empty());
  EXPECT_TRUE(helper_is_noted(pool, trace)) << "no helper worked within a minute";
  EXPECT_TRUE(trace.take().empty()) << "what was taken is not told again";
}

TEST(LoopTrace, TheCallersLoopsAreAddedUp) {
  LoopTrace trace(4);
  const auto loop = [&](int64_t passed) {
    trace.add(0, 30);
    trace.add(30, 40);
    trace.end_loop(passed);
  };
  loop(100);
  loop(40);
  const LoopTrace::Caller caller = trace.take_caller();
  EXPECT_EQ(caller.loops, 2);
  EXPECT_EQ(caller.waited, 60);
  EXPECT_EQ(caller.beside, 20);
  EXPECT_EQ(trace.take_caller().loops, 0) << "what was taken is not told again";
}

TEST(LoopTrace, OfImaginedThreadsTheCallerRunsAllParts) {
  ThreadPool pool(Workers::imagined(16), 16);
  pool.start();
  LoopTrace trace(pool.threads());
  const ThreadPool::Run run(pool, RunContext(Deadline("the test", Steady::now(), 0, nullptr), &trace));
  std::vector<int64_t> parts;
  int64_t end_of_last = 0;
  const std::thread::id caller = std::this_thread::get_id();
  pool.parallel_for(40, 1, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, end_of_last);
    end_of_last = end;
    parts.push_back(end - begin);
  });
  EXPECT_EQ(parts, (std::vector<int64_t>{3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_TRUE(trace.take().empty());
  EXPECT_EQ(trace.take_caller().loops, 1);
}

TEST(LoopTrace, PartsOfAHelperAreOneSpan) {
  LoopTrace trace(3);
  std::thread([&] {
    trace.add(100, 110);
    trace.add(90, 95);
    trace.add(200, 220);
  }).join();
  std::vector<LoopTrace::Span> spans = trace.take();
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].begin, 90);
  EXPECT_EQ(spans[0].end, 220);
  EXPECT_EQ(spans[0].busy, 35);
  for (int i = 0; i < 5; ++i) std::thread([&] { trace.add(300, 301); }).join();
  for (const LoopTrace::Span& s : trace.take()) EXPECT_LE(s.thread, 2) << "no more than there is room for";
}

}  // namespace
}  // namespace coracle::internal
