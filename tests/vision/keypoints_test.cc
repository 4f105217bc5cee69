// SPDX-License-Identifier: Apache-2.0
#include "vision/keypoints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "made_up_numbers.h"
#include "vision/draw_parts.h"
#include "vision/prepare.h"

// Persons brought into an input, and points out of heat maps, against keypoint_numbers.txt by make_keypoint_numbers.py.
namespace coracle::vision {
namespace {

constexpr int kWidth = 24;
constexpr int kHeight = 32;
constexpr std::array<std::array<double, 2>, 7> kCentres{
    {{11.25, 15.75}, {4.5, 20}, {2, 2}, {1, 15}, {21.75, 29.5}, {22, 3}, {12.5, 0}}};

Image made_up_picture(std::uint32_t seed, int width, int height) {
  Image image(width, height);
  const std::vector<float> values = made_up_numbers(seed, std::int64_t{3} * width * height, 256);
  std::transform(values.begin(), values.end(), image.bgr.begin(), [](float v) { return static_cast<std::uint8_t>(v); });
  return image;
}

std::string hash_of(const Image& image) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::uint8_t value : image.bgr) hash = (hash ^ value) * 0x100000001B3U;
  std::array<char, 17> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%016lx", static_cast<unsigned long>(hash));
  return buffer.data();
}

std::vector<std::string> stored(const std::string& kind) {
  std::ifstream file(CORACLE_VISION_TESTS "/keypoint_numbers.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kind + " ")) lines.push_back(line.substr(kind.size()));
  }
  EXPECT_FALSE(lines.empty());
  return lines;
}

/// Flat bells with some noise, and a map below zero.
std::vector<float> maps() {
  const std::size_t count = kCentres.size() + 1;
  std::vector<float> values = made_up_numbers(3, static_cast<std::int64_t>(count) * kHeight * kWidth);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t map = i / (kHeight * kWidth);
    double bell = -1;
    if (map < kCentres.size()) {
      const double x = static_cast<double>(i % kWidth) - kCentres[map][0];
      const double y = static_cast<double>(i / kWidth % kHeight) - kCentres[map][1];
      bell = std::max(1 - (x * x + y * y) / 32, 0.0);
    }
    values[i] = static_cast<float>(bell) + values[i] * 0.02F;
  }
  return values;
}

TEST(Keypoints, PersonsAreBroughtIntoTheInputAsOpenCvDoesIt) {
  for (const std::string& line : stored("person")) {
    std::istringstream in(line);
    std::uint32_t seed = 0;
    int width = 0;
    int height = 0;
    PersonCrop step;
    std::string whole;
    std::string stretched;
    in >> seed >> width >> height >> step.width >> step.height >> whole >> stretched;
    const Image image = made_up_picture(seed, width, height);
    const Placement middle = person_placement(width, height, step.width, step.height);
    EXPECT_EQ(hash_of(placed(image, middle, step.width, step.height)), whole) << line;
    const auto ratio = [](int to, int from) { return static_cast<double>(static_cast<float>((to - 1.0) / from)); };
    const Placement corner{ratio(step.width, width), 0, ratio(step.height, height), 0};
    EXPECT_EQ(hash_of(placed(image, corner, step.width, step.height)), stretched) << line;
  }
}

TEST(Keypoints, PointsOfHeatMaps) {
  const std::vector<float> values = maps();
  const std::vector<Keypoint> found = keypoints(values.data(), kCentres.size() + 1, kWidth, kHeight, 333, 250, {});
  const std::vector<std::string> lines = stored("point");
  ASSERT_EQ(found.size(), lines.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::istringstream in(lines[i]);
    float score = 0;
    float x = 0;
    float y = 0;
    in >> score >> x >> y;
    EXPECT_EQ(found[i].id, static_cast<int>(i));
    EXPECT_EQ(found[i].name, std::to_string(i));
    EXPECT_NEAR(found[i].score, score, 1e-5) << i;
    EXPECT_NEAR(found[i].x, x, 5e-3) << i;
    EXPECT_NEAR(found[i].y, y, 5e-3) << i;
  }
}

TEST(Keypoints, NamesAndBones) {
  const std::vector<float> flat(std::size_t{17} * 4, 0.5F);
  Description d;
  d.labels = {"keypoint"};
  EXPECT_EQ(keypoints(flat.data(), 17, 2, 2, 9, 9, d)[16].name, "right_ankle");
  EXPECT_EQ(keypoints(flat.data(), 16, 2, 2, 9, 9, d)[9].name, "head_top");
  EXPECT_EQ(keypoints(flat.data(), 1, 2, 2, 9, 9, d)[0].name, "keypoint");
  d.labels = {"tip", "root"};
  EXPECT_EQ(keypoints(flat.data(), 2, 2, 2, 9, 9, d)[1].name, "root");
  for (const std::size_t points : {16U, 17U}) {
    const Skeleton skeleton = skeleton_of(points);
    EXPECT_EQ(skeleton.names.size(), points);
    for (const auto& [a, b] : skeleton.bones) EXPECT_TRUE(a >= 0 && b >= 0 && a != b && a < 17 && b < 17);
  }
}

TEST(Keypoints, PointsBelowTheThresholdAndTheirBonesAreLeftOut) {
  std::vector<float> values(17, 0.9F);
  values[1] = 0.2F;
  Output output;
  output.dims = {1, 17, 1, 1};
  output.data = values.data();
  output.size = values.size();
  Description d;
  d.task = Task::kKeypoints;
  d.threshold = 0.5F;
  Prepared prepared;
  prepared.picture_width = prepared.picture_height = 10;
  std::vector<std::array<int, 2>> bones;
  const std::vector<Keypoint> found = keypoints_of(output, prepared, d, bones);
  ASSERT_EQ(found.size(), 16U);
  EXPECT_EQ(found[1].id, 2);
  ASSERT_EQ(bones.size(), 15U);
  EXPECT_EQ(bones[0], (std::array<int, 2>{0, 1}));  // nose and right eye
  output.dims = {17, 1};
  EXPECT_THROW(keypoints_of(output, prepared, d, bones), Error);
}

TEST(Keypoints, DrawingsLeaveOutWhatIsHardlyThere) {
  const Image image(60, 60);
  const std::vector<Keypoint> points = {{0, "a", 0.9F, 10, 10}, {1, "b", 0.9F, 50, 10}, {2, "c", 0.05F, 50, 50}};
  const Image drawn = draw_keypoints(image, points, {{0, 1}, {1, 2}});
  const auto dark = [&](int x, int y) {
    const std::uint8_t* pixel = drawn.row(y) + 3 * x;
    return pixel[0] + pixel[1] + pixel[2] == 0;
  };
  EXPECT_FALSE(dark(10, 10));
  EXPECT_FALSE(dark(30, 10));
  EXPECT_TRUE(dark(50, 30));
  EXPECT_TRUE(dark(50, 50));
}

}  // namespace
}  // namespace coracle::vision
