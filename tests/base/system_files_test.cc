// SPDX-License-Identifier: Apache-2.0
// What every system has to do with files whose names and folders have letters beyond ASCII.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/new_file.h"
#include "base/system/files.h"
#include "base/system/folder.h"
#include "base/system/kept_files.h"
#include "base/system/native_path.h"
#include "base/system/path.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

class SystemFiles : public ::testing::Test {
 protected:
  SystemFiles() { EXPECT_TRUE(make_folders(folder_)); }
  ~SystemFiles() override { remove_file(path_); }

  void write(std::string_view content, NewFile::For whom) const {
    NewFile file(path_, whom);
    file.write({reinterpret_cast<const uint8_t*>(content.data()), content.size()});
    file.commit();
  }
  std::string read() const {
    const FileBytes all = File::open(path_).value().read_all();
    return {all.bytes.begin(), all.bytes.end()};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    Folder folder(folder_);
    EXPECT_TRUE(folder.is_open());
    while (const char* name = folder.next()) found.emplace_back(name);
    std::erase_if(found, [](const std::string& name) { return name == "." || name == ".."; });
    std::sort(found.begin(), found.end());
    return found;
  }

  const test::TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path("Модели/模型");
  const std::string path_ = folder_ + "/größe é.bin";
};

TEST_F(SystemFiles, AreWrittenReadAndListed) {
  write("one", NewFile::For::kAnyone);
  EXPECT_EQ(read(), "one");
  EXPECT_EQ(names(), std::vector<std::string>{"größe é.bin"});
  FileStatus status;
  ASSERT_TRUE(status_of(path_, status));
  EXPECT_EQ(status.size, 3U);
  EXPECT_TRUE(status.is_regular);
  EXPECT_TRUE(status.has_writers);
  ASSERT_TRUE(status_of(folder_, status));
  EXPECT_TRUE(status.is_folder);
  EXPECT_FALSE(File::open(folder_ + "/нет").has_value());
}

TEST_F(SystemFiles, AreReplacedWhileTheyAreOpenAndMapped) {
  write("one", NewFile::For::kReading);
  FileStatus status;
  ASSERT_TRUE(status_of(path_, status));
  EXPECT_FALSE(status.has_writers);
  File mapped = File::open(path_).value();
  mapped.map();
  const File open = File::open(path_).value();
  write("two, longer", NewFile::For::kReading);
  EXPECT_EQ(read(), "two, longer");
  ASSERT_NE(mapped.in_place(), nullptr);
  EXPECT_EQ(std::string(mapped.in_place()->bytes.begin(), mapped.in_place()->bytes.end()), "one");
  std::vector<uint8_t> bytes(3);
  EXPECT_EQ(open.read(0, bytes), 3U);
  EXPECT_EQ(bytes[0], 'o');
}

TEST_F(SystemFiles, LeaveNothingWhereTheyAreNotCommitted) {
  {
    NewFile file(path_, NewFile::For::kAnyone);
    file.pad(64);
  }
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST_F(SystemFiles, AreLockedByOneAtATime) {
  const int first = open_lock(path_);
  const int second = open_lock(path_);
  ASSERT_GE(first, 0);
  ASSERT_GE(second, 0);
  EXPECT_EQ(try_lock(first), LockAttempt::kHeld);
  EXPECT_EQ(try_lock(second), LockAttempt::kTaken);
  close_file(second);
  give_up_lock(first, path_);
  EXPECT_EQ(names(), std::vector<std::string>{});
}

TEST(Paths, BecomeAbsolute) {
  std::error_code failed;
  for (const char* name : {"model", "./model", "../a/model", "/models/x"}) {
    EXPECT_EQ(absolute_path(name), path_text(std::filesystem::absolute(native_path(name), failed)));
  }
}

TEST(SystemPaths, AreAbsoluteByTheSystem) {
  EXPECT_TRUE(is_absolute("/models"));
  EXPECT_FALSE(is_absolute("models/x"));
  EXPECT_FALSE(is_absolute(""));
#if defined(_WIN32)
  EXPECT_TRUE(is_absolute("C:/models"));
  EXPECT_TRUE(is_absolute("C:\\models"));
  EXPECT_FALSE(is_absolute("C:models"));
  EXPECT_TRUE(names_a_place("..\\x"));
  EXPECT_TRUE(names_a_place("weights:stream"));
#else
  EXPECT_FALSE(is_absolute("C:/models"));
  EXPECT_FALSE(names_a_place("..\\x:y"));
#endif
}

}  // namespace
}  // namespace coracle::internal
