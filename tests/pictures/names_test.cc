// SPDX-License-Identifier: Apache-2.0
#include "pictures/names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "coracle/vision/image.h"
#include "pictures/program.h"
#include "support/temporary_folder.h"

namespace coracle::pictures {
namespace {

namespace fs = std::filesystem;
using internal::test::TemporaryFolder;

std::vector<std::string> stems(const std::vector<Given>& files) {
  std::vector<std::string> all;
  for (const Given& file : files) all.push_back(file.stem);
  return all;
}

TEST(Files, OfAFolderAndThoseBelow) {
  const TemporaryFolder folder;
  for (const char* name : {"b.png", "a/2.JPG", "a/1.pdf", "a/deep/x.y.mp4", "c/notes.txt", ".hidden/z.png", "a/.z.png"})
    folder.write(name, "");
  const std::vector<Given> files = files_of({folder.path()});
  EXPECT_EQ(stems(files), (std::vector<std::string>{"a/1", "a/2", "a/deep/x.y", "b"}));
  EXPECT_EQ(files[1].path, folder.path("a/2.JPG"));
}

TEST(Files, GivenOnesHaveTheirNameAndKeepTheirOrder) {
  const TemporaryFolder folder;
  const std::string picture = folder.write("sub/z.png", "");
  EXPECT_EQ(stems(files_of({picture, "none/k.bmp", folder.path()})), (std::vector<std::string>{"z", "k", "sub/z"}));
}

TEST(Files, LinksThatLeadBackAreHarmless) {
  const TemporaryFolder folder;
  folder.write("a/x.png", "");
  const TemporaryFolder other;
  other.write("y.png", "");
  fs::create_directory_symlink(folder.path(), folder.path("a/back"));
  fs::create_directory_symlink(other.path(), folder.path("elsewhere"));
  fs::create_directory_symlink(other.path(), folder.path("once_more"));
  fs::create_symlink("nothing.png", folder.path("broken.png"));
  EXPECT_EQ(stems(files_of({folder.path()})), (std::vector<std::string>{"a/x", "elsewhere/y"}));
}

TEST(Files, AFolderWithoutPicturesIsAnError) {
  const TemporaryFolder folder;
  folder.write("a/notes.txt", "");
  try {
    files_of({folder.path()});
    FAIL();
  } catch (const vision::Error& e) {
    EXPECT_EQ(e.problem(), vision::Problem::kFile);
    EXPECT_NE(std::string(e.what()).find("there is no picture"), std::string::npos) << e.what();
  }
}

TEST(Kinds, AreSaidByEndings) {
  EXPECT_EQ(kind_of("a.PDF"), Kind::kPdf);
  EXPECT_EQ(kind_of("a.Mp4"), Kind::kVideo);
  EXPECT_EQ(kind_of("a.pdf.png"), Kind::kPicture);
  EXPECT_EQ(kind_of("pdf"), Kind::kPicture);
  EXPECT_TRUE(names_picture("x.WebP"));
  EXPECT_FALSE(names_picture("x.pdf"));
}

TEST(Pages, AreNumbersAndRanges) {
  const std::vector<PageRange> pages = parse_pages("1-3,5,7-");
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[0].first, 1);
  EXPECT_EQ(pages[0].last, 3);
  EXPECT_EQ(pages[1].first, 5);
  EXPECT_EQ(pages[1].last, 5);
  EXPECT_EQ(pages[2].first, 7);
  EXPECT_EQ(pages[2].last, INT64_MAX);
  for (const char* wrong : {"", "0", "3-1", "-3", "1,", ",1", "1-2-3", "a", "1 ", "99999999999999999999", "1;2"})
    EXPECT_THROW(parse_pages(wrong), std::invalid_argument) << wrong;
}

TEST(Programs, GetNoPathThatIsAnOption) {
  EXPECT_EQ(as_path("-a.pdf"), "./-a.pdf");
  EXPECT_EQ(as_path("a-.pdf"), "a-.pdf");
}

TEST(Programs, TheLastLineOfAnErrorIsTold) {
  EXPECT_EQ(last_line("Syntax Error: a\nSyntax Error: b\n\n"), "Syntax Error: b");
  EXPECT_EQ(last_line("[error] broken\n[info] n: 1\n"), "[error] broken");
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line(std::string(1000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace coracle::pictures
