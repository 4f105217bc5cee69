// SPDX-License-Identifier: Apache-2.0
// What predict reads: folders with those below them, pages of PDFs, frames of videos, several pictures at a time.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "files.h"
#include "program.h"
#include "support/pdf_writer.h"

namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

constexpr int kUsage = 2;
constexpr int kFailedRead = 5;

bool in_path(const std::string& program) { return std::system(("command -v " + program + " >/dev/null").c_str()) == 0; }

#define SKIP_WITHOUT(program, package) \
  if (!in_path(program)) GTEST_SKIP() << program << " is absent (Debian: apt install " package ")"

/// Without programs in PATH while it lives.
class EmptyPath {
 public:
  EmptyPath() : before_(std::getenv("PATH")) { ::setenv("PATH", "/nonexistent", 1); }
  ~EmptyPath() { ::setenv("PATH", before_.c_str(), 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;

 private:
  std::string before_;
};

class Sources : public testing::Test {
 protected:
  test::Outcome predict(const std::vector<std::string>& more, const std::string& options = {}) const {
    std::vector<std::string> words = {"predict", CORACLE_VISION_TESTS "/objects", "--description",
                                      CORACLE_VISION_TESTS "/descriptions/objects.yml"};
    std::istringstream in(options);
    for (std::string word; in >> word;) words.push_back(word);
    words.insert(words.end(), more.begin(), more.end());
    return test::coracle_program(words);
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  static rapidjson::Document json(const std::string& line) {
    rapidjson::Document d;
    EXPECT_FALSE(d.Parse(line.c_str()).HasParseError()) << line;
    return d;
  }
  /// Ten frames for each second.
  std::string video(const std::string& name, int frames, const std::string& size = "64x48") const {
    const std::string path = folder_.path(name);
    const std::string command = "ffmpeg -nostdin -loglevel error -f lavfi -i testsrc=size=" + size +
                                ":rate=10 -frames:v " + std::to_string(frames) + " '" + path + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }

  const test::TemporaryFolder folder_;
};

TEST_F(Sources, FoldersBelowAFolderKeepTheirPlaces) {
  for (const char* inside : {"in/a", "in/b", "in/.hidden"}) fs::create_directories(folder_.path(inside));
  for (const char* name : {"in/a/x.png", "in/b/x.png", "in/.hidden/x.png"})
    test::write_png(folder_.path(name), 40, 60, {250, 10, 10});
  fs::create_directory_symlink(folder_.path("in"), folder_.path("in/b/loop"));
  const std::string out = folder_.path("out");
  const test::Outcome outcome = predict({folder_.path("in")}, "--json --draw " + out);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(lines(outcome.out).size(), 2U) << outcome.out;
  EXPECT_EQ(json(lines(outcome.out)[1])["drawing"].GetString(), out + "/b/x_answer.png");
  EXPECT_TRUE(fs::exists(out + "/a/x_answer.png"));
  EXPECT_TRUE(fs::exists(out + "/b/x_answer.png"));
}

TEST_F(Sources, PagesOfAPdf) {
  SKIP_WITHOUT("pdftoppm", "poppler-utils");
  const std::string pdf = folder_.write("a report.pdf", test::pdf_file({{"one"}, {"two", 72, 144}, {"three"}}));
  const test::Outcome all = predict({pdf}, "--json");
  EXPECT_EQ(all.code, 0) << all.err;
  ASSERT_EQ(lines(all.out).size(), 3U) << all.out;
  for (int page = 1; page <= 3; ++page) {
    const rapidjson::Document d = json(lines(all.out)[static_cast<size_t>(page - 1)]);
    EXPECT_EQ(d["picture"].GetString(), pdf);
    EXPECT_EQ(d["page"].GetInt(), page);
    EXPECT_EQ(d["width"].GetInt(), page == 2 ? 144 : 288) << "at 144 pixels for an inch of 72 points";
  }
  const test::Outcome some = predict({pdf}, "--pages 2-,1 --dpi 72");
  EXPECT_EQ(some.code, 0) << some.err;
  const size_t two = some.out.find("a report.pdf, page 2  72 x 144 pixels\n");
  const size_t three = some.out.find("a report.pdf, page 3  144 x 72 pixels\n");
  const size_t one = some.out.find("a report.pdf, page 1  144 x 72 pixels\n");
  ASSERT_NE(one, std::string::npos) << some.out;
  EXPECT_LT(two, three);
  EXPECT_LT(three, one);
}

TEST_F(Sources, PagesInTablesAndDrawings) {
  SKIP_WITHOUT("pdftoppm", "poppler-utils");
  const std::string pdf = folder_.write("in/r.pdf", test::pdf_file(std::vector<test::PdfPage>(10, {"x"})));
  const std::string picture = folder_.path("in/z.png");
  test::write_png(picture, 40, 60, {250, 10, 10});
  const std::string out = folder_.path("out");
  const test::Outcome outcome = predict({folder_.path("in")}, "--csv --pages 9-10 --draw " + out);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out)[0], "picture,page,id,name,score,left,top,right,bottom");
  EXPECT_NE(outcome.out.find("\n" + pdf + ",10,"), std::string::npos);
  EXPECT_NE(outcome.out.find("\n" + picture + ",,"), std::string::npos);
  for (const char* name : {"r_page09_answer.png", "r_page10_answer.png", "z_answer.png"})
    EXPECT_TRUE(fs::exists(out + "/" + name)) << name;
}

TEST_F(Sources, PdfsThatCannotBeRead) {
  SKIP_WITHOUT("pdftoppm", "poppler-utils");
  const std::string good = test::pdf_file({{"one"}, {"two"}});
  const std::string folder = folder_.path("in");
  folder_.write("in/1broken.pdf", "%PDF-1.4\nand no more");
  folder_.write("in/2empty.pdf", "");
  folder_.write("in/3secret.pdf", test::pdf_file({{"one"}}, true));
  folder_.write("in/4cut.pdf", good.substr(0, good.size() / 2));
  folder_.write("in/5huge.pdf", test::pdf_file({{"a", 14400, 14400}, {"b"}}));
  folder_.write("in/6good.pdf", good);
  const test::Outcome outcome = predict({folder}, "--json");
  EXPECT_EQ(outcome.code, kFailedRead);
  EXPECT_NE(outcome.err.find("1broken.pdf: pdfinfo says: Syntax Error: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("3secret.pdf: pdfinfo says: Command Line Error: Incorrect password\n"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("5huge.pdf, page 1: has 28800 x 28800 pixels at 144 dpi; 134217728 are allowed"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("2empty.pdf: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("5huge.pdf\",\"page\":1,\"error\":"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("5huge.pdf\",\"width\":288,\"height\":144,\"page\":2,"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("6good.pdf\",\"width\":288,\"height\":144,\"page\":2,"), std::string::npos) << outcome.out;
  const test::Outcome beyond = predict({folder_.path("in/6good.pdf")}, "--pages 3");
  EXPECT_EQ(beyond.code, kFailedRead);
  EXPECT_NE(beyond.err.find("6good.pdf: has 2 pages; page 3 was asked for"), std::string::npos) << beyond.err;
}

TEST_F(Sources, NamesAreNoOptions) {
  SKIP_WITHOUT("pdftoppm", "poppler-utils");
  SKIP_WITHOUT("ffmpeg", "ffmpeg");
  fs::create_directories(folder_.path("in"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path("in"));
  const std::string odd = "-r $(touch made) ;'%d.";
  std::ofstream(odd + "pdf", std::ios::binary) << test::pdf_file({{"one"}});
  fs::copy(video("v.mp4", 2), odd + "mp4");
  const test::Outcome outcome = test::coracle_program({"predict", CORACLE_VISION_TESTS "/objects", "--description",
                                                       CORACLE_VISION_TESTS "/descriptions/objects.yml", "--json", "--",
                                                       odd + "pdf", odd + "mp4"});
  fs::current_path(before);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out).size(), 3U) << outcome.out;
  EXPECT_FALSE(fs::exists(folder_.path("in/made")));
}

TEST_F(Sources, FramesOfAVideo) {
  SKIP_WITHOUT("ffmpeg", "ffmpeg");
  const std::string film = video("film.mp4", 20);
  const auto frames = [&](const std::string& options) {
    std::vector<std::pair<int, double>> found;
    const test::Outcome outcome = predict({film}, "--json " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const std::string& line : lines(outcome.out)) {
      const rapidjson::Document d = json(line);
      EXPECT_EQ(d["width"].GetInt(), 64);
      found.emplace_back(d["frame"].GetInt(), d["time"].GetDouble());
    }
    return found;
  };
  EXPECT_EQ(frames("").size(), 20U);
  EXPECT_EQ(frames("--every 8"), (std::vector<std::pair<int, double>>{{0, 0}, {8, 0.8}, {16, 1.6}}));
  EXPECT_EQ(frames("--fps 2"), (std::vector<std::pair<int, double>>{{0, 0}, {5, 0.5}, {10, 1}, {15, 1.5}}));
  EXPECT_EQ(frames("--fps 1000").size(), 20U);
  const test::Outcome table = predict({film}, "--csv --every 8");
  EXPECT_EQ(lines(table.out)[0], "picture,frame,time,id,name,score,left,top,right,bottom");
  EXPECT_NE(table.out.find("film.mp4,8,0.800,"), std::string::npos) << table.out;
  EXPECT_NE(predict({film}, "--every 8").out.find("film.mp4, frame 8 (0.80 s)  64 x 48 pixels\n"), std::string::npos);
}

TEST_F(Sources, FramesAreDrawnAsPicturesOrAsAVideo) {
  SKIP_WITHOUT("ffmpeg", "ffmpeg");
  const std::string film = video("film.mp4", 6, "63x47");
  const std::string out = folder_.path("out");
  EXPECT_EQ(predict({film}, "--every 3 --draw " + out).code, 0);
  EXPECT_TRUE(fs::exists(out + "/film_frame000003_answer.png"));
  const std::string as_video = folder_.path("video");
  const test::Outcome outcome = predict({film}, "--json --draw-video --draw " + as_video);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(as_video), fs::directory_iterator()), 1);
  const test::Outcome again = predict({as_video + "/film_answer.mp4"}, "--json");
  EXPECT_EQ(again.code, 0) << again.err;
  ASSERT_EQ(lines(again.out).size(), 6U) << "as many frames as were drawn";
  EXPECT_EQ(json(lines(again.out)[5])["width"].GetInt(), 64) << "sizes are even";
  EXPECT_NEAR(json(lines(again.out)[5])["time"].GetDouble(), 0.5, 0.001);
}

TEST_F(Sources, VideosThatCannotBeRead) {
  SKIP_WITHOUT("ffmpeg", "ffmpeg");
  const std::string film = video("film.mp4", 20);
  std::ifstream file(film, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  folder_.write("in/1empty.mp4", "");
  folder_.write("in/2junk.mkv", "junk");
  folder_.write("in/3cut.mp4", content.substr(0, content.size() / 2));
  folder_.write("in/4list.mp4", "#EXTM3U\n#EXTINF:1,\n" + film + "\n#EXT-X-ENDLIST\n");
  folder_.write("in/5list.avi", "ffconcat version 1.0\nfile '" + film + "'\n");
  const test::Outcome outcome = predict({folder_.path("in")}, "--json");
  EXPECT_EQ(outcome.code, kFailedRead);
  EXPECT_EQ(lines(outcome.out).size(), 5U) << outcome.out;
  for (const char* name : {"1empty.mp4", "2junk.mkv", "3cut.mp4", "4list.mp4", "5list.avi"})
    EXPECT_NE(outcome.err.find(std::string(name) + ": ffprobe says: "), std::string::npos) << outcome.err;
}

TEST_F(Sources, MissingProgramsAreNamed) {
  const std::string pdf = folder_.write("in/a.pdf", test::pdf_file({{"one"}}));
  folder_.write("in/b.mp4", "");
  test::write_png(folder_.path("in/c.png"), 40, 60, {250, 10, 10});
  const EmptyPath path;
  const test::Outcome outcome = predict({folder_.path("in")});
  EXPECT_EQ(outcome.code, kFailedRead);
  EXPECT_NE(
      outcome.err.find("a.pdf: is read by the program pdfinfo, which is not installed or not in PATH (Debian: apt "
                       "install poppler-utils)\n"),
      std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("b.mp4: is read by the program ffprobe"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("c.png  60 x 40 pixels"), std::string::npos) << outcome.out;
}

TEST_F(Sources, SeveralAtATimeAnswerTheSameInTheSameOrder) {
  for (int i = 0; i < 12; ++i) folder_.write("in/" + std::to_string(i) + ".txt", "");
  for (int i = 10; i < 30; ++i)
    test::write_png(folder_.path("in/" + std::to_string(i) + ".png"), 40 + i, 60 + 3 * (i % 7), {250, uint8_t(i), 10});
  folder_.write("in/15a.png", "broken");
  const test::Outcome one = predict({folder_.path("in")}, "--json");
  const test::Outcome three = predict({folder_.path("in")}, "--json --jobs 3");
  EXPECT_EQ(one.code, kFailedRead);
  EXPECT_EQ(three.code, kFailedRead);
  EXPECT_EQ(lines(one.out).size(), 21U);
  EXPECT_EQ(three.out, one.out);
  EXPECT_EQ(three.err, one.err);
}

TEST_F(Sources, AnInterruptionEndsTheProgramsToo) {
  SKIP_WITHOUT("ffmpeg", "ffmpeg");
  const std::string film = video("film.mp4", 2000, "320x240");
  const test::Outcome outcome = test::coracle_program(
      {"predict", CORACLE_VISION_TESTS "/objects", "--description", CORACLE_VISION_TESTS "/descriptions/objects.yml",
       "--draw", folder_.path("out"), "--draw-video", film, film, film},
      folder_.path("answers"), 1000);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "coracle: interrupted\n");
  EXPECT_FALSE(fs::exists(folder_.path("out/film_answer.mp4"))) << "a video that is not whole";
}

TEST_F(Sources, OptionsThatMakeNoSense) {
  const std::string picture = folder_.path("x.png");
  test::write_png(picture, 40, 60, {250, 10, 10});
  const auto refused = [&](const std::string& options, const std::string& part) {
    const test::Outcome outcome = predict({picture}, options);
    EXPECT_EQ(outcome.code, kUsage) << options;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused("--pages 3-1", "--pages: '3-1' are no pages: expected numbers from 1 on and ranges");
  refused("--dpi 0", "--dpi");
  refused("--every 0", "--every");
  refused("--every 2 --fps 3", "--fps");
  refused("--jobs 0", "--jobs");
  refused("--draw-video", "--draw");
}

}  // namespace
}  // namespace coracle::internal
