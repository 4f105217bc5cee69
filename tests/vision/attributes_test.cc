// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "made_up_numbers.h"
#include "vision/answers.h"
#include "vision/yaml.h"

// What is said of persons, vehicles and tables, and decisions between classes, against what PaddleClas makes of the
// same scores (attributes.txt, by make_attributes.py).
namespace coracle::vision {
namespace {

Description described(const std::string& step) {
  const std::string before = "PreProcess: {transform_ops: [{NormalizeImage: {order: ''}}, {ToCHWImage: }]}\n";
  return parse_description("a.yml", *Yaml::parse("a.yml", before + "PostProcess: {" + step + "}\n"));
}

std::vector<Label> labels(const Description& d, const std::vector<float>& scores) {
  return d.decision ? decided_label(scores, d) : attributes(scores, d);
}

/// The lines of that name against what the step says of as many classes.
void expect_as_paddleclas(const std::string& name, const std::string& step, std::size_t classes, bool by_id = false) {
  const Description d = described(step);
  std::ifstream file(CORACLE_VISION_TESTS "/attributes.txt");
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.substr(0, line.find('|')) != name) continue;
    std::istringstream fields(line.substr(name.size() + 1));
    std::string seed;
    std::getline(fields, seed, '|');
    std::string expected;
    std::getline(fields, expected);
    std::string found;
    for (const Label& l : labels(d, made_up_numbers(static_cast<std::uint32_t>(std::stoul(seed)), classes))) {
      found += (found.empty() ? "" : "|") + (by_id ? std::to_string(l.id) : l.name);
      EXPECT_TRUE(l.score >= 0 && l.score <= 1) << l.name;
    }
    EXPECT_EQ(found, expected) << line;
    ++lines;
  }
  EXPECT_EQ(lines, 24U) << name;
}

TEST(Attributes, AreThoseOfPaddleClas) {
  expect_as_paddleclas("PersonAttribute", "main_indicator: PersonAttribute, PersonAttribute: {threshold: 0.5}", 26);
  expect_as_paddleclas("VehicleAttribute", "VehicleAttribute: {color_threshold: 0.9, type_threshold: 0.9}", 19);
  expect_as_paddleclas("TableAttribute", "TableAttribute: {}", 6);
  expect_as_paddleclas("ThreshOutput2", "ThreshOutput: {threshold: 0.6, label_0: 'no', label_1: 'yes'}", 2);
  expect_as_paddleclas("ThreshOutput4", "ThreshOutput: {threshold: 0.8, default_label_index: 2}", 4, true);
}

TEST(Attributes, ThresholdsAreReachedOrPassed) {
  const Description vehicle = described("VehicleAttribute: {}");
  std::vector<float> scores(19, 0);
  scores[3] = 0.5F;
  EXPECT_EQ(attributes(scores, vehicle)[0].name, "Color: gray");  // at the threshold
  EXPECT_EQ(attributes(scores, vehicle)[1].id, -1);
  EXPECT_EQ(attributes(scores, vehicle)[1].score, 1);
  const Description exists = described("ThreshOutput: {threshold: 0.5}");
  EXPECT_EQ(decided_label({0.5F, 0.5F}, exists)[0].name, "1");
  EXPECT_EQ(described("TableAttribute: {}").task, Task::kMultilabel);
  EXPECT_EQ(attributes({0.5F, 1, 1, 1, 1, 1}, described("TableAttribute: {}"))[0].name, "Photo");  // not above it
}

TEST(Attributes, ThatTheModelHasNoClassesForAreErrors) {
  EXPECT_THROW(attributes(std::vector<float>(18), described("VehicleAttribute: {}")), Error);
  EXPECT_THROW(decided_label({0.1F, 0.2F, 0.3F}, described("ThreshOutput: {threshold: 0.5, default_label_index: 3}")),
               Error);
  EXPECT_THROW(decided_label({0.1F, 0.9F, 0.3F}, described("ThreshOutput: {threshold: 0.5, default_label_index: 3}")),
               Error);  // though another class is above the threshold
  EXPECT_THROW(described("ThreshOutput: {default_label_index: -1}"), Error);
  EXPECT_THROW(described("NormalizeFeatures: {size: 3}"), Error);
  EXPECT_THROW(described("PersonAttribute: {shoe_threshold: 1}"), Error);
}

}  // namespace
}  // namespace coracle::vision
