// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "coracle/vision/text_picture.h"
#include "vision/canvas.h"
#include "vision/font.h"

// What is drawn on pictures and beside them.
namespace coracle::vision {
namespace {

/// Whether a pixel inside the box differs, besides its edge.
bool touched(const Image& before, const Image& after, const Area& box) {
  for (int y = box.top + 2; y < box.bottom - 1; ++y) {
    for (int x = box.left + 2; x < box.right - 1; ++x) {
      if (!std::equal(before.row(y) + 3 * x, before.row(y) + 3 * x + 3, after.row(y) + 3 * x)) return true;
    }
  }
  return false;
}

TEST(Drawings, NumbersCoverNoNeighbour) {
  // Lines close together, as on a printed page, and narrow columns.
  Image image(400, 400);
  std::fill(image.bgr.begin(), image.bgr.end(), std::uint8_t{200});
  std::vector<TextLine> lines;
  for (int y = 3; y < 380; y += 16) {
    for (int x = 3; x < 380; x += 42)
      lines.push_back({{Point{x, y}, {x + 39, y}, {x + 39, y + 13}, {x, y + 13}}, "", 1});
  }
  const Image all = draw(image, lines);
  Canvas outlines(image);
  for (const TextLine& line : lines) outlines.outline(line.corners, {40, 160, 40}, {30, 30, 220});
  Canvas one(image);
  std::vector<std::array<Point, 4>> corners;
  for (const TextLine& line : lines) corners.push_back(line.corners);
  one.number(123, 5, corners, {0, 0, 255});
  const Image numbered = one.take();
  for (size_t i = 0; i < lines.size(); ++i) {
    const Area box{corners[i][0].x, corners[i][0].y, corners[i][2].x, corners[i][2].y};
    EXPECT_TRUE(i == 5 || !touched(image, numbered, box)) << "line " << i;
  }
  EXPECT_NE(all.bgr, outlines.take().bgr);  // Numbers there are.
}

TEST(Drawings, BentTextIsOutlinedAsItIsShaped) {
  const Image image(100, 100);
  Prediction prediction;
  prediction.task = Task::kTextDetection;
  prediction.boxes = {
      {{Point{10, 10}, {90, 10}, {90, 90}, {10, 90}}, 1, {{10, 10}, {50, 60}, {90, 10}, {90, 90}, {10, 90}}}};
  const Image drawn = draw(image, prediction);
  EXPECT_GT(drawn.row(60)[3 * 50 + 1], 100);  // At the dent,
  EXPECT_EQ(drawn.row(10)[3 * 50 + 1], 0);    // not along the upper side of the rectangle.
}

TEST(Drawings, SlantedQuadrilateralsLeaveTheirCornersFree) {
  const std::array<Point, 4> slanted{Point{0, 50}, {50, 0}, {60, 10}, {10, 60}};
  EXPECT_FALSE(overlap({0, 0, 10, 10}, slanted));
  EXPECT_TRUE(overlap({20, 20, 40, 40}, slanted));
  EXPECT_TRUE(overlap({0, 0, 100, 100}, slanted));
}

TEST(Fonts, CharactersOfUtf8) {
  EXPECT_EQ(characters_of("a\u00e9\u4e2d\U0001F600"), U"a\u00e9\u4e2d\U0001F600");
  EXPECT_EQ(characters_of("\xff\x61\xe4\xb8"), U"\uFFFDa\uFFFD\uFFFD");  // None, and cut off.
  for (const char32_t c : {U'a', U'\u00e9', U'\u4e2d', U'\U0001F600'})
    EXPECT_EQ(characters_of(utf8_of(c)), std::u32string(1, c));
}

TEST(Fonts, FilesThatAreNoFontsAreNamed) {
  if (installed_fonts().empty()) GTEST_SKIP() << "no font is installed";
  const std::string none = CORACLE_VISION_TESTS "/expected.json";
  try {
    draw_texts(Image(40, 40), {}, none);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), none + ": is not a font that FreeType reads, or one of dots");
  }
  try {
    draw_texts(Image(40, 40), {}, "/nowhere/font.ttf");
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "/nowhere/font.ttf: there is no such file");
  }
}

/// Dark pixels in a part of a picture.
int dark(const Image& image, const Area& area) {
  int count = 0;
  for (int y = area.top; y < area.bottom; ++y) {
    for (int x = area.left; x < area.right; ++x) count += image.row(y)[3 * x] + image.row(y)[3 * x + 1] < 100 ? 1 : 0;
  }
  return count;
}

TEST(Fonts, TextsStandBesideThePageInTheirPlaces) {
  if (installed_fonts().empty()) GTEST_SKIP() << "no font is installed";
  Image page(300, 200);
  std::fill(page.bgr.begin(), page.bgr.end(), std::uint8_t{255});
  const std::vector<TextLine> lines = {{{Point{20, 20}, {220, 20}, {220, 60}, {20, 60}}, "Horizontal", 1},
                                       {{Point{250, 20}, {280, 20}, {280, 180}, {250, 180}}, "tall", 1},
                                       {{Point{20, 100}, {60, 100}, {60, 110}, {20, 110}}, "\U0010FFFD", 1}};
  const TextPicture drawn = draw_texts(page, lines);
  EXPECT_EQ(drawn.image.width, 600);
  EXPECT_EQ(drawn.missing, "\U0010FFFD");
  EXPECT_GT(dark(drawn.image, {324, 24, 516, 56}), 100);  // Text within its box, to the right;
  EXPECT_GT(dark(drawn.image, {554, 24, 576, 176}), 50);  // that of the tall one from top to bottom,
  EXPECT_GT(dark(drawn.image, {554, 60, 576, 100}), 5);
  EXPECT_EQ(dark(drawn.image, {324, 130, 540, 190}), 0);  // nothing elsewhere.
  const std::uint8_t* tinted = drawn.image.row(40) + 3 * 100;
  EXPECT_TRUE(tinted[0] < 255 || tinted[1] < 255 || tinted[2] < 255);
  EXPECT_EQ(drawn.image.row(150)[3 * 100], 255);
}

}  // namespace
}  // namespace coracle::vision
