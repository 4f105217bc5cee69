// SPDX-License-Identifier: Apache-2.0
#include "vision/c_interface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "coracle/vision/vision.h"
#include "support/archive_writer.h"
#include "support/temporary_folder.h"

// The C interface: what programs in C, and the Python package, see.
namespace coracle::vision {
namespace {

constexpr const char* kModel = CORACLE_VISION_TESTS "/objects";
constexpr const char* kDescription = CORACLE_VISION_TESTS "/descriptions/objects.yml";

template <class T, void (*kFree)(T*)>
struct Free {
  void operator()(T* handle) const { kFree(handle); }
};
template <class T, void (*kFree)(T*)>
using Handle = std::unique_ptr<T, Free<T, kFree>>;
using ImageHandle = Handle<coracle_image, coracle_image_free>;
using PredictorHandle = Handle<coracle_predictor, coracle_predictor_free>;
using PredictionHandle = Handle<coracle_prediction, coracle_prediction_free>;
using ReaderHandle = Handle<coracle_document_reader, coracle_document_reader_free>;
using DocumentHandle = Handle<coracle_document, coracle_document_free>;

void expect_error(coracle_status got, coracle_status status, const std::string& message) {
  EXPECT_EQ(got, status) << message;
  EXPECT_NE(std::string(coracle_last_error()).find(message), std::string::npos) << coracle_last_error();
}

/// A picture of one colour, red first.
ImageHandle plain(int width, int height, const std::vector<uint8_t>& colour = {250, 10, 10}) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < width * height; ++i) pixels.insert(pixels.end(), colour.begin(), colour.end());
  coracle_image* image = nullptr;
  EXPECT_EQ(
      coracle_image_create(pixels.data(), width, height, static_cast<int32_t>(colour.size()), 0, CORACLE_RGB, &image),
      CORACLE_OK)
      << coracle_last_error();
  return ImageHandle(image);
}

std::vector<uint8_t> copied(const coracle_image* image, coracle_pixel_order order) {
  std::vector<uint8_t> pixels(static_cast<size_t>(3 * coracle_image_width(image) * coracle_image_height(image)));
  EXPECT_EQ(coracle_image_copy(image, order, pixels.data(), pixels.size()), CORACLE_OK) << coracle_last_error();
  return pixels;
}

PredictorHandle description_with(const char* model, const char* description) {
  coracle_predictor_options options;
  coracle_predictor_options_init(&options, sizeof(options));
  options.description = description;
  coracle_predictor* predictor = nullptr;
  EXPECT_EQ(coracle_predictor_create(model, &options, &predictor), CORACLE_OK) << coracle_last_error();
  return PredictorHandle(predictor);
}

PredictorHandle detector() { return description_with(kModel, kDescription); }

PredictionHandle answer(coracle_predictor* predictor, const coracle_image* image) {
  coracle_prediction* prediction = nullptr;
  EXPECT_EQ(coracle_predictor_predict(predictor, image, &prediction), CORACLE_OK) << coracle_last_error();
  return PredictionHandle(prediction);
}

TEST(CInterface, PixelsOfEveryLayoutAndOrder) {
  const std::vector<uint8_t> rows{1, 2, 3, 4, 5, 6, 99, 7, 8, 9, 10, 11, 12, 99};  // a byte between rows
  coracle_image* image = nullptr;
  ASSERT_EQ(coracle_image_create(rows.data(), 2, 2, 3, 7, CORACLE_BGR, &image), CORACLE_OK) << coracle_last_error();
  const ImageHandle owner(image);
  EXPECT_EQ(copied(image, CORACLE_BGR), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(copied(image, CORACLE_RGB), (std::vector<uint8_t>{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
  EXPECT_EQ(copied(plain(1, 1, {7}).get(), CORACLE_RGB), (std::vector<uint8_t>{7, 7, 7}));
  EXPECT_EQ(copied(plain(1, 1, {1, 2, 3, 0}).get(), CORACLE_BGR), (std::vector<uint8_t>{3, 2, 1}));
}

TEST(CInterface, PicturesAreWrittenAndReadAgain) {
  const internal::test::TemporaryFolder folder;
  const std::string path = folder.path("a.png");
  ASSERT_EQ(coracle_image_write_png(plain(4, 3).get(), path.c_str()), CORACLE_OK) << coracle_last_error();
  coracle_image* image = nullptr;
  ASSERT_EQ(coracle_image_read(path.c_str(), &image), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(copied(ImageHandle(image).get(), CORACLE_RGB), copied(plain(4, 3).get(), CORACLE_RGB));
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  ASSERT_EQ(coracle_image_decode(bytes.data(), bytes.size(), &image), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_image_width(ImageHandle(image).get()), 4);
}

TEST(CInterface, PolygonsOfBentText) {
  coracle_prediction prediction;
  const std::array<Point, 4> around{Point{1, 2}, {30, 2}, {30, 20}, {1, 20}};
  prediction.prediction.boxes = {{around, 0.75F, {{1, 2}, {15, 9}, {30, 2}, {28, 20}, {3, 20}}}, {around, 0.5F}};
  add_items(prediction);
  coracle_vision_item item;
  ASSERT_EQ(coracle_prediction_item(&prediction, 0, &item), CORACLE_OK);
  ASSERT_EQ(item.points, 4U);  // As of any box.
  EXPECT_EQ(item.outline[4], 30);
  size_t points = 0;
  const float* polygon = coracle_prediction_polygon(&prediction, 0, &points);
  ASSERT_EQ(points, 5U);
  EXPECT_EQ(polygon[3], 9);
  EXPECT_EQ(coracle_prediction_polygon(&prediction, 0, nullptr), polygon);
  EXPECT_EQ(coracle_prediction_polygon(&prediction, 1, &points), nullptr);
  EXPECT_EQ(points, 0U);
  EXPECT_EQ(coracle_prediction_polygon(&prediction, 2, &points), nullptr);
  EXPECT_EQ(coracle_prediction_polygon(nullptr, 0, &points), nullptr);
}

TEST(CInterface, MapsOfAnomalies) {
  coracle_prediction prediction;
  prediction.prediction.task = Task::kAnomaly;
  prediction.prediction.anomaly = {
      .width = 2, .height = 1, .scores = {0.25F, 0.75F}, .marked = {0, 1}, .greatest = 0.75F, .mean = 0.5F};
  add_items(prediction);
  ASSERT_EQ(coracle_prediction_size(&prediction), 1U);
  coracle_vision_item item;
  ASSERT_EQ(coracle_prediction_item(&prediction, 0, &item), CORACLE_OK);
  EXPECT_EQ(item.score, 0.75F);
  EXPECT_EQ(item.pixels, 1);
  int32_t width = 0;
  int32_t height = 0;
  const float* scores = coracle_prediction_scores(&prediction, &width, &height);
  EXPECT_EQ(std::pair(width, height), std::pair(2, 1));
  EXPECT_EQ(scores[1], 0.75F);
  EXPECT_EQ(coracle_prediction_scores(&prediction, nullptr, nullptr), scores);
  EXPECT_EQ(coracle_prediction_marks(&prediction)[1], 1);
  EXPECT_EQ(coracle_prediction_scores(nullptr, &width, &height), nullptr);
  EXPECT_EQ(std::pair(width, height), std::pair(0, 0));
  EXPECT_EQ(coracle_prediction_marks(nullptr), nullptr);
}

TEST(CInterface, ItemsOfObjectDetection) {
  const ImageHandle image = plain(120, 90);
  const PredictorHandle predictor = detector();
  EXPECT_STREQ(coracle_predictor_task(predictor.get()), "object-detection");
  const PredictionHandle prediction = answer(predictor.get(), image.get());
  EXPECT_STREQ(coracle_prediction_task(prediction.get()), "object-detection");
  ASSERT_GT(coracle_prediction_size(prediction.get()), 0U);
  coracle_vision_item item;
  ASSERT_EQ(coracle_prediction_item(prediction.get(), 0, &item), CORACLE_OK);
  EXPECT_EQ(item.id, 0);
  EXPECT_STREQ(item.text, "person");
  EXPECT_GT(item.score, 0.5F);
  ASSERT_EQ(item.points, 4U);
  EXPECT_LT(item.outline[0], item.outline[4]);  // left, right
  EXPECT_LT(item.outline[1], item.outline[5]);  // top, bottom
  EXPECT_EQ(item.outline[2], item.outline[4]);
  EXPECT_EQ(coracle_prediction_class_map(prediction.get()), nullptr);
  size_t count = 1;
  EXPECT_EQ(coracle_prediction_features(prediction.get(), &count), nullptr);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(coracle_prediction_features(nullptr, nullptr), nullptr);
  expect_error(coracle_prediction_item(prediction.get(), 1000, &item), CORACLE_INVALID_ARGUMENT,
               "there is no item 1000");
  coracle_image* drawing = nullptr;
  ASSERT_EQ(coracle_prediction_draw(prediction.get(), image.get(), &drawing), CORACLE_OK) << coracle_last_error();
  EXPECT_NE(copied(ImageHandle(drawing).get(), CORACLE_RGB), copied(image.get(), CORACLE_RGB));
  expect_error(coracle_prediction_draw(prediction.get(), plain(9, 9).get(), &drawing), CORACLE_INVALID_ARGUMENT,
               "of a picture of 120 x 90 pixels, given one of 9 x 9");
}

TEST(CInterface, WhatIsAssumedWithoutADescription) {
  EXPECT_STREQ(coracle_predictor_assumed(detector().get()), "") << "a description says it";
  EXPECT_EQ(coracle_predictor_assumed(nullptr), nullptr);
  coracle_predictor_options options;
  coracle_predictor_options_init(&options, sizeof(options));
  options.task = "classification";
  coracle_predictor* made = nullptr;
  ASSERT_EQ(coracle_predictor_create(kModel, &options, &made), CORACLE_OK) << coracle_last_error();
  const PredictorHandle predictor(made);
  const std::string assumed = coracle_predictor_assumed(predictor.get());
  EXPECT_NE(assumed.find("pictures are prepared as is usual for classification: "), std::string::npos) << assumed;
}

TEST(CInterface, MasksOfInstances) {
  const ImageHandle image = plain(120, 90);
  const PredictorHandle predictor =
      description_with(CORACLE_VISION_TESTS "/instances", CORACLE_VISION_TESTS "/descriptions/instances.yml");
  EXPECT_STREQ(coracle_predictor_task(predictor.get()), "instance-segmentation");
  const PredictionHandle prediction = answer(predictor.get(), image.get());
  ASSERT_GT(coracle_prediction_size(prediction.get()), 1U);
  coracle_vision_item item;
  ASSERT_EQ(coracle_prediction_item(prediction.get(), 1, &item), CORACLE_OK);
  EXPECT_EQ(item.points, 4U);
  EXPECT_GT(item.pixels, 0);
  std::vector<uint8_t> pixels(120 * 90);
  ASSERT_EQ(coracle_prediction_mask(prediction.get(), 1, pixels.data(), pixels.size()), CORACLE_OK)
      << coracle_last_error();
  EXPECT_EQ(std::count(pixels.begin(), pixels.end(), 1), item.pixels);
  size_t count = 0;
  const uint32_t* counts = coracle_prediction_mask_counts(prediction.get(), 1, &count);
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(std::accumulate(counts, counts + count, 0U), pixels.size());
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    for (const size_t end = at + counts[i]; at < end; ++at) ASSERT_EQ(pixels[at % 90 * 120 + at / 90], i % 2) << at;
  }
  EXPECT_EQ(coracle_prediction_mask_counts(prediction.get(), 1000, &count), nullptr);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(coracle_prediction_mask_counts(nullptr, 0, nullptr), nullptr);
  expect_error(coracle_prediction_mask(prediction.get(), 1, pixels.data(), 5), CORACLE_INVALID_ARGUMENT,
               "the mask takes 10800 bytes, one for each pixel of the picture, given room for 5");
  expect_error(coracle_prediction_mask(prediction.get(), 1000, pixels.data(), pixels.size()), CORACLE_INVALID_ARGUMENT,
               "item 1000 has no mask");
  expect_error(coracle_prediction_mask(answer(detector().get(), image.get()).get(), 0, pixels.data(), pixels.size()),
               CORACLE_INVALID_ARGUMENT, "item 0 has no mask");
}

TEST(CInterface, KeypointsAreItemsOfOnePlace) {
  const ImageHandle image = plain(120, 90, {128, 128, 128});
  const PredictorHandle predictor =
      description_with(CORACLE_VISION_TESTS "/keypoints", CORACLE_VISION_TESTS "/descriptions/keypoints.yml");
  EXPECT_STREQ(coracle_predictor_task(predictor.get()), "keypoints");
  const PredictionHandle prediction = answer(predictor.get(), image.get());
  ASSERT_EQ(coracle_prediction_size(prediction.get()), 17U);
  coracle_vision_item item;
  ASSERT_EQ(coracle_prediction_item(prediction.get(), 16, &item), CORACLE_OK);
  EXPECT_EQ(item.id, 16);
  EXPECT_STREQ(item.text, "right_ankle");
  ASSERT_EQ(item.points, 1U);
  EXPECT_GT(item.outline[0], 0);
  coracle_image* drawing = nullptr;
  ASSERT_EQ(coracle_prediction_draw(prediction.get(), image.get(), &drawing), CORACLE_OK) << coracle_last_error();
  EXPECT_NE(copied(ImageHandle(drawing).get(), CORACLE_RGB), copied(image.get(), CORACLE_RGB));
}

TEST(CInterface, ArchivesInMemory) {
  const auto content = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string archive =
      internal::test::tar_archive({{"net/inference.pdmodel", content(std::string(kModel) + "/inference.pdmodel")},
                                   {"net/inference.yml", content(kDescription)}});
  const ImageHandle image = plain(120, 90);
  for (const std::string& bytes : {archive, internal::test::gzipped(archive)}) {
    coracle_predictor* predictor = nullptr;
    ASSERT_EQ(coracle_predictor_create_memory(bytes.data(), bytes.size(), nullptr, &predictor), CORACLE_OK)
        << coracle_last_error();
    const PredictorHandle owner(predictor);
    EXPECT_EQ(coracle_prediction_size(answer(predictor, image.get()).get()),
              coracle_prediction_size(answer(detector().get(), image.get()).get()));
  }
}

coracle_vision_item item_of(const coracle_prediction* prediction, size_t index) {
  coracle_vision_item item{};
  EXPECT_EQ(coracle_prediction_item(prediction, index, &item), CORACLE_OK) << coracle_last_error();
  return item;
}

TEST(CInterface, PartsOfDocuments) {
  coracle_document_reader_options options;
  coracle_document_reader_options_init(&options, sizeof(options));
  EXPECT_EQ(options.min_score, 0.5F);
  options.orientation = CORACLE_VISION_TESTS "/orientation";
  options.table = CORACLE_VISION_TESTS "/table";
  coracle_document_reader* reader = nullptr;
  ASSERT_EQ(coracle_document_reader_create(&options, &reader), CORACLE_OK) << coracle_last_error();
  const ReaderHandle owner(reader);
  const ImageHandle image = plain(120, 90);
  coracle_document* document = nullptr;
  ASSERT_EQ(coracle_document_reader_read(reader, image.get(), &document), CORACLE_OK) << coracle_last_error();
  const DocumentHandle read(document);

  const int32_t turned = coracle_document_turned(document);
  coracle_image* page = nullptr;
  ASSERT_EQ(coracle_document_page(document, &page), CORACLE_OK) << coracle_last_error();
  const ImageHandle flat(page);
  EXPECT_EQ(coracle_image_width(page), turned % 180 == 0 ? 120 : 90);

  ASSERT_EQ(coracle_document_tables(document), 1U);  // without a layout the page is one
  coracle_prediction* part = nullptr;
  ASSERT_EQ(coracle_document_table(document, 0, &part), CORACLE_OK) << coracle_last_error();
  const PredictionHandle table(part);
  EXPECT_STREQ(coracle_prediction_task(part), "table-structure");
  const coracle_vision_item whole = item_of(part, 0);
  EXPECT_EQ(std::string(whole.text).rfind("<html>", 0), 0U) << whole.text;
  ASSERT_EQ(whole.points, 4U);
  EXPECT_EQ(whole.outline[4], static_cast<float>(coracle_image_width(page) - 1));
  EXPECT_EQ(whole.outline[5], static_cast<float>(coracle_image_height(page) - 1));
  coracle_image* drawing = nullptr;
  ASSERT_EQ(coracle_prediction_draw(part, page, &drawing), CORACLE_OK) << coracle_last_error();
  coracle_image_free(drawing);
  expect_error(coracle_document_table(document, 1, &part), CORACLE_INVALID_ARGUMENT,
               "there is no table 1, the document has 1");

  ASSERT_EQ(coracle_document_regions(document, &part), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_prediction_size(PredictionHandle(part).get()), 0U);
  ASSERT_EQ(coracle_document_lines(document, &part), CORACLE_OK) << coracle_last_error();
  EXPECT_STREQ(coracle_prediction_task(PredictionHandle(part).get()), "text-reading");
  ASSERT_EQ(coracle_document_draw(document, &drawing), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_image_width(ImageHandle(drawing).get()), coracle_image_width(page));
  char* html = nullptr;
  ASSERT_EQ(coracle_document_html(document, "a < b", &html), CORACLE_OK) << coracle_last_error();
  EXPECT_NE(std::string(html).find("a &lt; b"), std::string::npos) << html;
  coracle_string_free(html);
  char* text = nullptr;
  ASSERT_EQ(coracle_document_markdown(document, "p/", &text), CORACLE_OK) << coracle_last_error();
  EXPECT_NE(std::string(text).find("<table border=\"1\">"), std::string::npos) << text;
  const std::string markdown = text;
  coracle_string_free(text);
  const coracle_document* const pages[] = {document, document};
  ASSERT_EQ(coracle_documents_markdown(pages, 2, nullptr, &text), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(text, markdown + "\n\n" + markdown);
  coracle_string_free(text);
  ASSERT_EQ(coracle_document_json(document, "a\"b.png", &text), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(std::string(text).rfind(R"({"input_path": "a\"b.png", "page_index": null)", 0), 0U) << text;
  EXPECT_NE(std::string(text).find(R"({"block_label": "table", "block_content": "<html>)"), std::string::npos) << text;
  coracle_string_free(text);
  EXPECT_EQ(coracle_document_pictures(document), 0U);
  EXPECT_EQ(coracle_document_pictures(nullptr), 0U);
  expect_error(coracle_document_picture(document, 0, &text, &drawing), CORACLE_INVALID_ARGUMENT,
               "there is no picture 0, the document has 0");
  expect_error(coracle_document_markdown(nullptr, nullptr, &text), CORACLE_INVALID_ARGUMENT, "'document' is null");
  const coracle_document* const absent[] = {document, nullptr};
  expect_error(coracle_documents_markdown(absent, 2, nullptr, &text), CORACLE_INVALID_ARGUMENT, "'documents' is null");

  coracle_document_free(nullptr);
  coracle_document_reader_free(nullptr);
  EXPECT_EQ(coracle_document_turned(nullptr), 0);
  EXPECT_EQ(coracle_document_tables(nullptr) + coracle_document_seals(nullptr) + coracle_document_seals(document), 0U);
  expect_error(coracle_document_seal(document, 0, &part), CORACLE_INVALID_ARGUMENT, "there is no seal 0");
  coracle_document_reader_options_init(&options, sizeof(options));
  expect_error(coracle_document_reader_create(&options, &reader), CORACLE_INVALID_ARGUMENT, "all stages are left out");
  expect_error(coracle_document_reader_create(nullptr, &reader), CORACLE_INVALID_ARGUMENT, "'options' is null");
  options.min_score = -1;
  expect_error(coracle_document_reader_create(&options, &reader), CORACLE_INVALID_ARGUMENT, "min_score");
  EXPECT_EQ(coracle_document_reader_cancel(owner.get()), CORACLE_OK);
}

TEST(CInterface, MisuseIsTold) {
  coracle_image* image = nullptr;
  const uint8_t pixels[12] = {};
  expect_error(coracle_image_create(nullptr, 1, 1, 3, 0, CORACLE_RGB, &image), CORACLE_INVALID_ARGUMENT,
               "'pixels' is null");
  expect_error(coracle_image_create(pixels, 2, 2, 2, 0, CORACLE_RGB, &image), CORACLE_INVALID_ARGUMENT, "given 2");
  expect_error(coracle_image_create(pixels, 2, 2, 3, 5, CORACLE_RGB, &image), CORACLE_INVALID_ARGUMENT,
               "the stride is 5");
  expect_error(coracle_image_create(pixels, 0, 2, 3, 0, CORACLE_RGB, &image), CORACLE_INVALID_ARGUMENT, "0 x 2 pixels");
  expect_error(coracle_image_create(pixels, 1 << 20, 1 << 20, 3, 0, CORACLE_RGB, &image), CORACLE_INVALID_ARGUMENT,
               "at most");
  expect_error(coracle_image_create(pixels, 1, 1, 3, 0, static_cast<coracle_pixel_order>(7), &image),
               CORACLE_INVALID_ARGUMENT, "no order of pixels 7");
  expect_error(coracle_image_decode("text", 4, &image), CORACLE_IO, "picture in memory: neither a PNG");
  expect_error(coracle_image_read("/nonexistent.png", &image), CORACLE_IO, "there is no such file");
  uint8_t room[12];
  expect_error(coracle_image_copy(plain(1, 1).get(), CORACLE_RGB, room, 12), CORACLE_INVALID_ARGUMENT, "has 3 bytes");

  coracle_predictor* predictor = nullptr;
  expect_error(coracle_predictor_create("/nonexistent", nullptr, &predictor), CORACLE_IO, "no such model");
  expect_error(coracle_predictor_create(kModel, nullptr, &predictor), CORACLE_INVALID_ARGUMENT, "no inference.yml");
  expect_error(coracle_predictor_create_memory("x", 1, nullptr, &predictor), CORACLE_INVALID_MODEL,
               "it is not a model");
  coracle_predictor_options options;
  coracle_predictor_options_init(&options, sizeof(options));
  options.task = "guess";
  expect_error(coracle_predictor_create(kModel, &options, &predictor), CORACLE_INVALID_ARGUMENT, "no task 'guess'");
  options.struct_size = 3;
  expect_error(coracle_predictor_create(kModel, &options, &predictor), CORACLE_INVALID_ARGUMENT, "has struct_size 3");

  coracle_text_reader* reader = nullptr;
  coracle_text_reader_options files;
  coracle_text_reader_options_init(&files, sizeof(files));
  expect_error(coracle_text_reader_create(&files, &reader), CORACLE_INVALID_ARGUMENT, "'detector' is null");
  files.detector = files.recognizer = "/nonexistent";
  expect_error(coracle_text_reader_create(&files, &reader), CORACLE_IO, "no such model");
  files.min_score = 2;
  expect_error(coracle_text_reader_create(&files, &reader), CORACLE_INVALID_ARGUMENT, "min_score");

  coracle_image_free(nullptr);
  coracle_predictor_free(nullptr);
  coracle_prediction_free(nullptr);
  coracle_text_reader_free(nullptr);
  EXPECT_EQ(coracle_prediction_task(nullptr), nullptr);
  EXPECT_EQ(coracle_prediction_size(nullptr), 0U);
}

TEST(CInterface, OtherThreadsCancelAndAreRefused) {
  const PredictorHandle predictor = detector();
  const ImageHandle image = plain(640, 480);
  std::atomic<int> status{CORACLE_OK};
  std::thread user([&] {
    while (status == CORACLE_OK) {
      coracle_prediction* prediction = nullptr;
      status = coracle_predictor_predict(predictor.get(), image.get(), &prediction);
      coracle_prediction_free(prediction);
    }
  });
  coracle_prediction* prediction = nullptr;
  while (coracle_predictor_predict(predictor.get(), image.get(), &prediction) == CORACLE_OK) {
    coracle_prediction_free(prediction);
    prediction = nullptr;
    if (status != CORACLE_OK) break;  // or that thread was the one that came second
  }
  while (status == CORACLE_OK) coracle_predictor_cancel(predictor.get());
  user.join();
  EXPECT_TRUE(status == CORACLE_CANCELLED || status == CORACLE_INVALID_ARGUMENT) << status;
  EXPECT_NE(answer(predictor.get(), image.get()), nullptr);
}

}  // namespace
}  // namespace coracle::vision
