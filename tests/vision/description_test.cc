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

  internal::test::TemporaryFolder folder_;
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
  EXPECT_TRUE(has(error(resize("[]"), Problem::kDescription), "expected a mapping, found a list"));
  EXPECT_TRUE(has(error(std::string("PreProcess:\n  transform_ops: []\n") + kTopk, Problem::kDescription),
                  "a step that normalises is missing"));
  EXPECT_TRUE(has(error("PreProcess: 3\n", Problem::kDescription), "'transform_ops' is missing"));
  EXPECT_TRUE(has(error(std::string("PreProcess:\n  transform_ops:\n") + kNormalise +
                            "PostProcess: {Topk: {topk: 3, label_list: [{0: a}]}}\n",
                        Problem::kDescription),
                  "expected a text or a number, found a mapping"));
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
  const std::string nothing =
      "Deploy:\n  transforms:\n  - {type: Normalize}\n  - {type: Resize, target_size: [100, 50], "
      "keep_ratio: null, size_divisor: null}\n";
  const auto said = std::get<Resize>(read("Global: {model_name: PP-LiteSeg-T}\n" + nothing).steps[0]);
  EXPECT_EQ(resized(said, 400, 400).width, 100);
}

TEST_F(Descriptions, ObjectDetection) {
  const Description d = read_description(CORACLE_VISION_TESTS "/descriptions/layout.yml");
  EXPECT_EQ(d.task, Task::kObjectDetection);
  EXPECT_EQ(d.objects.nested, ObjectOptions::Nested::kOuter);
  EXPECT_TRUE(d.objects.suppress);
  EXPECT_FLOAT_EQ(d.threshold, 0.4F);
  const Prepared p = prepare(Image(192, 48), d);
  EXPECT_EQ(p.width, 96);
  EXPECT_EQ(p.resized_height, 96);
  EXPECT_EQ(p.picture_width, 192);
}

TEST_F(Descriptions, Keypoints) {
  const Description d = read_description(CORACLE_VISION_TESTS "/descriptions/stretched_keypoints.yml");
  EXPECT_EQ(d.task, Task::kKeypoints);
  EXPECT_TRUE(std::get<PersonCrop>(d.steps[0]).stretched);
  EXPECT_LT(d.threshold, -1e30F);
  const Prepared p = prepare(Image(192, 48), d);
  EXPECT_EQ(std::pair(p.width, p.height), std::pair(96, 128));
  EXPECT_EQ(p.picture_height, 48);
  const std::string unknown = error_of(
      [&] { read("Preprocess:\n- {type: TopDownEvalAffine, trainsize: [96, 128], rotation: 3}\nlabel_list: [a]\n"); },
      Problem::kUnsupported);
  EXPECT_TRUE(has(unknown, "'rotation', which is not known; known are: trainsize, type, use_udp")) << unknown;
}

TEST_F(Descriptions, DetectorsThatTakePixelsOnABackdrop) {  // YOLOX
  const std::string end = "label_list: [a]\n";
  const Description d = read(
      "Preprocess:\n- {type: Resize, target_size: [4, 6], keep_ratio: true, interp: 1}\n"
      "- {type: Pad, size: [6, 8], fill_value: [114, 115, 116]}\n- {type: Permute}\n" +
      end);
  Image image(6, 4);
  image.bgr.assign(image.bgr.size(), 7);
  const Prepared p = prepare(image, d);
  ASSERT_EQ(std::pair(p.width, p.height), std::pair(8, 6));
  EXPECT_EQ(std::pair(p.resized_width, p.resized_height), std::pair(6, 4));
  EXPECT_EQ(p.values[5], 7.0F);
  EXPECT_EQ(p.values[6], 114.0F);
  EXPECT_EQ(p.values[2 * 48 + 7], 116.0F);
  // The colour is normalised as pixels are.
  const Description normalised =
      read("Preprocess:\n- {type: Pad, size: 8}\n- {type: NormalizeImage, mean: [0, 0, 0], std: [1, 1, 1]}\n" + end);
  EXPECT_FLOAT_EQ(prepare(image, normalised).values[7], 0.5F);
  const std::string larger = error_of([&] { prepare(Image(9, 2), normalised); }, Problem::kPicture);
  EXPECT_TRUE(has(larger, "9 x 2 pixels is larger than the 8 x 8")) << larger;
}

TEST_F(Descriptions, DetectorsThatTakePixelsAmidBlack) {  // CenterNet
  const std::string warp = "Preprocess:\n- {type: WarpAffine, keep_res: ";
  const std::string rest =
      ", input_h: 512, input_w: 512}\n- {type: NormalizeImage, norm_type: none, is_scale: false}\nlabel_list: [a]\n";
  Image image(33, 64);
  image.bgr[0] = 5;  // Blue, top left.
  const Prepared p = prepare(image, read(warp + "true" + rest));
  ASSERT_EQ(std::pair(p.width, p.height), std::pair(64, 96));
  EXPECT_EQ(std::pair(p.resized_width, p.resized_height), std::pair(33, 64));
  EXPECT_EQ(p.scale_x, 1);
  EXPECT_EQ(p.values[(48 - 32) * 64 + (32 - 16)], 5.0F);
  EXPECT_TRUE(has(error(warp + "false" + rest, Problem::kUnsupported), "only keep_res: true"));
}

TEST_F(Descriptions, PaddleDetectionKeepsTheFactorAndPaddleXTheRatioOfSizes) {
  const std::string steps =
      "Preprocess:\n- {type: Resize, target_size: [800, 1333], keep_ratio: true, interp: 1}\n"
      "- {type: NormalizeImage}\n- {type: PadStride, stride: 0}\nlabel_list: [a]\n";
  const Prepared own = prepare(Image(99, 70), read(steps));
  const Prepared paddlex = prepare(Image(99, 70), read("Global: {model_name: PP-YOLOE_plus-S}\n" + steps));
  EXPECT_EQ(std::pair(own.width, own.height), std::pair(1131, 800));
  EXPECT_EQ(std::pair(paddlex.width, paddlex.height), std::pair(1131, 800));
  EXPECT_DOUBLE_EQ(own.scale_x, 800.0 / 70);
  EXPECT_DOUBLE_EQ(paddlex.scale_x, 1131.0 / 99);
  // 1333.2 pixels are 1333 for PaddleDetection.
  const Resize step{.width = 1333, .height = 800, .keep_ratio = true, .by_factor = true};
  EXPECT_DOUBLE_EQ(fitting_factor(step, 2668, 1601), 800.0 / 1601);
  const std::string late =
      error("Preprocess:\n- {type: NormalizeImage}\n- {type: Resize, target_size: [8, 8]}\nlabel_list: [a]\n",
            Problem::kUnsupported);
  EXPECT_TRUE(has(late, "after NormalizeImage is not supported")) << late;
}

TEST_F(Descriptions, BoxesOfTextAreRectanglesOrPolygons) {
  const std::string steps =
      std::string("PreProcess:\n  transform_ops:\n") + kNormalise + "PostProcess: {name: DBPostProcess";
  EXPECT_FALSE(read(steps + "}\n").db.polygons);
  EXPECT_FALSE(read(steps + ", box_type: quad}\n").db.polygons);
  EXPECT_TRUE(read(steps + ", box_type: poly, score_mode: slow, use_dilation: true}\n").db.polygons);
  // Detectors of bent text bring the shorter side to the length, where nothing else is said.
  const auto limit = [&](const std::string& resize, const std::string& type) {
    const Description d = read(std::string("PreProcess:\n  transform_ops:\n  - DetResizeForTest: ") + resize + "\n" +
                               kNormalise + "PostProcess: {name: DBPostProcess, box_type: " + type + "}\n");
    return std::get<TextResize>(d.steps[0]).limit;
  };
  EXPECT_EQ(limit("{resize_long: 736}", "poly"), TextResize::Limit::kShortAtLeast);
  EXPECT_EQ(limit("{resize_long: 736}", "quad"), TextResize::Limit::kLongAtMost);
  EXPECT_EQ(limit("{resize_long: 736, limit_type: max}", "poly"), TextResize::Limit::kLongAtMost);
  EXPECT_TRUE(has(error(steps + ", box_type: round}\n", Problem::kUnsupported),
                  "box_type 'round' is not known; known are: quad, poly"));
}

TEST_F(Descriptions, MapsOfAnomaliesAreOfPicturesBroughtToTheirSize) {
  const Description d = read(
      "Global: {model_name: STFPM}\nDeploy:\n  transforms:\n  - {type: Resize, target_size: [64, 48]}\n"
      "  - {type: Normalize}\n");
  EXPECT_EQ(d.task, Task::kAnomaly);
  EXPECT_FLOAT_EQ(d.threshold, 0.01F);
  const auto& step = std::get<Resize>(d.steps.at(0));  // As it is said, where segmentation keeps the ratio.
  EXPECT_FALSE(step.keep_ratio);
  EXPECT_EQ(prepare(Image(100, 50), d).width, 64);
  EXPECT_EQ(prepare(Image(100, 50), d).height, 48);
}

TEST_F(Descriptions, WhatIsNotSupportedIsNamed) {
  EXPECT_TRUE(has(error("Preprocess:\n- {type: Permute, to_bgr: true}\nlabel_list: [a]\n", Problem::kUnsupported),
                  "to_bgr is not supported"));
  EXPECT_TRUE(has(error(std::string("PreProcess:\n  transform_ops:\n") + kNormalise +
                            "PostProcess: {MultiLabelThreshOutput: {threshold: [0.5, 0.4]}}\n",
                        Problem::kUnsupported),
                  "threshold by class is not supported"));
  EXPECT_TRUE(read("Global: {model_name: PP-DocLayoutV3}\nPreprocess: []\nlabel_list: [a]\n").objects.regions);
}

TEST_F(Descriptions, PicturesAreBroughtToSizeBeforeTheyAreNormalised) {
  const Description d =
      read(std::string("PreProcess:\n  transform_ops:\n") + kNormalise +
           "  - ResizeImage: {resize_short: 0, size: [6, 4], backend: pil, interpolation: bicubic}\n" + kTopk);
  const auto& step = std::get<Resize>(d.steps[0]);
  EXPECT_TRUE(step.resampled);
  EXPECT_EQ(std::pair(step.width, step.height), std::pair(6, 4));
  EXPECT_EQ(prepare(Image(9, 9), d).width, 6);
}

TEST_F(Descriptions, InterpolationByNameOrNumber) {
  const auto described = [](const std::string& name) {
    return std::string("PreProcess:\n  transform_ops:\n") + kNormalise +
           "  - ResizeImage: {size: [6, 4], interpolation: " + name + "}\n" + kTopk;
  };
  const std::vector<std::pair<const char*, Interpolation>> names = {
      {"nearest", Interpolation::kNearest}, {"1", Interpolation::kLinear},        {"bilinear", Interpolation::kLinear},
      {"BICUBIC", Interpolation::kCubic},   {"3", Interpolation::kArea},          {"4", Interpolation::kLanczos},
      {"lanczos", Interpolation::kLanczos}, {"LANCZOS4", Interpolation::kLanczos}};
  for (const auto& [name, interpolation] : names) {
    EXPECT_EQ(std::get<Resize>(read(described(name)).steps[0]).interpolation, interpolation) << name;
  }
  EXPECT_TRUE(has(error(described("hamming"), Problem::kUnsupported),
                  "'hamming' is not known; known are: NEAREST (0), LINEAR (1), CUBIC (2), AREA (3), LANCZOS (4)"));
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
  const auto described = [&](const std::string& arguments) {
    const Description d = read("PreProcess:\n  transform_ops:\n  - DetResizeForTest: " + arguments + "\n" + kNormalise +
                               "PostProcess: {name: DBPostProcess}\n");
    return size(std::get<TextResize>(d.steps[0]), 1920, 960);
  };
  EXPECT_EQ(described("null"), std::pair(960, 480));
  EXPECT_EQ(described("{resize_long: 640}"), std::pair(640, 320));
  EXPECT_EQ(described("{limit_side_len: 1280}"), std::pair(2560, 1280));
  EXPECT_EQ(described("{limit_type: min}"), std::pair(1920, 960));
}

TEST_F(Descriptions, TinyPicturesForTextDetectionKeepTheirSize) {
  const Prepared p = prepare(Image(20, 10), usual_description(Task::kTextDetection, {}));
  EXPECT_EQ(std::pair(p.width, p.height), std::pair(32, 32));
  EXPECT_EQ(std::pair(p.picture_width, p.picture_height), std::pair(20, 10));
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
  std::ofstream(folder_.path() + "/names.txt") << "0 tench, Tinca tinca\n2 goldfish\n";
  EXPECT_EQ(read_description(path).labels, (std::vector<std::string>{"tench, Tinca tinca", "", "goldfish"}));
}

}  // namespace
}  // namespace coracle::vision
