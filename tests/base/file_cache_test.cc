// SPDX-License-Identifier: Apache-2.0
#include "base/file_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/forked_child.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using Bytes = std::vector<uint8_t>;
namespace fs = std::filesystem;

/// The one file of a folder.
fs::path file_in(const std::string& folder) { return fs::directory_iterator(folder)->path(); }

Bytes content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const Bytes& content) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

/// What is kept under a key.
std::optional<Bytes> found(const FileCache& cache, const std::string& key) {
  const std::optional<Tensor> content = cache.find(key);
  if (!content) return std::nullopt;
  return Bytes(content->data<uint8_t>(), content->data<uint8_t>() + content->bytes());
}

class FileCacheTest : public ::testing::Test {
 protected:
  test::TemporaryFolder parent_;
  std::string folder_ = parent_.path("a/b");
  FileCache cache_{folder_, 1U << 20U};
};

TEST_F(FileCacheTest, GivesBackWhatWasKeptUnderTheSameKey) {
  EXPECT_EQ(found(cache_, "key"), std::nullopt);
  const Bytes binary = {1, 2, 0, 3};
  cache_.keep("key", binary);
  EXPECT_EQ(found(cache_, "key"), binary);
  EXPECT_EQ(found(FileCache(folder_, 1U << 20U), "key"), binary);
  EXPECT_EQ(found(cache_, "kez"), std::nullopt);
  cache_.keep("key", Bytes{9});
  EXPECT_EQ(found(cache_, "key"), Bytes{9});
}

TEST_F(FileCacheTest, KeysAreComparedNotTheirNamesAlone) {
  cache_.keep("key", Bytes{1});
  cache_.keep("other", Bytes{2});
  std::vector<fs::path> files(fs::directory_iterator(folder_), {});
  ASSERT_EQ(files.size(), 2U);
  const Bytes first = content_of(files[0]);
  write(files[0], content_of(files[1]));
  write(files[1], first);
  EXPECT_EQ(found(cache_, "key"), std::nullopt);
  EXPECT_EQ(found(cache_, "other"), std::nullopt);
}

TEST_F(FileCacheTest, DamagedFilesAreNotThere) {
  cache_.keep("key", Bytes(100, 7));
  const fs::path file = file_in(folder_);
  const Bytes whole = content_of(file);
  for (size_t size = 0; size < whole.size(); ++size) {
    write(file, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(found(cache_, "key"), std::nullopt) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {0, 7}) {
      Bytes flipped = whole;
      flipped[i] ^= static_cast<uint8_t>(1 << bit);
      write(file, flipped);
      EXPECT_EQ(found(cache_, "key"), std::nullopt) << i;
    }
  }
  Bytes longer = whole;
  longer.push_back(0);
  write(file, longer);
  EXPECT_EQ(found(cache_, "key"), std::nullopt);
  cache_.keep("key", Bytes(100, 7));
  EXPECT_EQ(found(cache_, "key"), Bytes(100, 7));
}

TEST_F(FileCacheTest, FilesThatOthersMayWriteAreNotTrusted) {
  cache_.keep("key", Bytes{1});
  const fs::path file = file_in(folder_);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(found(cache_, "key"), std::nullopt);
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_EQ(found(cache_, "key"), std::nullopt);
}

TEST_F(FileCacheTest, OldestGoWhereThereIsTooMuch) {
  const FileCache small(folder_, 1000);
  for (int i = 0; i < 20; ++i) {
    small.keep(std::to_string(i), Bytes(200, static_cast<uint8_t>(i)));
    EXPECT_EQ(found(small, std::to_string(i)), Bytes(200, static_cast<uint8_t>(i)));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    small.find("0");  // stays in use
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) bytes += entry.file_size();
    EXPECT_LE(bytes, 1000U);
  }
  EXPECT_NE(found(small, "0"), std::nullopt);
  EXPECT_EQ(found(small, "1"), std::nullopt);
  EXPECT_NE(found(small, "19"), std::nullopt);
  small.keep("too large", Bytes(2000));
  EXPECT_EQ(found(small, "too large"), std::nullopt);
}

TEST_F(FileCacheTest, FoldersThatCannotBeUsedAreNoCache) {
  parent_.write("file", "");
  for (const std::string& folder : {std::string(), parent_.path("file"), parent_.path("file/below"),
                                    std::string("/proc/none"), std::string("/dev/full")}) {
    const FileCache cache(folder, 1000);
    cache.keep("key", Bytes{1});
    EXPECT_EQ(found(cache, "key"), std::nullopt) << folder;
  }
}

TEST_F(FileCacheTest, FoldersThatMayNotBeWrittenAreStillRead) {
  cache_.keep("key", Bytes{1});
  const bool holds = test::holds_in_child([&] {
    // As another user where this one may write everywhere.
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    cache_.keep("new", Bytes{2});
    const bool refused = ::geteuid() == 0 || found(cache_, "new") == std::nullopt;
    return refused && found(cache_, "key") == Bytes{1};
  });
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_TRUE(holds);
}

TEST_F(FileCacheTest, ManyProcessesAtOnce) {
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      const std::string key = std::to_string(i % 5);
      const Bytes expected(5000, static_cast<uint8_t>(i % 5));
      cache_.keep(key, expected);
      if (found(cache_, key) != expected) return false;
    }
    return true;
  };
  std::vector<std::thread> waiting;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) waiting.emplace_back([&] { good += test::holds_in_child(work) ? 1 : 0; });
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 5);
}

}  // namespace
}  // namespace coracle::internal
