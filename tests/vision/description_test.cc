// SPDX-License-Identifier: Apache-2.0
#include "vision/description.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.h"
#include "vision/model_place.h"
#include "vision/prepare.h"
#include "vision/yaml.h"

namespace coracle::vision {
namespace {

std::string repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// The message of the error that reading ends in.
template <class Read>
std::string error_of(Read read, Problem problem) {
  try {
    read();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::string yaml_error(const std::string& content) {
  return error_of([&] { Yaml::parse("a.yml", content); }, Problem::kDescription);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Yaml, ValuesOfAllKinds) {
  const Yaml::Pointer root =
      Yaml::parse("a.yml", "a: 1./255.\nb: [1, two, 'null', null]\nc: &x {d: true}\ne: *x\nf: ~\n");
  EXPECT_DOUBLE_EQ(root->at("a").number(), 1. / 255);
  EXPECT_EQ(root->at("b").items()[1]->text(), "two");
  EXPECT_FALSE(root->at("b").items()[2]->is_null());
  EXPECT_TRUE(root->at("b").items()[3]->is_null());
  EXPECT_TRUE(root->at("e").at("d").boolean());
  EXPECT_EQ(root->find("f"), nullptr);
  EXPECT_TRUE(has(error_of([&] { root->at("b").items()[1]->number(); }, Problem::kDescription),
                  "a.yml:2: expected a number, found 'two'"));
  EXPECT_TRUE(has(error_of([&] { root->at("g"); }, Problem::kDescription), "'g' is missing"));
}

TEST(Yaml, HostileFilesEndInErrors) {
  EXPECT_TRUE(has(yaml_error(""), "empty"));
  EXPECT_TRUE(has(yaml_error("a: [1"), "a.yml:"));
  EXPECT_TRUE(has(yaml_error("a: *nothing"), "has no anchor"));
  EXPECT_TRUE(has(yaml_error("a: &x [*x]"), "has no anchor"));  // A value within itself.
  EXPECT_TRUE(has(yaml_error(repeated("[", 200) + repeated("]", 200)), "nested more than"));
  EXPECT_TRUE(has(yaml_error("[" + repeated("1,", 1'100'000) + "1]"), "more than 1000000 values"));
  EXPECT_TRUE(has(yaml_error("a: \xFF\xFE"), "a.yml:"));
  EXPECT_TRUE(has(yaml_error("? [a]\n: b"), "expected a text"));
  // Aliases of aliases: ten to the ninth values if each were copied.
  std::string laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'j'; ++c)
    laughs += std::string(1, c) + ": &" + c + " [" + repeated(std::string("*") + static_cast<char>(c - 1) + ",", 9) +
              "*" + static_cast<char>(c - 1) + "]\n";
  EXPECT_EQ(Yaml::parse("a.yml", laughs)->at("i").items().size(), 10U);
}

class Descriptions : public testing::Test {
 protected:
  std::string written(const std::string& content) {
    const std::string path = folder_.path() + "/inference.yml";
    std::ofstream(path) << content;
    return path;
  }
  Description read(const std::string& content) { return read_description(written(content)); }
  std::string error(const std::string& content, Problem problem) {
    return error_of([&] { read(content); }, problem);
  }

  test::TemporaryFolder folder_;
};

constexpr const char* kNormalise =
    "  - NormalizeImage: {scale: 1./255., mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5], order: ''}\n";
constexpr const char* kTopk = "PostProcess: {Topk: {topk: 3, label_list: [a, b]}}\n";

TEST_F(Descriptions, Classification) {
  const Description d = read(
      std::string("PreProcess:\n  transform_ops:\n  - ResizeImage: {resize_short: 256}\n  - CropImage: {size: 224}\n") +
      kNormalise + "  - ToCHWImage: null\n" + kTopk);
  EXPECT_EQ(d.task, Task::kClassification);
  EXPECT_TRUE(d.rgb);
  EXPECT_EQ(d.topk, 3);
  EXPECT_EQ(d.labels, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(d.steps.size(), 3U);
  const Image image(300, 100);
  const Prepared p = prepare(image, d);
  EXPECT_EQ(p.width, 224);
  EXPECT_EQ(p.values[0], -1.0F);
}

TEST_F(Descriptions, UnknownStepsAndArgumentsAreNamedWithThoseKnown) {
  const std::string step = error(
      std::string("PreProcess:\n  transform_ops:\n  - Blur: {size: 3}\n") + kNormalise + kTopk, Problem::kUnsupported);
  EXPECT_TRUE(has(step, "inference.yml:3: step 'Blur' is not known; known are: CropImage, ")) << step;
  const std::string argument =
      error(std::string("PreProcess:\n  transform_ops:\n  - ResizeImage: {size: 3, angle: 4}\n") + kNormalise + kTopk,
            Problem::kUnsupported);
  EXPECT_TRUE(has(argument, "step ResizeImage has 'angle'")) << argument;
  const std::string post =
      error(std::string("PreProcess:\n  transform_ops:\n") + kNormalise + "PostProcess: {name: Magic}\n",
            Problem::kUnsupported);
  EXPECT_TRUE(has(post, "step 'Magic' is not known; known are: CTCLabelDecode")) << post;
  EXPECT_TRUE(has(error("Global: {model_name: x}\n", Problem::kUnsupported), "has none of PreProcess"));
}

TEST_F(Descriptions, DamageIsToldByLine) {
  const auto resize = [](const std::string& arguments) {
    return "PreProcess:\n  transform_ops:\n  - ResizeImage: " + arguments + "\n" + kNormalise + kTopk;
  };
  EXPECT_TRUE(has(error(resize("{}"), Problem::kDescription), "'size' is missing"));
  EXPECT_TRUE(has(error(resize("{size: [1, 2, 3]}"), Problem::kDescription), "expected two lengths, found 3"));
  EXPECT_TRUE(has(error(resize("{size: -1}"), Problem::kDescription), "expected a length from 1 to"));
  EXPECT_TRUE(has(error(resize("{size: 1e300}"), Problem::kDescription), "expected an integer"));
  EXPECT_TRUE(has(error(resize("[]"), Problem::kDescription), "expected names with values"));
  EXPECT_TRUE(has(error(std::string("PreProcess:\n  transform_ops: []\n") + kTopk, Problem::kDescription),
                  "a step that normalises is missing"));
  EXPECT_TRUE(has(error("PreProcess: 3\n", Problem::kDescription), "'transform_ops' is missing"));
}

TEST_F(Descriptions, SegmentationHasTheDefaultsOfItsExporter) {
  const std::string steps =
      "Deploy:\n  transforms:\n  - {type: Normalize}\n  - {type: Resize, target_size: [100, 50]}\n";
  const Description seg = read(steps);
  ASSERT_EQ(seg.steps.size(), 2U);
  const auto& own = std::get<Resize>(seg.steps[0]);  // Before it is normalised.
  EXPECT_EQ(resized(own, 400, 400).width, 100);
  EXPECT_EQ(resized(own, 400, 400).height, 50);
  const auto paddlex = std::get<Resize>(read("Global: {model_name: PP-LiteSeg-T}\n" + steps).steps[0]);
  EXPECT_EQ(resized(paddlex, 400, 400).width, 64);  // 50 x 50 fit in, in multiples of 32.
  EXPECT_EQ(resized(paddlex, 400, 400).height, 64);
}

TEST_F(Descriptions, ObjectDetection) {
  const Description d = read_description(CORACLE_VISION_TESTS "/descriptions/layout.yml");
  EXPECT_EQ(d.task, Task::kObjectDetection);
  EXPECT_EQ(d.objects.nested, ObjectOptions::Nested::kOuter);
  EXPECT_TRUE(d.objects.suppress);
  EXPECT_FLOAT_EQ(d.threshold, 0.4F);
  const Prepared p = prepare(Image(192, 48), d);
  EXPECT_EQ(p.width, 96);
  EXPECT_EQ(p.resized_height, 96.0F);
  EXPECT_EQ(p.picture_width, 192);
}

TEST_F(Descriptions, SizesOfPicturesForTextDetection) {
  using Limit = TextResize::Limit;
  const auto size = [](const TextResize& step, int width, int height) {
    const Size s = text_size(step, width, height);
    return std::pair<int, int>(s.width, s.height);
  };
  EXPECT_EQ(size({.limit = Limit::kLongAtMost, .length = 960}, 1920, 1000), std::pair(960, 512));
  EXPECT_EQ(size({.limit = Limit::kLongAtMost, .length = 960}, 100, 80), std::pair(96, 64));  // 80 / 32 = 2.5 is 2.
  EXPECT_EQ(size({.limit = Limit::kShortAtLeast, .length = 736}, 1000, 368), std::pair(1984, 736));
  EXPECT_EQ(size({.limit = Limit::kShortAtLeast, .length = 736}, 1000, 10), std::pair(4000, 32));
  EXPECT_EQ(size({.limit = Limit::kNone, .width = 640, .height = 320}, 7, 9), std::pair(640, 320));
  EXPECT_EQ(size({.limit = Limit::kNone, .width = 640, .height = 320, .keep_ratio = true}, 10, 10),
            std::pair(320, 320));
}

TEST_F(Descriptions, AreFoundBesideTheModel) {
  const std::string program = folder_.path() + "/inference.pdmodel";
  std::ofstream(program) << "no program";
  EXPECT_FALSE(published_description(folder_.path()));
  const std::string path = written(std::string("PreProcess:\n  transform_ops:\n") + kNormalise +
                                   "PostProcess: {Topk: {topk: 1, class_id_map_file: elsewhere/names.txt}}\n");
  EXPECT_TRUE(published_description(folder_.path())->labels.empty());
  std::ofstream(folder_.path() + "/names.txt") << "cat\r\n\ndog\n";
  for (const std::string& model : {folder_.path(), program}) {
    const std::optional<Description> d = published_description(model);
    EXPECT_EQ(d->file, path);
    EXPECT_EQ(d->labels, (std::vector<std::string>{"cat", "dog"}));
  }
  EXPECT_EQ(read_description(path).labels.size(), 2U);
}

}  // namespace
}  // namespace coracle::vision
