// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/system/threads.h"
#include "base/workers.h"
#include "support/fake_processors.h"
#include "support/forked_child.h"

namespace coracle::internal {
namespace {

/// Threads of this process.
int process_threads() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return 0;
}

TEST(ThreadPool, EveryIterationRunsOnce) {
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    pool.start();
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t n : {0, 1, 2, 7, 64, 1000}) {
      for (int64_t grain : {0, 1, 3, 500, 5000}) {
        std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
        std::atomic<int> parts{0};
        pool.parallel_for(n, grain, [&](int64_t begin, int64_t end) {
          parts.fetch_add(1);
          for (int64_t i = begin; i < end; ++i) counts[static_cast<size_t>(i)].fetch_add(1);
        });
        for (const std::atomic<int>& c : counts) EXPECT_EQ(c.load(), 1);
        EXPECT_LE(parts.load(), threads == 1 ? 1 : 8 * threads);
        EXPECT_LE(parts.load(), std::max<int64_t>(n / std::max<int64_t>(grain, 1), 1));
      }
    }
  }
}

TEST(ThreadPool, ManyShortLoopsEachEndBeforeTheNextBegins) {
  ThreadPool pool(3);
  pool.start();
  std::vector<int> values(300, 0);
  for (int round = 0; round < 300; ++round) {
    pool.parallel_for(300, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++values[static_cast<size_t>(i)];
    });
    ASSERT_EQ(values[static_cast<size_t>(round % 300)], round + 1);
  }
}

TEST(ThreadPool, WakesAfterASleep) {
  ThreadPool pool(2);
  pool.start();
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int64_t> sum{0};
    pool.parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum.fetch_add(i);
    });
    EXPECT_EQ(sum.load(), 4950);
  }
}

TEST(ThreadPool, HasNoThreadsBeforeItIsStartedAndNoneAfterwards) {
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own with the first one
  const int before = process_threads();
  {
    ThreadPool pool(3);
    EXPECT_EQ(process_threads(), before);
    int calls = 0;
    pool.parallel_for(100, 1, [&](int64_t begin, int64_t end) { calls += static_cast<int>(end - begin); });
    EXPECT_EQ(calls, 100) << "on the caller's thread";
    pool.start();
    pool.start();
    EXPECT_EQ(process_threads(), before + 2);
  }
  // A joined thread may still be counted for a moment.
  for (int wait = 0; wait < 1000 && process_threads() != before; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(process_threads(), before);
}

TEST(ThreadPool, ALoopWaitsForNoHelperThatIsElsewhere) {
  const auto workers = std::make_shared<Workers>(2);
  ThreadPool one(workers, 2);
  ThreadPool two(workers, 2);
  one.start();
  std::atomic<int> begun{0};
  std::atomic<bool> end{false};
  std::thread other([&] {
    one.parallel_for(2, 1, [&](int64_t, int64_t) {
      begun.fetch_add(1);
      while (!end.load()) std::this_thread::yield();
    });
  });
  while (begun.load() != 2) std::this_thread::yield();
  // The one helper is in the other loop, whose end this one must not depend on.
  std::atomic<int64_t> sum{0};
  two.parallel_for(100, 1, [&](int64_t begin, int64_t stop) {
    for (int64_t i = begin; i < stop; ++i) sum.fetch_add(i);
  });
  EXPECT_EQ(sum.load(), 4950);
  end = true;
  other.join();
}

TEST(ThreadPool, ManyCallersShareHelpers) {
  const auto workers = std::make_shared<Workers>(3);
  constexpr int kCallers = 5;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&, c] {
      ThreadPool pool(workers, 1 + c % 4);
      EXPECT_EQ(pool.threads(), std::min(1 + c % 4, 3));
      for (int run = 0; run < 20; ++run) {
        const ThreadPool::Run during(pool, {});
        for (int loop = 0; loop < 20; ++loop) {
          std::vector<int> values(500, 0);
          pool.parallel_for(500, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += static_cast<int>(i);
          });
          for (int i = 0; i < 500; ++i) wrong += values[static_cast<size_t>(i)] == i ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(ThreadPool, AHelperThatSleepsInItsPartIsAwaitedAndRestsForAWhile) {
  ThreadPool pool(2);
  pool.start();
  const std::thread::id caller = std::this_thread::get_id();
  /// How many of 8 parts, of so many ms each, a helper did.
  const auto helped = [&](int helpers_ms, int callers_ms) {
    std::atomic<int> parts{0};
    std::atomic<int> others{0};
    pool.parallel_for(8, 1, [&](int64_t begin, int64_t end) {
      const bool helper = std::this_thread::get_id() != caller;
      std::this_thread::sleep_for(std::chrono::milliseconds(helper ? helpers_ms : callers_ms));
      parts.fetch_add(static_cast<int>(end - begin));
      if (helper) others.fetch_add(1);
    });
    EXPECT_EQ(parts.load(), 8);
    return others.load();
  };
  // It has no processor while the caller waits, so it is left out of the next loops; on a machine so busy that the
  // caller has none either, nobody waits.
  bool rested = false;
  for (int attempt = 0; attempt < 50 && !rested; ++attempt) {
    rested = helped(40, 1) != 0 && helped(0, 0) + helped(1, 1) + helped(1, 1) == 0;
  }
  EXPECT_TRUE(rested);
}

TEST(ThreadPool, StartsNoMoreHelpersThanThereAreProcessors) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    const int before = process_threads();
    ThreadPool pool(64);
    const ThreadPool::Run run(pool, {});
    int64_t count = 0;
    pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) { count += end - begin; });
    EXPECT_EQ(count, 1000);
    EXPECT_EQ(process_threads(), before);
    EXPECT_EQ(pool.threads(), 64) << "what loops are planned for";
  }).join();
}

/// What is the most of 1600 iterations that a helper keeps which is too slow to end its first part before all others
/// have ended.
int64_t kept_by_a_slow_helper(ThreadPool& pool) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> kept = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (kept == 0 && std::chrono::steady_clock::now() < deadline) {
    std::atomic<int64_t> done = 0;
    pool.parallel_for(1600, 1, [&](int64_t begin, int64_t end) {
      if (std::this_thread::get_id() == caller) {
        for (int wait = 0; wait < 100 && kept == 0; ++wait) std::this_thread::yield();  // a busy machine starts it late
      } else if (kept == 0) {
        kept = end - begin;
        while (done != 1600 - kept) std::this_thread::yield();
      }
      done += end - begin;
    });
    EXPECT_EQ(done, 1600);
  }
  return kept;
}

TEST(ThreadPool, OfProcessorsOfSeveralSpeedsASlowOneKeepsASmallPart) {
  if (affinity().size() < 2) GTEST_SKIP() << "there is one processor";
  for (const bool uneven : {true, false}) {
    const test::FakeProcessors processors(uneven ? std::vector<int>{1024, 400} : std::vector<int>{1024});
    const auto workers = std::make_shared<Workers>(2, std::vector<int>(), processors.root());
    ThreadPool pool(workers, 2);
    const ThreadPool::Run run(pool, {});
    EXPECT_EQ(workers->uneven(), uneven);
    if (uneven) {
      EXPECT_EQ(kept_by_a_slow_helper(pool), 200) << "and not its half";
    }
  }
}

/// Whether loops of the pool cover what they should, on more threads than the caller.
bool loops_run_on_helpers(ThreadPool& pool) {
  const ThreadPool::Run run(pool, {});
  pool.start();
  std::set<std::thread::id> threads;
  std::mutex mutex;
  std::atomic<int64_t> count = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int64_t loops = 1; std::chrono::steady_clock::now() < deadline; ++loops) {
    pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      count += end - begin;
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    if (count != 1000 * loops) return false;
    if (threads.size() > 1) return true;
  }
  return false;
}

TEST(ThreadPool, StartsThreadsOfItsOwnInAForkedProcess) {
  if (CORACLE_NO_THREADS_AFTER_FORK != 0) GTEST_SKIP();
  auto started = std::make_unique<ThreadPool>(2);
  started->start();
  ThreadPool not_started(2);
  EXPECT_TRUE(test::holds_in_child([&] { return loops_run_on_helpers(*started); }));
  EXPECT_TRUE(test::holds_in_child([&] { return loops_run_on_helpers(not_started); }));
  EXPECT_TRUE(test::holds_in_child([&] {
    if (!loops_run_on_helpers(*started)) return false;
    return test::holds_in_child([&] { return loops_run_on_helpers(*started); });
  }));
  EXPECT_TRUE(test::holds_in_child([&] {
    started.reset();
    return true;
  }));
  EXPECT_TRUE(test::holds_in_child([&] {
    if (!loops_run_on_helpers(*started)) return false;
    started.reset();
    return true;
  }));
  EXPECT_TRUE(loops_run_on_helpers(*started)) << "the parent's are as before";
}

TEST(ThreadPool, ForksWhileOthersUseTheThreads) {
  if (CORACLE_NO_THREADS_AFTER_FORK != 0) GTEST_SKIP();
  const auto workers = std::make_shared<Workers>(3);
  std::atomic<bool> done = false;
  std::vector<std::jthread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&] {
      ThreadPool pool(workers, 3);
      std::atomic<int64_t> count = 0;
      while (!done) {
        const ThreadPool::Run run(pool, {});
        pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) { count += end - begin; });
      }
    });
  }
  for (int fork = 0; fork < 50; ++fork) {
    EXPECT_TRUE(test::holds_in_child([&] {
      ThreadPool pool(workers, 3);
      return loops_run_on_helpers(pool);
    })) << fork;
  }
  done = true;
}

TEST(ProcessMutex, SaysThatItsHolderWasLeftBehind) {
  ProcessMutex mutex;
  mutex.lock();
  EXPECT_TRUE(test::holds_in_child([&] {
    try {
      mutex.lock();
      return false;
    } catch (const Error& e) {
      return e.text().find("load the model again") != std::string::npos;
    }
  }));
  mutex.unlock();
  EXPECT_TRUE(test::holds_in_child([&] {
    mutex.lock();
    mutex.unlock();
    return true;
  }));
}

TEST(ThreadPool, AtLeastTheCaller) {
  ThreadPool pool(-3);
  EXPECT_EQ(pool.threads(), 1);
}

}  // namespace
}  // namespace coracle::internal
