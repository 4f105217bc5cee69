// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "vision/geometry.h"
#include "vision/resample.h"
#include "vision/resize.h"
#include "vision/warp.h"

// Against the numbers of OpenCV, Clipper and Pillow in opencv_numbers.txt, which make_opencv_numbers.py makes.
namespace coracle::vision {
namespace {

/// As in make_opencv_numbers.py.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int below(int limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 32U) % static_cast<uint64_t>(limit));
  }

 private:
  uint64_t state_;
};

Image picture_of(uint64_t seed, int width, int height) {
  Random random(seed);
  Image image(width, height);
  for (uint8_t& value : image.bgr) value = static_cast<uint8_t>(random.below(256));
  return image;
}

std::vector<float> made_up_map(uint64_t seed, int width, int height) {
  Random random(seed);
  std::vector<int> values(static_cast<size_t>(width * height));
  for (int& v : values) v = random.below(200);
  for (int bar = 0; bar < 8; ++bar) {
    const int x = random.below(width);
    const int y = random.below(height);
    const int dx = random.below(9) - 4;
    const int dy = random.below(9) - 4;
    const int length = random.below(120);
    const int width_of_bar = random.below(40);
    const int value = 400 + random.below(500);
    for (int i = 0; i < width * height; ++i) {
      const int u = i % width - x;
      const int v = i / width - y;
      if (std::abs(u * dx + v * dy) > length || std::abs(u * dy - v * dx) > width_of_bar) continue;
      values[static_cast<size_t>(i)] = value + random.below(100);
    }
  }
  std::vector<float> map;
  for (const int v : values) map.push_back(static_cast<float>(v) / 1000.0F);
  return map;
}

class Hash {
 public:
  void add(int64_t value) { hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x100000001B3U; }
  std::string text() const {
    std::array<char, 17> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%016lx", static_cast<unsigned long>(hash_));
    return buffer.data();
  }

 private:
  uint64_t hash_ = 0xCBF29CE484222325U;
};

std::string hash_of_pixels(const Image& image) {
  Hash hash;
  for (const uint8_t value : image.bgr) hash.add(value);
  return hash.text();
}

/// The stored lines that begin with `kind`, each after that word.
std::vector<std::string> stored_numbers(const std::vector<std::string>& kinds) {
  std::ifstream file(CORACLE_VISION_TESTS "/opencv_numbers.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    for (const std::string& kind : kinds) {
      if (line.starts_with(kind + " ")) lines.push_back(line);
    }
  }
  EXPECT_FALSE(lines.empty());
  return lines;
}

Corners read_corners(std::istringstream& in) {
  Corners corners;
  for (PointF& c : corners) in >> c.x >> c.y;
  return corners;
}

void expect_near(const Corners& found, const Corners& expected, const std::string& line) {
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found[i].x, expected[i].x, 1e-4) << line;
    EXPECT_NEAR(found[i].y, expected[i].y, 1e-4) << line;
  }
}

/// Lines of a picture brought to a size: KIND MODE SEED WIDTH HEIGHT FACTOR TO_WIDTH TO_HEIGHT HASH, without FACTOR
/// where the sizes say it. `sized` takes the picture, its new size, the interpolation and the factor.
template <class Sized>
void expect_sizes(const char* of, bool with_factor, Sized sized) {
  for (const std::string& line : stored_numbers({of})) {
    std::istringstream in(line);
    std::string kind;
    std::string hash;
    int mode = 0;
    int width = 0;
    int height = 0;
    int to_width = 0;
    int to_height = 0;
    double factor = 0;
    uint64_t seed = 0;
    in >> kind >> mode >> seed >> width >> height;
    if (with_factor) in >> factor;
    in >> to_width >> to_height >> hash;
    const Image image = picture_of(seed, width, height);
    EXPECT_EQ(hash_of_pixels(sized(image, to_width, to_height, static_cast<Interpolation>(mode), factor)), hash)
        << line;
  }
}

TEST(Numbers, Resize) {
  expect_sizes("resize", false, [](const Image& image, int width, int height, Interpolation how, double) {
    return resize(image, width, height, how);
  });
}

TEST(Numbers, Resample) {
  expect_sizes("resample", false, [](const Image& image, int width, int height, Interpolation how, double) {
    return resample(image, width, height, how);
  });
}

TEST(Numbers, ResizeByAFactor) {
  expect_sizes("factor", true, [](const Image& image, int width, int height, Interpolation how, double factor) {
    return resize_by(image, width, height, factor, how);
  });
}

TEST(Numbers, Straighten) {
  for (const std::string& line : stored_numbers({"straighten"})) {
    std::istringstream in(line);
    std::string kind;
    std::string hash;
    int width = 0;
    int height = 0;
    int to_width = 0;
    int to_height = 0;
    uint64_t seed = 0;
    Corners corners;
    in >> kind >> seed >> width >> height;
    for (PointF& c : corners) in >> c.x >> c.y;
    in >> to_width >> to_height >> hash;
    EXPECT_EQ(hash_of_pixels(straighten(picture_of(seed, width, height), corners, to_width, to_height)), hash) << line;
  }
}

TEST(Numbers, Outlines) {
  std::vector<float> map;
  std::vector<Polygon> contours;
  Rectangle rectangle;
  int width = 0;
  int height = 0;
  for (const std::string& line : stored_numbers({"contours", "rectangle", "mean", "grown"})) {
    std::istringstream in(line);
    std::string kind;
    in >> kind;
    if (kind == "contours") {
      uint64_t seed = 0;
      size_t count = 0;
      std::string expected;
      in >> seed >> width >> height >> count >> expected;
      map = made_up_map(seed, width, height);
      std::vector<uint8_t> mask;
      for (const float v : map) mask.push_back(v > 0.3F ? 1 : 0);
      contours = find_contours(mask, width, height);
      Hash hash;
      for (const Polygon& contour : contours) {
        for (const Point& p : contour) {
          hash.add(p.x);
          hash.add(p.y);
        }
      }
      ASSERT_EQ(contours.size(), count) << line;
      EXPECT_EQ(hash.text(), expected) << line;
    } else if (kind == "rectangle") {
      size_t number = 0;
      float side = 0;
      in >> number >> side;
      ASSERT_LT(number, contours.size());
      rectangle = smallest_rectangle(contours[number]);
      EXPECT_NEAR(rectangle.side, side, 1e-4) << line;
      expect_near(rectangle.corners, read_corners(in), line);
    } else if (kind == "mean") {
      double mean = 0;
      in >> mean;
      Polygon box;
      for (const PointF& c : rectangle.corners) box.push_back({static_cast<int>(c.x), static_cast<int>(c.y)});
      EXPECT_NEAR(mean_inside(map.data(), width, height, box), mean, 1e-9) << line;
    } else {
      const double distance = area(rectangle.corners) * 1.5 / perimeter(rectangle.corners);
      expect_near(smallest_rectangle(grow(rectangle.corners, distance)).corners, read_corners(in), line);
    }
  }
}

/// How far the points of a polygon are from the outline of another one, at most.
double apart(const Polygon& polygon, const Polygon& other) {
  double most = 0;
  for (const Point& p : polygon) {
    double nearest = 1e9;
    for (size_t i = 0; i < other.size(); ++i) {
      const Point& a = other[i];
      const Point& b = other[(i + 1) % other.size()];
      const double x = b.x - a.x;
      const double y = b.y - a.y;
      const double at = std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / std::max(x * x + y * y, 1.0), 0.0, 1.0);
      nearest = std::min(nearest, std::hypot(p.x - a.x - at * x, p.y - a.y - at * y));
    }
    most = std::max(most, nearest);
  }
  return most;
}

TEST(Numbers, BentOutlines) {
  std::vector<float> map;
  std::vector<Polygon> contours;
  std::vector<Polygon> grown;
  int width = 0;
  int height = 0;
  for (const std::string& line : stored_numbers({"bent", "simplified", "outline"})) {
    std::istringstream in(line);
    std::string kind;
    in >> kind;
    if (kind == "bent") {
      uint64_t seed = 0;
      in >> seed >> width >> height;
      map = made_up_map(seed, width, height);
      std::vector<uint8_t> mask;
      for (const float v : map) mask.push_back(v > 0.3F ? 1 : 0);
      contours = find_contours(mask, width, height);
    } else if (kind == "simplified") {
      size_t number = 0;
      size_t count = 0;
      std::string expected;
      double distance = 0;
      double mean = 0;
      in >> number >> count >> expected >> distance >> mean;
      ASSERT_LT(number, contours.size());
      const Polygon region = simplified(contours[number], 0.002 * perimeter(contours[number]));
      EXPECT_EQ(region.size(), count) << line;
      Hash hash;
      for (const Point& p : region) {
        hash.add(p.x);
        hash.add(p.y);
      }
      EXPECT_EQ(hash.text(), expected) << line;
      EXPECT_DOUBLE_EQ(area(region) * 0.5 / perimeter(region), distance) << line;
      EXPECT_NEAR(mean_inside(map.data(), width, height, region), mean, 1e-9) << line;
      grown = grow(region, distance);
    } else {  // Clipper rounds while it looks for crossings.
      double size = 0;
      Polygon expected;
      in >> size;
      for (Point p; in >> p.x >> p.y;) expected.push_back(p);
      ASSERT_EQ(grown.size(), 1U) << line;
      EXPECT_NEAR(area(grown[0]), size, perimeter(expected) / 3) << line << ": a third of a pixel all round";
      EXPECT_LE(std::max(apart(grown[0], expected), apart(expected, grown[0])), 1.5) << line;
    }
  }
}

TEST(Numbers, WhatAPathCovers) {
  const auto areas = [](const Polygon& path) {
    std::vector<double> all;
    for (const Polygon& outline : covered(path)) all.push_back(area(outline));
    std::sort(all.begin(), all.end());
    return all;
  };
  using Areas = std::vector<double>;
  EXPECT_EQ(areas({{0, 0}, {8, 0}, {8, 8}, {0, 8}}), Areas{64});
  EXPECT_EQ(areas({{0, 0}, {0, 8}, {8, 8}, {8, 0}}), Areas{});                    // The other way round.
  EXPECT_EQ(areas({{0, 0}, {8, 8}, {8, 0}, {0, 8}}), Areas{16});                  // One lobe of an hour-glass.
  EXPECT_EQ(areas({{0, 0}, {4, 0}, {8, 0}, {8, 8}, {8, 8}, {0, 8}}), Areas{64});  // Points that are no corners.
  // Twice round is once.
  EXPECT_EQ(areas({{0, 0}, {8, 0}, {8, 8}, {0, 8}, {0, 0}, {8, 0}, {8, 8}, {0, 8}}), Areas{64});
  // A frame that closes on itself has a hole; so has one whose ends overlap.
  EXPECT_EQ(areas({{0, 0}, {9, 0}, {9, 9}, {0, 9}, {0, 0}, {3, 3}, {3, 6}, {6, 6}, {6, 3}, {3, 3}}), (Areas{9, 81}));
  // Two squares that a spike joins.
  EXPECT_EQ(areas({{0, 0}, {2, 0}, {2, 2}, {6, 2}, {6, 0}, {8, 0}, {8, 4}, {6, 4}, {6, 2}, {2, 2}, {2, 4}, {0, 4}}),
            (Areas{8, 8}));
  EXPECT_EQ(areas({{0, 0}, {4, 4}}), Areas{});
  EXPECT_EQ(areas({{0, 0}, {4, 4}, {8, 8}}), Areas{});
  EXPECT_THROW(covered({{0, 0}, {1 << 20, 0}, {0, 5}}), Error);
}

TEST(Numbers, OutlinesOfFewPoints) {
  EXPECT_EQ(simplified({}, 1).size(), 0U);
  EXPECT_EQ(simplified({{3, 3}}, 1).size(), 1U);
  EXPECT_EQ(simplified({{3, 3}, {4, 3}, {4, 4}}, 9).size(), 1U);  // All within the tolerance.
  EXPECT_EQ(simplified({{0, 0}, {5, 1}, {10, 0}, {10, 10}, {0, 10}}, 2).size(), 4U);
}

TEST(Numbers, PointsAndLinesHaveRectanglesToo) {
  EXPECT_EQ(smallest_rectangle({}).side, 0);
  EXPECT_EQ(smallest_rectangle({{3, 4}}).corners[2].x, 3);
  const Rectangle line = smallest_rectangle({{0, 0}, {4, 4}, {2, 2}});
  EXPECT_EQ(line.side, 0);
  EXPECT_NEAR(line.corners[2].x, 4, 1e-5);
}

TEST(Numbers, TurnsAreTheirOwnInverse) {
  const Image image = picture_of(7, 5, 3);
  EXPECT_EQ(upside_down(upside_down(image)).bgr, image.bgr);
  EXPECT_EQ(quarter_left(quarter_left(image)).bgr, upside_down(image).bgr);
  EXPECT_EQ(quarter_left(image).width, 3);
}

TEST(Numbers, SizesThatNoPictureHasAreRefused) {
  const Image image = picture_of(7, 5, 3);
  EXPECT_THROW(resize(image, 0, 5), Error);
  EXPECT_THROW(resize(image, 1 << 20, 1 << 20), Error);
}

}  // namespace
}  // namespace coracle::vision
