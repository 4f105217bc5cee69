// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <cstring>

#include "cli/failure.h"
#include "cli/input/picture.h"

namespace coracle::cli {

Picture decode_png(const std::string& path, const std::string& content) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, content.data(), content.size()) == 0) {
    throw Failure(ExitCode::kIo, path + ": " + image.message);
  }
  if (const std::string why = size_refusal(image.height, image.width, content.size(), kDeflatePixelsPerByte);
      !why.empty()) {
    png_image_free(&image);
    throw Failure(ExitCode::kIo, path + ": " + why);
  }
  image.format = PNG_FORMAT_RGB;
  Picture p{image.height, image.width, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, p.rgb.data(), 0, nullptr) == 0) {
    throw Failure(ExitCode::kIo, path + ": " + image.message);
  }
  return p;
}

}  // namespace coracle::cli
