// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <cstring>
#include <memory>

#include "vision/encoded.h"

namespace coracle::vision {
namespace {

// libpng leaves through longjmp, which would skip destructors: so callbacks keep the message, and the functions that
// call setjmp own nothing.

struct Source {
  const Encoded& file;
  std::size_t position = 0;
};

void read_bytes(png_structp png, png_bytep target, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->file.size - source->position) png_error(png, "the file ends too early");
  std::memcpy(target, source->file.data + source->position, count);
  source->position += count;
}

void keep_png_message(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

bool read_png_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_bgr(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_png_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  return true;
}

}  // namespace

Image decode_png(const Encoded& file) {
  std::string message;
  Source source{file};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, keep_png_message, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const auto destroy = [&](png_structp) { png_destroy_read_struct(&png, &info, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  if (info == nullptr) file.fail("no PNG decoder");
  png_set_read_fn(png, &source, read_bytes);
  if (!read_png_header(png, info)) file.fail(message);
  const std::size_t width = png_get_image_width(png, info);
  const std::size_t height = png_get_image_height(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  const bool has_alpha = stride == width * 4;
  Image image = file.allocate(static_cast<std::int64_t>(width), static_cast<std::int64_t>(height),
                              height * ((has_alpha ? stride : 0) + sizeof(png_bytep)));
  if (!has_alpha && stride != width * 3) file.fail("unusual PNG pixel format");
  std::vector<std::uint8_t> bgra(has_alpha ? stride * height : 0);
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y)
    rows.push_back(has_alpha ? bgra.data() + stride * static_cast<std::size_t>(y) : image.row(y));
  if (!read_png_rows(png, rows.data())) file.fail(message);
  if (has_alpha) write_opaque(bgra.data(), file.how, image);
  return image;
}

}  // namespace coracle::vision
