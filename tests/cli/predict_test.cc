// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "files.h"
#include "program.h"
#include "support/archive_writer.h"

// predict, with the detector of tests/vision, which is no trained one: what it finds are the colours of the picture.
namespace coracle::internal {
namespace {

namespace fs = std::filesystem;

constexpr int kWrongUsage = 2;
constexpr int kInvalid = 3;
constexpr int kNotSupported = 4;
constexpr int kInputOutput = 5;

class Predict : public testing::Test {
 protected:
  Predict() {
    fs::create_directories(folder_.path("pictures"));
    test::write_png(folder_.path("pictures/b.png"), 90, 120, {250, 10, 10});
    test::write_jpeg(folder_.path("pictures/a.JPG"), 60, 40, {10, 10, 250});
    folder_.write("pictures/notes.txt", "no picture");
  }

  static std::vector<std::string> words(const std::string& text, const std::vector<std::string>& pictures) {
    std::vector<std::string> all = {"predict"};
    std::istringstream in(text);
    for (std::string word; in >> word;) all.push_back(word);
    all.insert(all.end(), pictures.begin(), pictures.end());
    return all;
  }
  std::vector<std::string> detector(const std::string& options) const {
    return words(model_ + " --description " CORACLE_VISION_TESTS "/descriptions/objects.yml " + options,
                 {folder_.path("pictures")});
  }

  const test::TemporaryFolder folder_;
  const std::string model_ = CORACLE_VISION_TESTS "/objects";
};

TEST_F(Predict, AFolderAsText) {
  const test::Outcome outcome = test::coracle_program(detector(""));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const size_t a = outcome.out.find("a.JPG  40 x 60 pixels\n");
  const size_t b = outcome.out.find("b.png  120 x 90 pixels\n");
  ASSERT_NE(b, std::string::npos) << outcome.out;
  EXPECT_LT(a, b);  // By name.
  EXPECT_NE(outcome.out.find("0 person", b), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("2 car", a), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("2 car", b), std::string::npos) << outcome.out;
}

// The same detector without its non-maximum suppression.
TEST_F(Predict, DetectorsThatLeaveSuppressionToTheirUser) {
  const std::string raw =
      CORACLE_VISION_TESTS "/raw_objects --description " CORACLE_VISION_TESTS "/descriptions/objects.yml";
  const test::Outcome outcome = test::coracle_program(words(raw, {folder_.path("pictures")}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, test::coracle_program(detector("")).out);
  const std::string strides = folder_.write("s.yml", "Preprocess: []\nlabel_list: [a]\nfpn_stride: [0]\n");
  test::expect_failure(words(model_ + " --description " + strides, {folder_.path("pictures/b.png")}), kInvalid,
                       {"s.yml:3"});
  const std::string overlap = folder_.write("n.yml", "Preprocess: []\nlabel_list: [a]\nNMS: {nms_threshold: 2}\n");
  test::expect_failure(words(model_ + " --description " + overlap, {folder_.path("pictures/b.png")}), kInvalid,
                       {"n.yml:3", "expected an overlap from 0 to 1"});
}

// Models that give masks with their objects.
TEST_F(Predict, MasksOfInstances) {
  const std::string model =
      CORACLE_VISION_TESTS "/instances --description " CORACLE_VISION_TESTS "/descriptions/instances.yml ";
  const std::string picture = folder_.path("pictures/b.png");
  const test::Outcome text = test::coracle_program(words(model, {picture}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find(" pixels\n   2 "), std::string::npos) << text.out;
  const test::Outcome csv = test::coracle_program(words(model + "--csv", {picture}));
  std::istringstream lines(csv.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "picture,id,name,score,left,top,right,bottom,area");
  while (std::getline(lines, line)) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 8) << line;
  const std::string out = folder_.path("masks");
  const test::Outcome json = test::coracle_program(words(model + "--json --draw " + out, {picture}));
  rapidjson::Document d;
  ASSERT_FALSE(d.Parse(json.out.c_str()).HasParseError()) << json.out;
  EXPECT_STREQ(d["task"].GetString(), "instance-segmentation");
  ASSERT_GT(d["objects"].Size(), 1U);
  for (const auto& object : d["objects"].GetArray()) {
    EXPECT_EQ(object["mask"]["size"][0].GetInt(), 90);
    unsigned all = 0;
    unsigned inside = 0;
    bool in = false;
    for (const auto& count : object["mask"]["counts"].GetArray()) {
      all += count.GetUint();
      inside += in ? count.GetUint() : 0;
      in = !in;
    }
    EXPECT_EQ(all, 120U * 90);
    EXPECT_EQ(inside, object["area"].GetUint());
  }
  EXPECT_TRUE(fs::exists(out + "/b_answer.png"));
  // Boxes alone, where that is asked for; no masks where the model has none.
  const test::Outcome boxes = test::coracle_program(words(model + "--json --task object-detection", {picture}));
  EXPECT_EQ(boxes.out.find("mask"), std::string::npos) << boxes.out;
  EXPECT_NE(boxes.out.find("\"box\""), std::string::npos) << boxes.out;
  test::expect_failure(detector("--task instance-segmentation"), kWrongUsage,
                       {"the model gives no masks, so it is for object-detection, not for instance-segmentation"});
}

TEST_F(Predict, Keypoints) {
  const std::string model = CORACLE_VISION_TESTS "/keypoints ";
  const std::string description = "--description " CORACLE_VISION_TESTS "/descriptions/keypoints.yml ";
  const std::string picture = folder_.path("pictures/b.png");
  const test::Outcome text = test::coracle_program(words(model + description, {picture}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 18) << text.out;
  EXPECT_NE(text.out.find("  16 right_ankle  ("), std::string::npos) << text.out;
  EXPECT_EQ(test::coracle_program(words(model + "--task keypoints", {picture})).out, text.out);
  const test::Outcome csv = test::coracle_program(words(model + description + "--csv", {picture}));
  EXPECT_TRUE(csv.out.starts_with("picture,id,name,score,x,y\n")) << csv.out;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), ','), 18 * 5) << csv.out;
  const test::Outcome json = test::coracle_program(words(model + description + "--json", {picture}));
  rapidjson::Document d;
  ASSERT_FALSE(d.Parse(json.out.c_str()).HasParseError()) << json.out;
  ASSERT_EQ(d["keypoints"].Size(), 17U);
  EXPECT_STREQ(d["keypoints"][0]["name"].GetString(), "nose");
  EXPECT_GT(d["score"].GetDouble(), 0);
  const test::Outcome none = test::coracle_program(words(model + description + "--threshold 1", {picture}));
  EXPECT_NE(none.out.find("nothing found"), std::string::npos) << none.out;
}

TEST_F(Predict, ThresholdsAreForClassesToo) {
  const std::string model = CORACLE_SHARED "/models/pir-PP-LCNet_x0_25_textline_ori";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << model << " is absent";
  const std::string picture = folder_.path("pictures/b.png");
  const auto labels = [&](const std::string& options) {
    const test::Outcome outcome = test::coracle_program(words(model + " --json" + options, {picture}));
    rapidjson::Document d;
    EXPECT_FALSE(d.Parse(outcome.out.c_str()).HasParseError()) << outcome.out << outcome.err;
    return d["labels"].Size();
  };
  EXPECT_EQ(labels(" --topk 2"), 2U);
  EXPECT_EQ(labels(" --topk 2 --threshold 0.5"), 1U) << "of two one is above a half";
  EXPECT_EQ(labels(" --topk 2 --threshold 1"), 0U);
}

TEST_F(Predict, JsonHasALineForEachPicture) {
  std::vector<std::string> arguments = detector("--json --threshold 0.2");
  arguments.push_back(folder_.path("absent.png"));
  const test::Outcome outcome = test::coracle_program(arguments);
  EXPECT_EQ(outcome.code, kInputOutput);
  EXPECT_NE(outcome.err.find("absent.png: there is no such file\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("there is no answer for 1 of 3 pictures"), std::string::npos) << outcome.err;
  std::istringstream lines(outcome.out);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    rapidjson::Document d;
    ASSERT_FALSE(d.Parse(line.c_str()).HasParseError()) << line;
    EXPECT_EQ(d.HasMember("error"), count == 2) << line;
    if (count == 2) continue;
    EXPECT_STREQ(d["task"].GetString(), "object-detection");
    ASSERT_FALSE(d["objects"].Empty());
    EXPECT_EQ(d["objects"][0]["box"].Size(), 4U);
  }
  EXPECT_EQ(count, 3U);
}

TEST_F(Predict, CsvHasANumberOfColumns) {
  const test::Outcome outcome = test::coracle_program(detector("--csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "picture,id,name,score,left,top,right,bottom");
  while (std::getline(lines, line)) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 7) << line;
}

TEST_F(Predict, Drawings) {
  const std::string out = folder_.path("out");
  std::vector<std::string> arguments = detector("--draw " + out);
  arguments.push_back(folder_.path("pictures/b.png"));  // Once more: its drawing gets a name of its own.
  const test::Outcome outcome = test::coracle_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"a_answer.png", "b_answer.png", "b_2_answer.png"})
    EXPECT_TRUE(fs::exists(out + "/" + name)) << name;
}

TEST_F(Predict, ArchivesHaveTheirDescriptionWithThem) {
  const auto content = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string program = content(model_ + "/inference.pdmodel");
  const std::string description = content(CORACLE_VISION_TESTS "/descriptions/objects.yml");
  const std::string expected = test::coracle_program(detector("")).out;
  for (const char* inside : {"", "objects_infer/"}) {
    const test::ArchivedFiles files{{std::string(inside) + "inference.pdmodel", program},
                                    {std::string(inside) + "inference.yml", description}};
    const std::string tar = test::tar_archive(files);
    for (const std::string& model : {folder_.write("m.tar", tar), folder_.write("m.tar.gz", test::gzipped(tar)),
                                     folder_.write("m.zip", test::zip_archive(files, true))}) {
      EXPECT_EQ(test::coracle_program(words(model, {folder_.path("pictures")})).out, expected) << model;
    }
  }
  const std::string broken = folder_.write(
      "broken.tar", test::tar_archive({{"m/inference.pdmodel", program}, {"m/inference.yml", "PreProcess: ["}}));
  test::expect_failure(words(broken, {folder_.path("pictures")}), kInvalid, {"broken.tar/inference.yml:"});
}

TEST_F(Predict, TakesEveryFormatOfPictures) {
  const std::array<uint8_t, 3> colour{250, 10, 10};
  fs::create_directories(folder_.path("formats"));
  test::write_png(folder_.path("formats/a.PNG"), 40, 60, colour);
  test::write_bmp(folder_.path("formats/b.Bmp"), 40, 60, colour, 24);
  test::write_cmyk_jpeg(folder_.path("formats/c.JPEG"), 40, 60, colour);
  test::write_oriented_png(folder_.path("formats/d.png"), 2, 3, 6);
  const bool has_webp = test::write_webp(folder_.path("formats/e.WEBP"), 40, 60, colour);
  const test::Outcome outcome = test::coracle_program(
      words(model_ + " --description " CORACLE_VISION_TESTS "/descriptions/objects.yml", {folder_.path("formats")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* line :
       {"a.PNG  60 x 40 pixels", "b.Bmp  60 x 40 pixels", "c.JPEG  60 x 40 pixels", "d.png  2 x 3 pixels"})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("e.WEBP  60 x 40 pixels") != std::string::npos, has_webp) << outcome.out;
}

TEST_F(Predict, BrokenPicturesDoNotStopTheOthers) {
  folder_.write("pictures/a0.png", "\x89PNG\r\n\x1a\n and no more");
  const test::Outcome outcome = test::coracle_program(detector(""));
  EXPECT_EQ(outcome.code, kInputOutput);
  EXPECT_NE(outcome.err.find("a0.png: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("b.png"), std::string::npos) << outcome.out;
}

/// A classifier that declares 32 x 100 and is trained with 48 x 192, without inference.yml.
TEST_F(Predict, ModelsOfKnownFamiliesNeedNoDescription) {
  const std::string shared = CORACLE_SHARED "/models/ppocr-v2.0-cls";
  const std::string word = CORACLE_SHARED "/models/images/imgs_words_en/word_10.png";
  if (!fs::exists(shared) || !fs::exists(word)) GTEST_SKIP() << shared << " is absent";
  fs::create_directories(folder_.path("m"));
  for (const char* name : {"inference.pdmodel", "inference.pdiparams"})
    fs::copy(shared + "/" + name, folder_.path(std::string("m/") + name));
  for (const std::string& options : {shared, shared + " --task classification", folder_.path("m")}) {
    const test::Outcome outcome = test::coracle_program(words(options + " --json", {word}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("coracle: note: ")) << outcome.err;
    EXPECT_NE(outcome.err.find("no inference.yml beside the model; pictures are prepared as for a PP-OCR classifier of "
                               "the angle of lines: resized to 48 x 192"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.out.find("\"name\":\"0\""), std::string::npos) << outcome.out;
  }
  test::expect_failure(
      words(std::string(CORACLE_SHARED "/models/ppocr-v2.0-en-rec") + " --labels " + folder_.write("d.txt", "a\nb\n"),
            {word}),
      kWrongUsage, {"97 classes of characters"});
}

TEST_F(Predict, WhatIsMissingIsSaid) {
  const std::string picture = folder_.path("pictures/b.png");
  test::expect_failure(words(model_, {picture}), kWrongUsage,
                       {"there is no inference.yml beside the model",
                        "a 'task' for what is usual (classification, multilabel, text-detection, "
                        "text-recognition, segmentation,",
                        "'labels'"});
  test::expect_failure(words(model_ + " --task guess", {picture}), kWrongUsage,
                       {"no task 'guess'", "text-recognition"});
  test::expect_failure(words(model_ + " --task object-detection", {picture}), kWrongUsage, {"infer_cfg.yml"});
  test::expect_failure(words(model_ + " --task text-recognition", {picture}), kWrongUsage, {"dictionary", "'labels'"});
  test::expect_failure(words(model_ + " --task classification --json --csv", {picture}), kWrongUsage,
                       {"--csv", "--json"});
  test::expect_failure(words(model_ + " --task classification --labels " + folder_.path("none"), {picture}),
                       kInputOutput, {"none: there is no such file"});
  test::expect_failure(words(model_ + " --task classification",
                             {folder_.write("empty/x.txt", "").substr(0, folder_.path("empty").size())}),
                       kInputOutput, {"there is no picture"});
}

TEST_F(Predict, DescriptionsThatCannotBeFollowed) {
  const std::string picture = folder_.path("pictures/b.png");
  const std::string unknown = folder_.write("u.yml", "Preprocess:\n- {type: Mosaic}\nlabel_list: [a]\n");
  test::expect_failure(words(model_ + " --description " + unknown, {picture}), kNotSupported,
                       {"u.yml:2: step 'Mosaic' is not known; known are: NormalizeImage"});
  test::expect_failure(words(model_ + " --description " + folder_.path("none.yml"), {picture}), kInputOutput,
                       {"none.yml: there is no such file"});
  const std::string damaged = folder_.write("d.yml", "Preprocess: [\n");
  test::expect_failure(words(model_ + " --description " + damaged, {picture}), kInvalid, {"d.yml:", "not YAML"});
  const std::string other = CORACLE_VISION_TESTS "/descriptions/topk.yml";
  test::expect_failure(words(model_ + " --description " + other + " --task segmentation", {picture}), kWrongUsage,
                       {"describes a model for classification"});
  test::expect_failure(words(model_ + " --description " + other, {picture}), kInvalid,
                       {"topk.yml: an output for classification is [1, classes], the model gives ["});
  const std::string recurrent = test::write_model(folder_, test::sequence_model());
  test::expect_failure(words(recurrent + " --task classification", {picture}), kWrongUsage,
                       {"takes no pictures", "coracle run"});
}

}  // namespace
}  // namespace coracle::internal
