// SPDX-License-Identifier: Apache-2.0
#include "base/new_file.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
std::span<const uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
mode_t permissions(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}
size_t files(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(NewFile, WhatIsNotCommittedIsNotThere) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  {
    NewFile file(path, NewFile::For::kAnyone);
    file.write(bytes("new"));
    EXPECT_EQ(content(path), "old");
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(folder.path()), 1U);
}

TEST(NewFile, KeepsLinksAndPermissions) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path("store"));
  const std::string old = folder.write("store/old", "old");
  ::chmod(old.c_str(), 0640);
  fs::create_symlink("store/old", folder.path("link"));
  fs::create_symlink("store/none", folder.path("ahead"));
  write_files(std::vector<NamedContent>{{folder.path("link"), bytes("new")}, {folder.path("ahead"), bytes("first")}});
  EXPECT_EQ(content(old), "new");
  EXPECT_EQ(permissions(old), 0640U);
  EXPECT_EQ(content(folder.path("store/none")), "first");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")) && fs::is_symlink(folder.path("ahead")));
  NewFile read_only(folder.path("link"), NewFile::For::kReading);
  read_only.commit();
  EXPECT_EQ(permissions(old), 0444U);
  EXPECT_EQ(files(folder.path("store")), 2U);
}

TEST(NewFile, AllOrNone) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  const std::vector<NamedContent> both = {{path, bytes("new")}, {folder.path("none/b"), bytes("new")}};
  EXPECT_THROW(write_files(both), Error);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(folder.path()), 1U);
}

TEST(NewFile, NothingElseIsReplaced) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(NewFile(folder.path(), NewFile::For::kReading), Error);
  EXPECT_THROW(write_files(std::vector<NamedContent>{{"/dev/full", bytes("x")}}), Error);
  write_files(std::vector<NamedContent>{{"/dev/null", bytes("x")}});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(HeldSignals, WaitUntilTheLastIsGone) {
  sigset_t now;
  const auto is_blocked = [&](int signal) {
    return ::pthread_sigmask(SIG_BLOCK, nullptr, &now) == 0 && ::sigismember(&now, signal) == 1;
  };
  auto first = std::make_unique<HeldSignals>();
  auto second = std::make_unique<HeldSignals>();
  EXPECT_TRUE(is_blocked(SIGTERM));
  first.reset();
  EXPECT_TRUE(is_blocked(SIGTERM));
  second.reset();
  EXPECT_FALSE(is_blocked(SIGTERM));
  EXPECT_FALSE(HeldSignals::any_waits());
}

}  // namespace
}  // namespace coracle::internal
