// SPDX-License-Identifier: Apache-2.0
#include "model/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/memory_file.h"
#include "support/temporary_folder.h"

namespace coracle {
namespace {

std::string text_of_pages(size_t pages) {
  std::string text(pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)), 'x');
  for (size_t i = 0; i < text.size(); i += 7) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

std::string_view content(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

TEST(FileBytes, OnDiskCanBePutAwayAndReadAgain) {
  const test::TemporaryFolder folder;
  const std::string text = text_of_pages(8);
  const std::optional<FileBytes> file = disk_source()->open(folder.write("file", text));
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->mapped);
  for (size_t begin : {size_t{0}, size_t{1}, size_t{5000}, text.size() - 1}) {
    file->put_away(file->bytes.subspan(begin));
    EXPECT_EQ(content(*file), text) << begin;
  }
  file->put_away({});
}

TEST(FileBytes, OfACallerStayWhatTheyAre) {
  const FileBytes file = test::memory_file(text_of_pages(8));
  EXPECT_FALSE(file.mapped);
  file.put_away(file.bytes);
  EXPECT_EQ(content(file), text_of_pages(8));
}

}  // namespace
}  // namespace coracle
