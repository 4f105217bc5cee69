// SPDX-License-Identifier: Apache-2.0
#include "vision/answers.h"

#include <gtest/gtest.h>

// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace coracle::vision {
namespace {

TEST(Answers, TheBestLabels) {
  Description d;
  d.labels = {"a", "b"};
  const std::vector<Label> labels = best_labels({0.1F, 0.4F, 0.4F, 0.1F}, 3, d);
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels[0].name, "2");  // Of equal scores the higher class; it has no name.
  EXPECT_EQ(labels[1].name, "b");
  EXPECT_EQ(labels[2].id, 3);
  EXPECT_EQ(best_labels({0.5F}, 9, d).size(), 1U);
  EXPECT_EQ(labels_above({0.5F, 0.9F}, 0.5F, d).size(), 1U);
}

TEST(Answers, CtcReadsEqualNeighboursOnce) {
  const std::vector<std::string> characters = ctc_characters({"a", "b"});  // Nothing, a, b, space.
  const std::vector<float> steps = {0, .9F, 0, 0, 0, .8F, 0, 0, 1, 0, 0, 0, 0, .7F, 0, 0, 0, 0, 0, .5F, 0, 0, .6F, 0};
  const Text text = ctc_text(steps.data(), 6, 4, characters);
  EXPECT_EQ(text.text, "aa b");
  EXPECT_FLOAT_EQ(text.score, (.9F + .7F + .5F + .6F) / 4);
  EXPECT_EQ(ctc_text(steps.data() + 8, 1, 4, characters).text, "");
}

Description layout() {
  Description d;
  d.labels = {"image", "formula", "text"};
  return d;
}

TEST(Answers, ObjectsAreFilteredClippedAndNamed) {
  const std::vector<float> rows = {2,  0.9F, -5, 10, 50, 200, 1, 0.2F, 0,   0, 9,   9,
                                   -1, 0.9F, 0,  0,  9,  9,   7, 0.8F, 200, 0, 300, 9};
  const std::vector<Object> found = objects(rows.data(), 4, 6, 100, 100, 0.5F, layout());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "text");
  EXPECT_EQ(found[0].left, 0);
  EXPECT_EQ(found[0].bottom, 100);
  Description own = layout();
  own.objects.thresholds[1] = 0.1F;
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, own).size(), 2U);
}

TEST(Answers, TurnedObjectsHaveCornersAndTheRectangleAroundThem) {
  const std::vector<float> rows = {
      2,  0.9F, 50, -4, 80, 30, 50, 60, 20, 30,  // a square on its corner, cut by the picture
      1,  0.8F, 10, 20, 40, 20, 40, 50, 10, 50,  // upright
      1,  0.7F, 10, 50, 10, 20, 40, 20, 40, 50,  // the same, begun elsewhere
      -1, 0.9F, 0,  0,  9,  0,  9,  9,  0,  9,   // none
      0,  0.5F, 0,  0,  9,  0,  9,  9,  0,  9};  // not above the threshold
  const std::vector<Object> found = turned_objects(rows.data(), 5, 100, 55, 0.5F, layout());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "text");
  EXPECT_EQ(found[0].corners, (std::array<float, 8>{50, 0, 80, 30, 50, 55, 20, 30}));
  EXPECT_EQ((std::array<float, 4>{found[0].left, found[0].top, found[0].right, found[0].bottom}),
            (std::array<float, 4>{20, 0, 80, 55}));
  EXPECT_FALSE(found[1].corners.has_value());
  EXPECT_EQ(found[1].bottom, 50);
  EXPECT_EQ(found[2].corners, (std::array<float, 8>{10, 50, 10, 20, 40, 20, 40, 50}));
  Description own = layout();
  own.objects.thresholds[2] = 0.95F;
  own.objects.thresholds[0] = 0.4F;
  ASSERT_EQ(turned_objects(rows.data(), 5, 100, 55, 0.5F, own).size(), 3U);
  EXPECT_EQ(turned_objects(rows.data(), 5, 100, 55, 0.5F, own)[0].id, 0);  // by class
}

TEST(Answers, LayoutsAreCleared) {
  // A page, text, the same text again, a formula in the text.
  const std::vector<float> rows = {0, 0.6F, 0,  0,  100, 100, 2, 0.9F, 10, 10, 60, 60,
                                   2, 0.7F, 11, 10, 60,  61,  1, 0.8F, 20, 20, 30, 30};
  Description d = layout();
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d).size(), 3U);  // Without the page.
  d.objects.suppress = true;
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d).size(), 2U);
  d.objects.nested = ObjectOptions::Nested::kOuter;  // Formulas stay.
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d).size(), 2U);
  d.labels[1] = "table";
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d).size(), 1U);
  d.objects.nested = ObjectOptions::Nested::kInner;
  ASSERT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d).size(), 1U);
  EXPECT_EQ(objects(rows.data(), 4, 6, 100, 100, 0.5F, d)[0].name, "table");
}

TEST(Answers, OrderedObjectsComeInTheirOrder) {
  const std::vector<float> rows = {2, 0.9F, 0, 0, 9, 9, 2, 1, 0.8F, 0, 0, 9, 9, 1};
  const std::vector<Object> found = objects(rows.data(), 2, 7, 10, 10, 0.5F, layout());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "formula");
}

TEST(Answers, RegionsOfPagesDoNotOverlap) {
  Description d;
  d.objects.regions = true;
  d.labels = {"text", "image", "table", "inline_formula", "reference"};
  const auto labels = [&](const std::vector<std::array<float, 5>>& regions) {
    std::vector<float> rows;
    for (const auto& [id, left, top, right, bottom] : regions)
      rows.insert(rows.end(), {id, 0.9F, left, top, right, bottom});
    std::string all;
    for (const Object& o : objects(rows.data(), regions.size(), 6, 200, 200, 0.5F, d)) all += o.name.substr(0, 2) + " ";
    return all;
  };
  const std::array<float, 5> text = {0, 10, 10, 90, 50};
  EXPECT_EQ(labels({text, {0, 12, 12, 80, 48}}), "te ");                  // The smaller one goes,
  EXPECT_EQ(labels({{0, 12, 12, 80, 48}, text}), "te ");                  // wherever it stands.
  EXPECT_EQ(labels({text, {3, 20, 20, 30, 30}}), "te ");                  // A formula in a line is of it,
  EXPECT_EQ(labels({text, {3, 85, 20, 105, 30}}), "te in ");              // one beside it is not.
  EXPECT_EQ(labels({{1, 5, 5, 150, 150}, text}), "im te ");               // Text in a picture stays,
  EXPECT_EQ(labels({{2, 5, 5, 150, 150}, text}), "ta ");                  // in a table it does not,
  EXPECT_EQ(labels({{2, 5, 5, 150, 150}, {1, 9, 9, 50, 50}}), "ta im ");  // a picture does.
  EXPECT_EQ(labels({text, {4, 100, 100, 150, 150}, {0, 60, 100, 65, 150}}), "te ");
  // Whole pixels, by their neighbours.
  const float row[] = {0, 0.9F, 10.5F, 9.5F, 89.6F, 50.4F};
  const Object o = objects(row, 1, 6, 200, 200, 0.5F, d).at(0);
  EXPECT_EQ(std::pair(o.left, o.top), std::pair(10.0F, 10.0F));
  EXPECT_EQ(std::pair(o.right, o.bottom), std::pair(90.0F, 50.0F));
}

TEST(Answers, MapsOfDamagedNumbersGiveNoBoxes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> map(64, nan);
  EXPECT_TRUE(text_boxes(map.data(), 8, 8, 80, 80, {}).empty());
  const std::vector<float> rows = {nan, nan, nan, nan, nan, nan};
  EXPECT_TRUE(objects(rows.data(), 1, 6, 10, 10, 0.5F, layout()).empty());
}

/// A map of 60 x 60: an L with arms of 12 pixels, and a speck.
std::vector<float> bent_map() {
  std::vector<float> map(60 * 60);
  for (int i = 0; i < 60 * 60; ++i) {
    const int x = i % 60;
    const int y = i / 60;
    const bool bent = x >= 10 && x < 50 && y >= 10 && y < 50 && (x < 22 || y >= 38);
    map[static_cast<size_t>(i)] = bent || (x == 40 && y == 20) ? 0.9F : 0.1F;
  }
  return map;
}

TEST(Answers, BentTextIsAPolygon) {
  const std::vector<float> map = bent_map();
  DbOptions options;
  options.polygons = true;
  const std::vector<TextBox> boxes = text_boxes(map.data(), 60, 60, 120, 60, options);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_NEAR(boxes[0].score, 0.9F, 1e-5F);
  EXPECT_GT(boxes[0].polygon.size(), 6U);
  for (const Point& p : boxes[0].polygon) {  // It stays a bent one: nothing in the corner that it leaves free,
    EXPECT_FALSE(p.x > 60 && p.y < 30) << p.x << ' ' << p.y;
    EXPECT_TRUE(p.x >= 0 && p.x <= 120 && p.y >= 0 && p.y <= 60);
  }
  // which the rectangle round it has.
  EXPECT_GT(std::max(boxes[0].corners[1].x, boxes[0].corners[2].x), 90);
  options.box_threshold = 0.95;
  EXPECT_TRUE(text_boxes(map.data(), 60, 60, 120, 60, options).empty());
  options.box_threshold = 0.5;
  options.max_candidates = 0;
  EXPECT_TRUE(text_boxes(map.data(), 60, 60, 120, 60, options).empty());
  const DbOptions plain{.box_threshold = 0.3};
  EXPECT_TRUE(text_boxes(map.data(), 60, 60, 120, 60, plain).at(0).polygon.empty());
}

TEST(Answers, AnomaliesAreMarkedWhereADiscHasPlace) {
  std::vector<float> scores(40 * 30);
  for (int y = 10; y < 24; ++y) {
    for (int x = 5; x < 20; ++x) scores[static_cast<size_t>(y * 40 + x)] = 0.5F;
  }
  scores[5 * 40 + 35] = 0.9F;                                                     // a speck
  for (int x = 20; x < 40; ++x) scores[static_cast<size_t>(15 * 40 + x)] = 0.4F;  // a spike
  const AnomalyMap map = anomaly_map(scores.data(), 40, 30, 0.01F);
  EXPECT_EQ(map.greatest, 0.9F);
  EXPECT_NEAR(map.mean, (14 * 15 * 0.5 + 0.9 + 20 * 0.4) / 1200, 1e-6);
  EXPECT_EQ(map.marked[15 * 40 + 12], 1);
  EXPECT_EQ(map.marked[5 * 40 + 35], 0);
  EXPECT_EQ(map.marked[15 * 40 + 30], 0);
  EXPECT_EQ(map.marked[10 * 40 + 5], 0);  // A corner, which is not round.
  const std::vector<float> all(40 * 30, 1.0F);
  const AnomalyMap whole = anomaly_map(all.data(), 40, 30, 0.01F);  // Nothing is beyond the edges.
  EXPECT_EQ(std::count(whole.marked.begin(), whole.marked.end(), 1), 1200);
}

TEST(Answers, ScoresOfRegionsThemselvesAndDilation) {
  const std::vector<float> map = bent_map();
  DbOptions options;
  EXPECT_TRUE(text_boxes(map.data(), 60, 60, 60, 60, options).empty());  // Half of the rectangle has no text,
  options.exact_score = true;
  ASSERT_EQ(text_boxes(map.data(), 60, 60, 60, 60, options).size(), 1U);  // all of the region has.
  EXPECT_NEAR(text_boxes(map.data(), 60, 60, 60, 60, options)[0].score, 0.9F, 1e-5F);
  const TextBox before = text_boxes(map.data(), 60, 60, 60, 60, options)[0];
  options.dilate = true;  // One pixel more to the right and below.
  const TextBox after = text_boxes(map.data(), 60, 60, 60, 60, options).at(0);
  EXPECT_LT(after.score, before.score);
}

/// A JPEG of 16 x 8 pixels, blue to the left, red to the right, with an EXIF orientation.
std::vector<uint8_t> jpeg(int orientation, bool progressive = false) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = 16;
  info.image_height = 8;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  const std::vector<uint8_t> exif = {
      'E', 'x', 'i', 'f', 0,    0, 'M', 'M', 0, 42, 0, 0, 0,
      8,   0,   1,   1,   0x12, 0, 3,   0,   0, 0,  1, 0, static_cast<uint8_t>(orientation),
      0,   0,   0,   0,   0,    0};
  jpeg_write_marker(&info, JPEG_APP0 + 1, exif.data(), static_cast<unsigned>(exif.size()));
  std::vector<uint8_t> row;
  for (int x = 0; x < 16; ++x)
    row.insert(row.end(), {static_cast<uint8_t>(x < 8 ? 0 : 255), 0, static_cast<uint8_t>(x < 8 ? 255 : 0)});
  for (int y = 0; y < 8; ++y) {
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&info, &rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> result(bytes, bytes + size);
  std::free(bytes);
  return result;
}

TEST(Pictures, AreTurnedUpright) {
  // Where the side that was left as stored is to be: left, right, right, left, top, top, bottom, bottom.
  const std::string sides = "LRRLTTBB";
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::vector<uint8_t> bytes = jpeg(orientation);
    const Image image = decode_image("a.jpg", bytes.data(), bytes.size());
    const char side = sides[static_cast<size_t>(orientation - 1)];
    EXPECT_EQ(image.width, orientation < 5 ? 16 : 8);
    const int x = side == 'L' ? 1 : side == 'R' ? 14 : 4;
    const int y = side == 'T' ? 1 : side == 'B' ? 14 : 4;
    EXPECT_GT(image.row(y)[3 * x], 200) << "orientation " << orientation;
  }
}

TEST(Pictures, TransparencyIsDroppedOrOnWhite) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = 2;
  header.height = 1;
  header.format = PNG_FORMAT_RGBA;
  const std::vector<uint8_t> rgba{10, 20, 30, 255, 100, 0, 200, 51};
  std::vector<uint8_t> bytes(1024);
  png_alloc_size_t size = bytes.size();
  ASSERT_NE(png_image_write_to_memory(&header, bytes.data(), &size, 0, rgba.data(), 0, nullptr), 0);
  EXPECT_EQ(decode_image("a.png", bytes.data(), size).bgr, (std::vector<uint8_t>{30, 20, 10, 200, 0, 100}));
  EXPECT_EQ(decode_image("a.png", bytes.data(), size, {.on_white = true}).bgr,
            (std::vector<uint8_t>{30, 20, 10, 244, 204, 224}));
}

TEST(Pictures, JpegFilesThatEndEarlyAreTakenOrRefused) {
  std::vector<uint8_t> bytes = jpeg(1);
  bytes.resize(bytes.size() - 6);
  EXPECT_EQ(decode_image("a.jpg", bytes.data(), bytes.size()).width, 16);
  EXPECT_THROW(decode_image("a.jpg", bytes.data(), bytes.size(), {.whole = true}), Error);
}

TEST(Pictures, MorePixelsThanAllowedAreRefused) {
  Image image(16, 8);
  for (size_t i = 0; i < image.bgr.size(); ++i) image.bgr[i] = static_cast<uint8_t>(i);
  const std::string png = encode_png(image);
  const auto* bytes = reinterpret_cast<const uint8_t*>(png.data());
  EXPECT_EQ(decode_image("a.png", bytes, png.size(), {.max_pixels = 128}).bgr, image.bgr);
  EXPECT_THROW(decode_image("a.png", bytes, png.size(), {.max_pixels = 127}), Error);
  const std::vector<uint8_t> lossy = jpeg(1);
  EXPECT_EQ(decode_image("a.jpg", lossy.data(), lossy.size(), {.max_pixels = 128}).width, 16);
  EXPECT_THROW(decode_image("a.jpg", lossy.data(), lossy.size(), {.max_pixels = 127}), Error);
}

TEST(Pictures, WhatTheyTakeIsSaidBefore) {
  const std::string png = encode_png(Image(16, 8));
  const auto bytes_of = [](const auto& file) {
    size_t bytes = 0;
    const auto allow = [&](const PictureHead& head) {
      EXPECT_EQ(head.width, 16);
      EXPECT_EQ(head.height, 8);
      bytes = head.bytes;
    };
    // The call comes before larger pictures than are allowed are refused.
    EXPECT_THROW(decode_image("a", reinterpret_cast<const uint8_t*>(file.data()), file.size(),
                              {.max_pixels = 1, .allow = allow}),
                 Error);
    return bytes;
  };
  constexpr size_t kPicture = size_t{3} * 16 * 8;
  EXPECT_EQ(bytes_of(png), kPicture + 8 * sizeof(void*));
  EXPECT_EQ(bytes_of(jpeg(1)), kPicture);
  EXPECT_EQ(bytes_of(jpeg(6)), 2 * kPicture) << "it is turned";
  EXPECT_EQ(bytes_of(jpeg(1, true)), kPicture + 4 * 64 * sizeof(short)) << "the coefficients of four blocks";
  const auto refuse = [](const PictureHead&) { throw std::string("refused"); };
  EXPECT_THROW(decode_image("a", reinterpret_cast<const uint8_t*>(png.data()), png.size(), {.allow = refuse}),
               std::string);
}

TEST(Pictures, DamagedOnesAreNamed) {
  std::vector<uint8_t> bytes = jpeg(1);
  bytes.resize(60);
  for (const std::vector<uint8_t>& damaged :
       {bytes, std::vector<uint8_t>{}, std::vector<uint8_t>{0x89, 'P', 'N', 'G', 13, 10, 26, 10}}) {
    try {
      decode_image("a.jpg", damaged.data(), damaged.size());
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).rfind("a.jpg: ", 0), 0U) << e.what();
      EXPECT_EQ(e.problem(), Problem::kPicture);
    }
  }
}

}  // namespace
}  // namespace coracle::vision
