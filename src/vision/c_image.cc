// SPDX-License-Identifier: Apache-2.0
#include "vision/c_interface.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

bool is_rgb(const coracle_pixel_order& order) {
  int number = 0;  // in C an enumeration may hold any
  std::memcpy(&number, &order, sizeof(number));
  if (number != CORACLE_RGB && number != CORACLE_BGR) refuse("there is no order of pixels " + std::to_string(number));
  return number == CORACLE_RGB;
}

Image from_pixels(const std::uint8_t* pixels, int width, int height, int channels, std::size_t stride, bool rgb) {
  check_size(width, height);
  if (channels != 1 && channels != 3 && channels != 4)
    refuse("pixels have 1, 3 or 4 channels, given " + std::to_string(channels));
  const auto step = static_cast<std::size_t>(channels);
  const std::size_t row_bytes = static_cast<std::size_t>(width) * step;
  if (stride == 0) stride = row_bytes;
  if (stride < row_bytes)
    refuse("a row has " + std::to_string(row_bytes) + " bytes, the stride is " + std::to_string(stride));
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = pixels + stride * static_cast<std::size_t>(y);
    std::uint8_t* to = image.row(y);
    for (int x = 0; x < width; ++x, from += step, to += 3) {
      for (std::size_t c = 0; c < 3; ++c) to[c] = channels == 1 ? from[0] : from[rgb ? 2 - c : c];
    }
  }
  return image;
}

}  // namespace
}  // namespace coracle::vision

using coracle::vision::guard;
using coracle::vision::require_pointer;

extern "C" {

coracle_status coracle_image_create(const void* pixels, int32_t width, int32_t height, int32_t channels, size_t stride,
                                    coracle_pixel_order order, coracle_image** image) {
  return guard([&] {
    require_pointer(pixels, "pixels");
    require_pointer(image, "image");
    *image = new coracle_image{coracle::vision::from_pixels(static_cast<const uint8_t*>(pixels), width, height,
                                                            channels, stride, coracle::vision::is_rgb(order))};
  });
}

coracle_status coracle_image_decode(const void* bytes, size_t size, coracle_image** image) {
  return guard(
      [&] {
        require_pointer(bytes, "bytes");
        require_pointer(image, "image");
        *image = new coracle_image{
            coracle::vision::decode_image("picture in memory", static_cast<const uint8_t*>(bytes), size)};
      },
      CORACLE_IO);
}

coracle_status coracle_image_read(const char* path, coracle_image** image) {
  return guard(
      [&] {
        require_pointer(path, "path");
        require_pointer(image, "image");
        *image = new coracle_image{coracle::vision::read_image(path)};
      },
      CORACLE_IO);
}

void coracle_image_free(coracle_image* image) { delete image; }

int32_t coracle_image_width(const coracle_image* image) { return image == nullptr ? 0 : image->image.width; }
int32_t coracle_image_height(const coracle_image* image) { return image == nullptr ? 0 : image->image.height; }

coracle_status coracle_image_copy(const coracle_image* image, coracle_pixel_order order, void* pixels, size_t bytes) {
  return guard([&] {
    require_pointer(image, "image");
    require_pointer(pixels, "pixels");
    const std::vector<uint8_t>& bgr = image->image.bgr;
    if (bytes != bgr.size()) {
      coracle::vision::refuse("the image has " + std::to_string(bgr.size()) + " bytes, there is room for " +
                              std::to_string(bytes));
    }
    const bool rgb = coracle::vision::is_rgb(order);
    auto* to = static_cast<uint8_t*>(pixels);
    for (size_t i = 0; i < bgr.size(); i += 3) {
      for (size_t c = 0; c < 3; ++c) to[i + c] = bgr[i + (rgb ? 2 - c : c)];
    }
  });
}

coracle_status coracle_image_write_png(const coracle_image* image, const char* path) {
  return guard([&] {
    require_pointer(image, "image");
    require_pointer(path, "path");
    coracle::vision::write_png(path, image->image);
  });
}

}  // extern "C"
