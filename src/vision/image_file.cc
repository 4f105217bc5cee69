// SPDX-License-Identifier: Apache-2.0
// jpeglib.h needs the FILE of cstdio.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>

#include "coracle/vision/image.h"
#include "vision/exif.h"
#include "vision/file.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

/// What either format makes of a byte at most: deflate repeats up to 1032 times a byte of eight pixels.
constexpr std::int64_t kMaxPixelsPerByte = std::int64_t{8} * 1032;

struct Bytes {
  const std::string& name;
  const std::uint8_t* data;
  std::size_t size;

  [[noreturn]] void fail(const std::string& reason) const { throw Error(Problem::kPicture, name + ": " + reason); }

  /// A picture of the size that the header says, which costs nothing to write.
  Image allocate(std::int64_t width, std::int64_t height) const {
    const std::int64_t most =
        std::min<std::int64_t>(kMaxPixels / kMaxPixelsPerByte, static_cast<std::int64_t>(size)) * kMaxPixelsPerByte;
    if (width <= 0 || height <= 0 || width > most / height) {
      fail("a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels in a file of " +
           std::to_string(size) + " bytes is not read: at most " + std::to_string(kMaxPixels) +
           " pixels are, and no more than so many bytes can hold");
    }
    return {static_cast<int>(width), static_cast<int>(height)};
  }
};

// libjpeg and libpng leave through longjmp, which would skip destructors: so callbacks keep the message, and the
// functions that call setjmp own nothing.

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void keep_jpeg_message(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->base.format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// A warning means that some of the data is damaged; what could be decoded is kept, as viewers do.
void ignore_jpeg_warning(j_common_ptr, int) {}

bool read_jpeg_header(jpeg_decompress_struct& info, JpegErrors& errors, const Bytes& bytes) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes.data, bytes.size);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_EXT_BGR;
  return true;
}

bool read_jpeg_rows(jpeg_decompress_struct& info, JpegErrors& errors, Image& image) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = image.row(static_cast<int>(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

Image decode_jpeg(const Bytes& bytes) {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = keep_jpeg_message;
  errors.base.emit_message = ignore_jpeg_warning;
  const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> owner(&info, jpeg_destroy_decompress);
  if (!read_jpeg_header(info, errors, bytes)) bytes.fail(errors.message);
  Image image = bytes.allocate(info.image_width, info.image_height);
  if (!read_jpeg_rows(info, errors, image)) bytes.fail(errors.message);
  return image;
}

struct PngSource {
  const Bytes& bytes;
  std::size_t position = 0;
};

void read_png_bytes(png_structp png, png_bytep target, std::size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source->bytes.size - source->position) png_error(png, "the file ends too early");
  std::memcpy(target, source->bytes.data + source->position, count);
  source->position += count;
}

void keep_png_message(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}
void ignore_png_warning(png_structp, png_const_charp) {}

bool read_png_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
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

Image decode_png(const Bytes& bytes) {
  std::string message;
  PngSource source{bytes};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, keep_png_message, ignore_png_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const auto destroy = [&](png_structp) { png_destroy_read_struct(&png, &info, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  if (info == nullptr) bytes.fail("no PNG decoder");
  png_set_read_fn(png, &source, read_png_bytes);
  if (!read_png_header(png, info)) bytes.fail(message);
  Image image = bytes.allocate(png_get_image_width(png, info), png_get_image_height(png, info));
  if (png_get_rowbytes(png, info) != static_cast<std::size_t>(image.width) * 3) bytes.fail("unusual PNG pixel format");
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y) rows.push_back(image.row(y));
  if (!read_png_rows(png, rows.data())) bytes.fail(message);
  return image;
}

/// Undoes what EXIF's orientation (2 to 8) says was done.
Image turn_upright(const Image& image, int orientation) {
  const bool transposed = orientation >= 5;
  const bool flip_rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool flip_columns = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  Image turned(transposed ? image.height : image.width, transposed ? image.width : image.height);
  for (int y = 0; y < turned.height; ++y) {
    const int v = flip_rows ? turned.height - 1 - y : y;
    for (int x = 0; x < turned.width; ++x) {
      const int u = flip_columns ? turned.width - 1 - x : x;
      std::copy_n(image.row(transposed ? u : v) + 3 * (transposed ? v : u), 3, turned.row(y) + 3 * x);
    }
  }
  return turned;
}

}  // namespace

Error::~Error() = default;

Image read_image(const std::string& path) {
  const std::string content = read_file(path, Problem::kPicture, std::size_t{1} << 30);
  return decode_image(path, reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
}

Image decode_image(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const Bytes bytes{name, data, size};
  if (size >= 8 && png_sig_cmp(data, 0, 8) == 0) return decode_png(bytes);
  if (size < 2 || data[0] != 0xFF || data[1] != 0xD8) bytes.fail("neither a JPEG nor a PNG file");
  const int orientation = exif_orientation({data, size});
  Image image = decode_jpeg(bytes);
  return orientation == 1 ? image : turn_upright(image, orientation);
}

void write_png(const std::string& path, const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_BGR;
  if (png_image_write_to_file(&header, path.c_str(), 0, image.bgr.data(), 3 * image.width, nullptr) == 0) {
    throw Error(Problem::kFile, path + ": " + header.message);
  }
}

}  // namespace coracle::vision
