// SPDX-License-Identifier: Apache-2.0
#include "base/system/child.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>

#include "coracle/vision/image.h"
#include "pictures/program.h"

namespace coracle::internal {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = std::chrono::milliseconds(60s);

std::string all_of(Child& child) {
  std::string text;
  char part[100];
  while (const size_t count = child.read(part, sizeof part, kLong)) text.append(part, count);
  return text;
}

TEST(Child, GivesWhatItWritesAndSaysOfErrors) {
  Child child({"sh", "-c", "echo out; echo wrong >&2; exit 3"}, Child::Pipe::kOutput);
  ASSERT_EQ(child.error(), 0);
  EXPECT_EQ(all_of(child), "out\n");
  EXPECT_EQ(child.finish(), 3);
  EXPECT_EQ(child.messages(), "wrong\n");
}

TEST(Child, MayWriteManyErrorsBeforeItsOutput) {
  Child child(
      {"sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo a line of an error $i >&2; i=$((i+1)); done; echo out"},
      Child::Pipe::kOutput);
  EXPECT_EQ(all_of(child), "out\n");
  EXPECT_EQ(child.finish(), 0);
  EXPECT_TRUE(child.messages().ends_with("a line of an error 19999\n"));
}

TEST(Child, ThatIsSilentIsEnded) {
  Child child({"sleep", "1000"}, Child::Pipe::kOutput);
  char byte = 0;
  EXPECT_EQ(child.read(&byte, 1, 20ms), 0U);
  EXPECT_TRUE(child.silent());
  EXPECT_EQ(child.finish(), -SIGKILL);
}

TEST(Child, IsEndedWithItsObject) {
  const auto before = std::chrono::steady_clock::now();
  { const Child child({"sleep", "1000"}, Child::Pipe::kOutput); }
  EXPECT_LT(std::chrono::steady_clock::now() - before, 500s);
}

TEST(Child, EndsWhereAHandlerOfASignalAsks) {
  Child child({"sleep", "1000"}, Child::Pipe::kOutput);
  end_children();
  EXPECT_EQ(child.finish(), -SIGKILL);
}

TEST(Child, ReadsWhatIsWritten) {
  Child child({"sh", "-c", "wc -c >&2"}, Child::Pipe::kInput);
  const std::string text(1000000, 'x');
  EXPECT_TRUE(child.write(text.data(), text.size()));
  EXPECT_EQ(child.finish(), 0);
  EXPECT_EQ(std::stoi(child.messages()), 1000000);
}

TEST(Child, ThatReadsNoMoreIsNoticed) {
  std::signal(SIGPIPE, SIG_IGN);
  Child child({"true"}, Child::Pipe::kInput);
  const std::string text(1U << 20U, 'x');
  EXPECT_FALSE(child.write(text.data(), text.size()));
  EXPECT_EQ(child.finish(), 0);
}

TEST(Child, GetsItsWordsAsTheyAre) {
  Child child({"printf", "%s|", "a b", "$(echo x)", "'\"*", "--", ""}, Child::Pipe::kOutput);
  EXPECT_EQ(all_of(child), "a b|$(echo x)|'\"*|--||");
}

TEST(Child, OfNoProgramSaysSo) {
  EXPECT_EQ(Child({"no-such-program-here"}, Child::Pipe::kOutput).error(), ENOENT);
  try {
    pictures::Program("x.pdf", {"no-such-program-here"}, "its-package");
    FAIL();
  } catch (const vision::Error& e) {
    EXPECT_STREQ(e.what(),
                 "x.pdf: is read by the program no-such-program-here, which is not installed or not in PATH (Debian: "
                 "apt install its-package)");
  }
}

vision::Image picture_of(const std::string& text) {
  pictures::Program program("file", {"printf", text}, "package");
  pictures::PpmReader reader(program);
  vision::Image image;
  EXPECT_TRUE(reader.next(image));
  return image;
}

TEST(Ppm, HasRedFirst) {
  const vision::Image image = picture_of("P6\\n2 1\\n255\\nabcdef");
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_EQ(std::string(image.bgr.begin(), image.bgr.end()), "cbafed");
}

TEST(Ppm, BrokenOnesAreErrors) {
  for (const char* text :
       {"P5\\n2 1\\n255\\nabcdef", "P6\\n2 1\\n255\\nabc", "P6\\n0 1\\n255\\n", "P6\\n1 1\\n65535\\nabcdef", "P6",
        "P6\\n20000 20000\\n255\\n", "P6\\n99999999999 1\\n255\\n", "P6\\nx 1\\n255\\n", "junk"})
    EXPECT_THROW(picture_of(text), vision::Error) << text;
}

}  // namespace
}  // namespace coracle::internal
