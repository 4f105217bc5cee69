// SPDX-License-Identifier: Apache-2.0
// Locks of a cache on disk: between threads and between processes, also those that end in between.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file_cache.h"
#include "base/run_context.h"
#include "support/forked_child.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;
using Content = std::vector<uint8_t>;
using State = FileCache::Lock::State;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What is kept under a key.
std::optional<Content> found_in(const FileCache& cache, const std::string& key) {
  const std::optional<Tensor> content = cache.find(key);
  if (!content) return std::nullopt;
  return Content(content->data<uint8_t>(), content->data<uint8_t>() + content->bytes());
}

class FileCacheLock : public ::testing::Test {
 protected:
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  test::TemporaryFolder parent_;
  std::string folder_ = parent_.path("a/b");
  FileCache cache_{folder_, 1U << 20U, milliseconds(20000)};
  FileCache hasty_{folder_, 1U << 20U, milliseconds(50)};
};

TEST_F(FileCacheLock, IsHeldByOneAtATimeForEachKey) {
  {
    const FileCache::Lock first = cache_.lock("key");
    EXPECT_EQ(first.state(), State::kHeld);
    EXPECT_FALSE(first.waited());
    EXPECT_EQ(cache_.lock("other").state(), State::kHeld);
    const FileCache::Lock late = hasty_.lock("key");
    EXPECT_EQ(late.state(), State::kLate);
    EXPECT_TRUE(late.waited());
    EXPECT_EQ(cache_.lock("key", /*wait=*/false).state(), State::kLate);
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
  EXPECT_EQ(hasty_.lock("key").state(), State::kHeld);
}

TEST_F(FileCacheLock, WaitsForOthers) {
  std::atomic<int> holders = 0;
  std::atomic<int> most = 0;
  std::atomic<int> held = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const FileCache::Lock lock = cache_.lock("key");
        if (lock.state() == State::kHeld) ++held;
        const int now = ++holders;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(held, 200);
  EXPECT_EQ(most, 1);
  EXPECT_EQ(files(), 0U);
}

TEST_F(FileCacheLock, OfAProcessThatIsKilledIsFree) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FileCache::Lock lock = cache_.lock("key");
    const char held = lock.state() == State::kHeld ? 1 : 0;
    if (::write(ready[1], &held, 1) != 1) ::_exit(1);
    ::sleep(60);
    ::_exit(0);
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 1);
  EXPECT_EQ(hasty_.lock("key").state(), State::kLate);
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(100));
    ::kill(child, SIGKILL);
  });
  const FileCache::Lock lock = cache_.lock("key");
  EXPECT_EQ(lock.state(), State::kHeld);
  EXPECT_TRUE(lock.waited());
  killer.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FileCacheLock, IsGivenUpWhereAForkedChildHasItsFileToo) {
  pid_t child = -1;
  {
    const FileCache::Lock lock = cache_.lock("key");
    child = ::fork();
    if (child == 0) {
      ::sleep(60);
      ::_exit(0);
    }
  }
  EXPECT_EQ(cache_.lock("key", /*wait=*/false).state(), State::kHeld);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(FileCacheLock, WaitsNoLongerThanTheRunMay) {
  const FileCache::Lock first = cache_.lock("key");
  const Clock::time_point start = Clock::now();
  const RunContext context(Deadline("the run", start, 50, nullptr));
  EXPECT_EQ(cache_.lock("key", /*wait=*/true, context).state(), State::kLate);
  EXPECT_LT(Clock::now() - start, milliseconds(10000));
}

TEST_F(FileCacheLock, IsNobodysWhereThereCanBeNone) {
  parent_.write("file", "");
  for (const std::string& folder : {std::string(), parent_.path("file"), std::string("/proc/none")}) {
    EXPECT_EQ(FileCache(folder, 1000).lock("key").state(), State::kNone) << folder;
  }
  cache_.keep("key", Content{1});
  // A link could lead to a file of somebody else's.
  const FileCache::Lock lock = cache_.lock("key");
  const auto is_lock = [](const fs::path& p) { return p.extension() == ".lock"; };
  const auto found_in = std::find_if(fs::directory_iterator(folder_), {}, is_lock);
  ASSERT_NE(found_in, fs::directory_iterator());
  const fs::path path = found_in->path();
  fs::remove(path);
  fs::create_symlink(parent_.path("file"), path);
  EXPECT_EQ(cache_.lock("key").state(), State::kNone);
}

TEST_F(FileCacheLock, FilesThatWereLeftGoAfterAnHour) {
  cache_.keep("key", Content{1});
  const std::string left = folder_ + "/0000000000000001.lock";
  const auto make = [](const std::string& path, int age) {
    std::ofstream(path).put('x');
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(age));
  };
  make(left, 30);
  cache_.keep("key", Content{2});
  EXPECT_TRUE(fs::exists(left));
  make(left, 90);
  cache_.keep("key", Content{3});
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(FileCacheLock, FilesLargerThanAProcessMayWriteAreNotKept) {
  EXPECT_TRUE(test::holds_in_child([&] {
    const rlimit limit{1000, 1000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    cache_.keep("large", Content(5000, 1));
    cache_.keep("small", Content(500, 1));
    return found_in(cache_, "large") == std::nullopt && found_in(cache_, "small") == Content(500, 1);
  })) << "a signal ends who does so";
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace coracle::internal
