// SPDX-License-Identifier: Apache-2.0
#include "archive/unzipped.h"

#include <gtest/gtest.h>

#include <random>

#include "support/archive_writer.h"

namespace coracle::internal {
namespace {

using test::ArchivedFiles;
using test::zip_archive;

constexpr size_t kMost = 100'000;

std::string error_of(const std::string& zip, ErrorCode code, size_t most = kMost) {
  try {
    unzipped("x.zip", zip, most);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.text();
    return error.text();
  }
  ADD_FAILURE() << "it was unpacked";
  return {};
}

const ArchivedFiles kFiles{{"one", "abcdefgh"}, {"two", std::string(1000, 'x')}, {"none", ""}};

TEST(Unzipped, AllFilesInTheirOrder) {
  for (const bool deflate : {false, true}) {
    for (const bool large : {false, true})
      EXPECT_EQ(unzipped("x.zip", zip_archive(kFiles, deflate, large), kMost), kFiles);
  }
}

TEST(Unzipped, NotMoreThanWasAllowed) {
  EXPECT_EQ(unzipped("x.zip", zip_archive(kFiles, true), 1008), kFiles);
  EXPECT_NE(error_of(zip_archive(kFiles, true), ErrorCode::kInvalidModel, 1007).find("unpacks to more than"),
            std::string::npos);
}

TEST(Unzipped, FilesThatShareBytes) {
  // The directory names the bytes of a file once more, as another file.
  std::string zip = zip_archive({{"a", std::string(600, 'a')}}, false);
  const size_t entry = zip.find("PK\x01\x02");
  const size_t end = zip.find("PK\x05\x06");
  const std::string once = zip.substr(entry, end - entry);
  zip.insert(end, once);
  const size_t record = end + once.size();
  zip[record + 8] = zip[record + 10] = 2;
  zip[record + 12] = static_cast<char>(2 * once.size());
  EXPECT_NE(error_of(zip, ErrorCode::kInvalidModel).find("lie over one another"), std::string::npos);
}

TEST(Unzipped, ChecksumsOfStoredFiles) {
  std::string zip = zip_archive(kFiles, false);
  zip[zip.find("abcdefgh")] = 'b';
  EXPECT_NE(error_of(zip, ErrorCode::kInvalidModel).find("checksum"), std::string::npos);
}

TEST(Unzipped, NoArchive) {
  EXPECT_NE(error_of("text", ErrorCode::kInvalidModel).find("it has no directory at its end"), std::string::npos);
}

TEST(Unzipped, DamagedAnywhere) {
  std::mt19937 random(7);
  for (const bool deflate : {false, true}) {
    const std::string zip = zip_archive(kFiles, deflate);
    for (int i = 0; i < 2000; ++i) {
      std::string damaged = zip;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      try {
        for (const auto& [name, content] : unzipped("x.zip", damaged, kMost)) EXPECT_LE(content.size(), 1000U);
      } catch (const Error& error) {
        EXPECT_FALSE(error.text().empty());
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal
