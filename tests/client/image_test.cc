// SPDX-License-Identifier: Apache-2.0
#include "client/image.h"

#include <gtest/gtest.h>

#include "client/element.h"
#include "tensors.h"

namespace coracle::client {
namespace {

std::vector<double> elements_in(const Tensor& t) {
  std::vector<double> out;
  for (size_t i = 0; i < element_count(t.dims); ++i) out.push_back(number_at(t.dtype, t.bytes.data(), i));
  return out;
}

/// Two pixels beside each other: blue, green and red of each.
vision::Image two_pixels() {
  vision::Image image(2, 1);
  image.bgr = {10, 20, 30, 50, 60, 70};
  return image;
}

Tensor pixels_of(const coracle::Dims& dims, const ImageOptions& options = {}) {
  return image_input("a.png", two_pixels(), CORACLE_UINT8, dims, options);
}

TEST(ImageInput, OrdersOfChannels) {
  EXPECT_EQ(elements_in(pixels_of({1, 3, -1, -1})), (std::vector<double>{30, 70, 20, 60, 10, 50}));
  EXPECT_EQ(elements_in(pixels_of({1, -1, -1, 3})), (std::vector<double>{30, 20, 10, 70, 60, 50}));
  EXPECT_EQ(elements_in(pixels_of({1, 3, 1, 2}, {.bgr = true})), (std::vector<double>{10, 50, 20, 60, 30, 70}));
  EXPECT_EQ(elements_in(pixels_of({-1, 1, 1, 2})), (std::vector<double>{22, 62})) << "grey";
}

TEST(ImageInput, Normalised) {
  const ImageOptions options{.scale = 0.1, .mean = {1, 2, 3}, .std = {2, 1, 0.5}, .normalised = true};
  const std::vector<double> values =
      elements_in(image_input("a.png", two_pixels(), CORACLE_FLOAT32, {1, 3, 1, 2}, options));
  const std::vector<double> wanted{1, 3, 0, 4, -4, 4};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-5) << i;
  expect_error([&] { pixels_of({1, 3, 1, 2}, options); }, CORACLE_INVALID_ARGUMENT, {"the input takes uint8"});
}

TEST(ImageInput, Sizes) {
  EXPECT_EQ(elements_in(pixels_of({1, 1, 1, 4})), (std::vector<double>{22, 32, 52, 62})) << "stretched, bilinear";
  EXPECT_EQ(elements_in(pixels_of({1, 1, 2, 2}, {.resize = Resize::kLetterbox, .grey = 7})),
            (std::vector<double>{22, 62, 7, 7}));
  EXPECT_EQ(elements_in(pixels_of({1, 1, 1, 1}, {.resize = Resize::kShort, .side = 1})), (std::vector<double>{22}));
  EXPECT_EQ(pixels_of({1, 3, -1, -1}, {.resize = Resize::kShort, .side = 3}).dims, (coracle::Dims{1, 3, 3, 6}));
  expect_error(
      [] {
        pixels_of({1, 3, 4, 4}, {.resize = Resize::kNone});
      },
      CORACLE_INVALID_ARGUMENT, {"a.png: a picture of 2 x 1 pixels, the input has 4 x 4"});
  expect_error(
      [] {
        pixels_of({1, 3, -1, -1}, {.resize = Resize::kLetterbox});
      },
      CORACLE_INVALID_ARGUMENT, {"needs the size of the input"});
  expect_error(
      [] {
        pixels_of({1, 3, 4, 4}, {.resize = Resize::kShort, .side = 2});
      },
      CORACLE_INVALID_ARGUMENT, {"no 4 x 4 can be cut"});
}

TEST(ImageInput, InputsThatAreNoPictures) {
  for (const coracle::Dims& dims : {coracle::Dims{1, 3}, coracle::Dims{2, 3, 4, 4}, coracle::Dims{1, 2, 4, 4}}) {
    expect_error([&] { pixels_of(dims); }, CORACLE_INVALID_ARGUMENT, {"a picture gives float32[1, 3, height, width]"});
  }
  expect_error(
      [] {
        image_input("a.png", two_pixels(), CORACLE_INT64, {1, 3, 4, 4}, {});
      },
      CORACLE_INVALID_ARGUMENT, {"the input takes int64"});
}

TEST(ImageInput, WhatWasDoneIsTold) {
  EXPECT_EQ(image_text(pixels_of({1, 3, 1, 2}), {}), "RGB, pixels from 0 to 255, stretched to 2 x 1");
  const Tensor real = image_input("a.png", two_pixels(), CORACLE_FLOAT32, {1, 1, 1, 2}, {});
  EXPECT_EQ(image_text(real, {}), "grey, (pixel * 1/255 - mean 0,0,0) / std 1,1,1, stretched to 2 x 1");
}

}  // namespace
}  // namespace coracle::client
