// SPDX-License-Identifier: Apache-2.0
#include "vision/families.h"

#include <gtest/gtest.h>

// Models without inference.yml: which family they are taken for, by names and shapes.
namespace coracle::vision {
namespace {

using Dims = std::vector<std::int64_t>;

struct Case {
  const char* path;
  Dims input;
  std::vector<Dims> outputs;
  std::optional<Task> task;
  const char* family;       ///< empty: none
  const char* preparation;  ///< part of it
};

TEST(Families, AreToldByNamesAndShapes) {
  const Dims any{-1, 3, -1, -1};
  const std::vector<Case> cases = {
      {"m/ch_ppocr_mobile_v2.0_cls_infer", any, {{-1, 2}}, {}, "angle of lines", "48 x 192 keeping the ratio"},
      {"ch_PP-OCRv3_cls/inference.pdmodel", any, {{-1, 2}}, Task::kClassification, "angle of lines", "BGR"},
      {"somewhere/m", {-1, 3, 32, 100}, {{-1, 2}}, {}, "angle of lines", "48 x 192"},
      {"somewhere/m", {-1, 3, 48, 192}, {{-1, 2}}, Task::kClassification, "angle of lines", "48 x 192"},
      {"PP-LCNet_x0_25_textline_ori_infer/", {-1, 3, 80, 160}, {{-1, 2}}, {}, "direction of lines", "80 x 160"},
      {"PP-LCNet_x1_0_doc_ori", {-1, 3, 224, 224}, {{-1, 4}}, {}, "direction of pages", "the middle 224 x 224"},
      {"PPLCNet_x1_0_infer", {-1, 3, 224, 224}, {{-1, 1000}}, {}, "ImageNet", "shorter side resized to 256"},
      {"PP-OCRv5_mobile_det_infer", any, {{-1, 1, -1, -1}}, {}, "detector of text", "at most 960"},
      {"en_PP-OCRv4_rec", {-1, 3, 48, -1}, {{-1, -1, 97}}, {}, "recogniser of text", "48 x 320 or wider"},
      {"m/x.json", {-1, 3, 48, -1}, {{-1, -1, 97}}, {}, "recogniser of text", "BGR"},
      {"picodet_lcnet_x1_0_fgd_layout_infer", {-1, 3, 800, 608}, {{-1, 6}, {-1}}, {}, "PicoDet", "800 x 608"},
      {"ppyoloe_crn_s_300e_coco", {-1, 3, 640, 640}, {{-1, 6}, {-1}}, {}, "PP-YOLOE", "values from 0 to 1"},
      // Neither name nor shapes, or shapes that do not fit the name.
      {"somewhere/m", {-1, 3, 224, 224}, {{-1, 1000}}, {}, "", ""},
      {"somewhere/m", any, {{-1, 1, -1, -1}}, {}, "", ""},
      {"somewhere/m", {-1, 3, 640, 640}, {{-1, 6}, {-1}}, Task::kObjectDetection, "", ""},
      {"ppocr_cls", {-1, 3, 224, 224}, {{-1, 2}}, Task::kClassification, "", ""},
      {"ppocr_cls", any, {{-1, 5}}, {}, "", ""},
      {"picodet_s", any, {{-1, 6}}, {}, "", ""},
      {"ppocr_cls", any, {{-1, 2}}, Task::kFeatures, "", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    std::string family;
    const std::optional<Description> d = family_description({c.path, c.input, c.outputs}, c.task, family);
    EXPECT_EQ(d.has_value(), *c.family != '\0') << family;
    EXPECT_NE(family.find(c.family), std::string::npos) << family;
    if (d) {
      EXPECT_NE(preparation_text(*d).find(c.preparation), std::string::npos) << preparation_text(*d);
    }
  }
}

TEST(Families, TwoThatArePlausibleAreRefused) {
  std::string family;
  try {
    family_description({"somewhere/m", {-1, 3, -1, -1}, {{-1, 2}}}, Task::kClassification, family);
    ADD_FAILURE() << "taken for " << family;
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), Problem::kUsage);
    const std::string text = e.what();
    for (const char* part : {"somewhere/m", "angle of lines", "48 x 192", "the usual way", "224", "'description'"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace coracle::vision
