// SPDX-License-Identifier: Apache-2.0
// What one picture may have otherwise than a predictor or reader was made for.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "coracle/vision/document_reader.h"

namespace coracle::vision {
namespace {

const std::string kHere = CORACLE_VISION_TESTS;

Image gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::uint8_t* const pixel = image.row(y) + 3 * x;
      pixel[0] = static_cast<std::uint8_t>(x);
      pixel[1] = static_cast<std::uint8_t>(y);
      pixel[2] = static_cast<std::uint8_t>((x + y) / 2);
    }
  }
  return image;
}

TEST(Choices, TopkAndThresholdHoldForOnePicture) {
  Predictor predictor(kHere + "/orientation");
  const Image image = gradient(120, 80);
  const std::vector<Label> described = predictor.predict(image).labels;
  ASSERT_EQ(described.size(), 1U);
  const std::vector<Label> all = predictor.predict(image, PredictionChoice{.topk = 4}).labels;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].id, described[0].id);
  EXPECT_TRUE(predictor.predict(image, PredictionChoice{.threshold = 2.0F}).labels.empty());
  EXPECT_EQ(predictor.predict(image).labels.size(), 1U);
}

TEST(Choices, StagesOfADocument) {
  DocumentReaderFiles files;
  files.orientation = kHere + "/orientation";
  files.unwarper = kHere + "/unwarp";
  files.table = kHere + "/table";
  DocumentReader reader(files);
  Image image = gradient(120, 80);
  const Document plain = reader.read(image, DocumentReading{.orientation = false, .unwarping = false, .tables = false});
  EXPECT_EQ(plain.turned, 0);
  EXPECT_EQ(plain.page.bgr, image.bgr);
  EXPECT_TRUE(plain.tables.empty());
  const Document flat = reader.read(image, DocumentReading{.orientation = false});
  EXPECT_EQ(flat.page.width, 120);
  EXPECT_NE(flat.page.bgr, image.bgr);
  EXPECT_EQ(flat.tables.size(), 1U);
}

TEST(Choices, APictureAsJpegIsNearlyTheSame) {
  const Image image = gradient(50, 33);
  for (const int quality : {95, 20}) {
    const std::string file = encode_jpeg(image, quality);
    const Image back = decode_image("a.jpg", reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    ASSERT_EQ(back.width, 50);
    ASSERT_EQ(back.height, 33);
    for (std::size_t i = 0; i < image.bgr.size(); ++i)
      ASSERT_LT(std::abs(int{image.bgr[i]} - int{back.bgr[i]}), quality > 90 ? 8 : 40) << i;
  }
  EXPECT_LT(encode_jpeg(image, 20).size(), encode_jpeg(image, 95).size());
  EXPECT_THROW(encode_jpeg(Image(0, 5)), Error);
  EXPECT_THROW(encode_jpeg(Image(70'000, 1)), Error);
}

}  // namespace
}  // namespace coracle::vision
