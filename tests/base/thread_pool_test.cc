// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>

namespace coracle {
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
        EXPECT_LE(parts.load(), threads);
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

TEST(ThreadPool, AtLeastTheCaller) {
  ThreadPool pool(-3);
  EXPECT_EQ(pool.threads(), 1);
}

}  // namespace
}  // namespace coracle
