// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "vision/resize.h"

// Frames of cameras against the same in steps: each pixel is converted, the picture is resized, its values are
// normalised.
namespace coracle::vision {
namespace {

using Bytes = std::vector<uint8_t>;

bool is_yuv_format(coracle_frame_format format) { return format >= CORACLE_FRAME_NV12; }

/// A frame of noise whose planes end with the last byte that belongs to it, so that sanitizers see what is read behind.
struct NoisyFrame {
  NoisyFrame(coracle_frame_format format, int width, int height, int padding, uint32_t seed) : frame(make_frame()) {
    frame.format = format;
    frame.width = width;
    frame.height = height;
    const int chroma_width = (width + 1) / 2;
    const int chroma_height = (height + 1) / 2;
    const int step = format == CORACLE_FRAME_RGB || format == CORACLE_FRAME_BGR ? 3 : 4;
    add_plane(is_yuv_format(format) ? width : step * width, height, padding, seed);
    if (is_yuv_format(format)) add_plane(2 * chroma_width, chroma_height, padding / 2, seed + 1);
  }

  void add_plane(int row_bytes, int rows, int padding, uint32_t seed) {
    const size_t index = planes.size();
    Bytes plane(static_cast<size_t>((row_bytes + padding) * (rows - 1) + row_bytes));
    for (uint8_t& byte : plane) {
      seed = seed * 1664525 + 1013904223;
      byte = static_cast<uint8_t>(seed >> 24);
    }
    planes.push_back(plane);
    frame.planes[index] = planes[index].data();
    frame.strides[index] = padding == 0 ? 0 : static_cast<size_t>(row_bytes + padding);
    strides.push_back(row_bytes + padding);
  }
  int byte(size_t plane, int x, int y) const { return planes[plane][static_cast<size_t>(y * strides[plane] + x)]; }

  coracle_frame frame;
  std::vector<Bytes> planes;
  std::vector<int> strides;
};

uint8_t rounded_to_8_bits(int64_t units) {  // of which 2^20 are 1
  return static_cast<uint8_t>(std::clamp<int64_t>(((units >> 19) + 1) >> 1, 0, 255));
}

/// One pixel as the header says it, blue first.
std::array<uint8_t, 3> bgr_of(const NoisyFrame& noisy, int x, int y) {
  const coracle_frame_format format = noisy.frame.format;
  if (!is_yuv_format(format)) {
    const bool bgr = format == CORACLE_FRAME_BGR || format == CORACLE_FRAME_BGRA;
    const int at = x * (format == CORACLE_FRAME_RGB || format == CORACLE_FRAME_BGR ? 3 : 4);
    std::array<uint8_t, 3> pixel{};
    for (int c = 0; c < 3; ++c)
      pixel[static_cast<size_t>(c)] = static_cast<uint8_t>(noisy.byte(0, at + (bgr ? c : 2 - c), y));
    return pixel;
  }
  const auto times = [](double factor, int value) {
    return static_cast<int64_t>(std::trunc(factor * (1 << 20))) * value;
  };
  const int luma = std::max(noisy.byte(0, x, y) - 16, 0);
  const int first = noisy.byte(1, x / 2 * 2, y / 2) - 128;
  const int second = noisy.byte(1, x / 2 * 2 + 1, y / 2) - 128;
  const int u = format == CORACLE_FRAME_NV12 ? first : second;
  const int v = format == CORACLE_FRAME_NV12 ? second : first;
  return {rounded_to_8_bits(times(1.164, luma) + times(2.018, u)),
          rounded_to_8_bits(times(1.164, luma) + times(-0.813, v) + times(-0.391, u)),
          rounded_to_8_bits(times(1.164, luma) + times(1.596, v))};
}

/// A whole frame's region as a picture.
Image picture_of_region(const NoisyFrame& noisy, int left, int top, int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::array<uint8_t, 3> pixel = bgr_of(noisy, left + x, top + y);
      std::copy(pixel.begin(), pixel.end(), image.row(y) + 3 * x);
    }
  }
  return image;
}

/// Bilinear, with real numbers: the pixel at a place of the result is between those whose centres are round it.
double between(const Image& image, int c, int x, int y, int width, int height) {
  const auto place = [](int i, int from, int to) { return std::clamp((i + 0.5) * from / to - 0.5, 0.0, from - 1.0); };
  const double px = place(x, image.width, width);
  const double py = place(y, image.height, height);
  const int x0 = static_cast<int>(px);
  const int y0 = static_cast<int>(py);
  const auto at = [&](int i, int j) {
    return static_cast<double>(image.row(std::min(j, image.height - 1))[3 * std::min(i, image.width - 1) + c]);
  };
  const double above = at(x0, y0) + (at(x0 + 1, y0) - at(x0, y0)) * (px - x0);
  const double below = at(x0, y0 + 1) + (at(x0 + 1, y0 + 1) - at(x0, y0 + 1)) * (px - x0);
  return above + (below - above) * (py - y0);
}

template <class T>
std::vector<T> tensor_made_of(const coracle_frame& frame) {
  std::vector<T> tensor(static_cast<size_t>(3 * frame.tensor_width * frame.tensor_height));
  EXPECT_EQ(coracle_frame_to_tensor(&frame, tensor.data(), tensor.size() * sizeof(T)), CORACLE_OK)
      << coracle_last_error();
  return tensor;
}

/// The tensor is what the steps give; the region in the frame's terms may leave its size out.
void expect_steps(const NoisyFrame& noisy, int region_width, int region_height) {
  const coracle_frame& frame = noisy.frame;
  const Image region = picture_of_region(noisy, frame.left, frame.top, region_width, region_height);
  const int width = frame.tensor_width;
  const int height = frame.tensor_height;
  const Image resized = resize(region, width, height);
  const std::vector<float> tensor = tensor_made_of<float>(frame);
  for (int c = 0; c < 3; ++c) {
    const int channel = frame.order == CORACLE_BGR ? c : 2 - c;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int at = frame.channels_last != 0 ? (y * width + x) * 3 + c : (c * height + y) * width + x;
        const float found = tensor[static_cast<size_t>(at)];
        const int pixel = resized.row(y)[3 * x + channel];
        ASSERT_EQ(found, (static_cast<float>(pixel) - frame.mean[c]) * frame.scale[c]) << x << " " << y << " " << c;
        ASSERT_NEAR(pixel, between(region, channel, x, y, width, height), 1.0) << x << " " << y << " " << c;
      }
    }
  }
}

class Frames : public testing::TestWithParam<coracle_frame_format> {};
INSTANTIATE_TEST_SUITE_P(Formats, Frames,
                         testing::Values(CORACLE_FRAME_RGB, CORACLE_FRAME_BGR, CORACLE_FRAME_RGBA, CORACLE_FRAME_BGRA,
                                         CORACLE_FRAME_NV12, CORACLE_FRAME_NV21));

TEST_P(Frames, AreTheStepsOneByOne) {
  uint32_t seed = 1;
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {1, 3}, {7, 5}, {16, 16}, {37, 23}, {64, 48}}) {
    for (const auto& [to_width, to_height] : {std::pair{1, 1}, {3, 5}, {7, 5}, {32, 24}, {41, 19}}) {
      for (const int padding : {0, 2, 30}) {
        NoisyFrame noisy(GetParam(), width, height, padding, ++seed);
        coracle_frame& frame = noisy.frame;
        frame.tensor_width = to_width;
        frame.tensor_height = to_height;
        frame.order = seed % 2 == 0 ? CORACLE_RGB : CORACLE_BGR;
        frame.channels_last = static_cast<int32_t>(seed % 3 == 0);
        for (int c = 0; c < 3; ++c) {
          frame.mean[c] = 123.675F - 7.3F * static_cast<float>(c);
          frame.scale[c] = 0.017F + 0.001F * static_cast<float>(c);
        }
        SCOPED_TRACE(testing::Message() << width << "x" << height << " to " << to_width << "x" << to_height);
        expect_steps(noisy, width, height);
        frame.left = width / 3;
        frame.top = height / 2;
        expect_steps(noisy, width - frame.left, height - frame.top);
        frame.region_width = (width - frame.left + 1) / 2;
        frame.region_height = (height - frame.top + 1) / 2;
        expect_steps(noisy, frame.region_width, frame.region_height);
      }
    }
  }
}

TEST_P(Frames, BecomeIntegers) {
  NoisyFrame noisy(GetParam(), 19, 13, 0, 77);
  coracle_frame& frame = noisy.frame;
  frame.tensor_width = 11;
  frame.tensor_height = 9;
  for (const auto& [mean, scale] : {std::pair{0.F, 1.F}, {128.F, 1.F}, {127.5F, 0.5F}, {-9.F, -3.F}, {3e38F, 3e38F}}) {
    std::fill_n(frame.mean, 3, mean);
    std::fill_n(frame.scale, 3, scale);
    frame.dtype = CORACLE_FLOAT32;
    const std::vector<float> real = tensor_made_of<float>(frame);
    frame.dtype = CORACLE_UINT8;
    const std::vector<uint8_t> unsigned_ones = tensor_made_of<uint8_t>(frame);
    frame.dtype = CORACLE_INT8;
    const std::vector<int8_t> signed_ones = tensor_made_of<int8_t>(frame);
    for (size_t i = 0; i < real.size(); ++i) {
      ASSERT_EQ(unsigned_ones[i], std::clamp(std::nearbyint(real[i]), 0.F, 255.F)) << real[i];
      ASSERT_EQ(signed_ones[i], std::clamp(std::nearbyint(real[i]), -128.F, 127.F)) << real[i];
    }
  }
}

TEST(FramesOfVideo, HaveTheColoursOfBt601) {
  // Y, U, V of black, white, red, green, blue, and of what is below black and above white.
  const std::vector<std::array<int, 6>> colours = {{16, 128, 128, 0, 0, 0},       {235, 128, 128, 255, 255, 255},
                                                   {82, 90, 240, 255, 1, 0},      {145, 54, 34, 0, 255, 1},
                                                   {41, 240, 110, 0, 0, 255},     {0, 128, 128, 0, 0, 0},
                                                   {255, 128, 128, 255, 255, 255}};
  for (const auto& [y, u, v, red, green, blue] : colours) {
    NoisyFrame noisy(CORACLE_FRAME_NV12, 2, 2, 0, 1);
    std::fill(noisy.planes[0].begin(), noisy.planes[0].end(), static_cast<uint8_t>(y));
    noisy.planes[1] = {static_cast<uint8_t>(u), static_cast<uint8_t>(v)};
    noisy.frame.planes[1] = noisy.planes[1].data();
    noisy.frame.tensor_width = noisy.frame.tensor_height = 1;
    const std::vector<float> tensor = tensor_made_of<float>(noisy.frame);
    EXPECT_NEAR(tensor[0], red, 1) << y;
    EXPECT_NEAR(tensor[1], green, 1) << y;
    EXPECT_NEAR(tensor[2], blue, 1) << y;
  }
}

class FrameMisuse : public testing::Test {
 protected:
  FrameMisuse() {
    frame_.tensor_width = 4;
    frame_.tensor_height = 2;
  }
  void refused(const std::string& part) {
    EXPECT_EQ(coracle_frame_to_tensor(&frame_, tensor_.data(), bytes_), CORACLE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(coracle_last_error()).find(part), std::string::npos) << coracle_last_error();
    EXPECT_THROW(frame_to_tensor(frame_, tensor_.data(), bytes_), Error);
    for (const float value : tensor_) EXPECT_EQ(value, -1);
  }
  /// The value is refused, and the one before is not.
  template <class Field, class Value>
  void refused(Field& field, Value value, const std::string& part) {
    const Field before = field;
    std::memcpy(&field, &value, sizeof(field));
    refused(part);
    field = before;
  }

  NoisyFrame noisy_{CORACLE_FRAME_NV12, 5, 3, 0, 1};
  coracle_frame& frame_ = noisy_.frame;
  std::vector<float> tensor_ = std::vector<float>(24, -1);
  size_t bytes_ = 96;
};

TEST_F(FrameMisuse, SaysWhatDoesNotFit) {
  refused(frame_.format, 6, "no format of frames 6");
  refused(frame_.format, -1, "no format of frames -1");
  refused(frame_.order, 2, "no order of pixels 2");
  refused(frame_.dtype, static_cast<int>(CORACLE_INT64), "float32, uint8 or int8");
  for (const int32_t side : {0, -1, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
    refused(frame_.width, side, "is not made");
    refused(frame_.height, side, "is not made");
    refused(frame_.tensor_width, side, "is not made");
    refused(frame_.tensor_height, side, "is not made");
  }
  for (const int32_t begin : {-1, 5, std::numeric_limits<int32_t>::max()}) {
    refused(frame_.left, begin, "begins at " + std::to_string(begin) + " and has width 0, the frame has 5");
    refused(frame_.top, begin, "begins at " + std::to_string(begin) + " and has height 0, the frame has 3");
  }
  for (const int32_t size : {-1, 6, std::numeric_limits<int32_t>::max()}) {
    refused(frame_.region_width, size, "has width " + std::to_string(size));
    refused(frame_.region_height, size, "has height " + std::to_string(size));
  }
  refused(frame_.strides[0], size_t{4}, "a row of plane 0 has 5 bytes, the stride is 4");
  refused(frame_.strides[1], size_t{5}, "a row of plane 1 has 6 bytes, the stride is 5");
  refused(frame_.planes[0], static_cast<const void*>(nullptr), "'planes[0]' is null");
  refused(frame_.planes[1], static_cast<const void*>(nullptr), "'planes[1]' is null");
  refused(frame_.mean[1], std::numeric_limits<float>::quiet_NaN(), "channel 1 are not finite");
  refused(frame_.scale[2], std::numeric_limits<float>::infinity(), "channel 2 are not finite");
  for (const size_t bytes : {size_t{0}, size_t{24}, size_t{95}, size_t{97}}) {
    refused(bytes_, bytes, "the tensor takes 96 bytes, there is room for " + std::to_string(bytes));
  }
  refused(frame_.struct_size, size_t{0}, "struct_size 0");
  refused(frame_.struct_size, size_t{3}, "struct_size 3");
  EXPECT_EQ(coracle_frame_to_tensor(&frame_, nullptr, 96), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(coracle_frame_to_tensor(nullptr, tensor_.data(), 96), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(coracle_frame_to_tensor(&frame_, reinterpret_cast<char*>(tensor_.data()) + 1, 96),
            CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(coracle_frame_to_tensor(&frame_, tensor_.data(), 96), CORACLE_OK) << coracle_last_error();
}

}  // namespace
}  // namespace coracle::vision
