// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <png.h>
#include <turbojpeg.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "exif.h"

namespace ocr {
namespace {

// Pixels beyond this count are refused, so that a small damaged file cannot ask for all memory.
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path + ": " + reason);
}

std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) fail(path, "cannot be opened");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) fail(path, "cannot be read");
  return bytes;
}

cv::Mat allocate(const std::string& path, std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0 || width > kMaxPixels / height) fail(path, "picture of a size that is not supported");
  return cv::Mat(static_cast<int>(height), static_cast<int>(width), CV_8UC3);
}

cv::Mat decode_jpeg(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  const std::unique_ptr<void, int (*)(void*)> decoder(tjInitDecompress(), tjDestroy);
  if (!decoder) fail(path, "no JPEG decoder");
  const auto size = static_cast<unsigned long>(bytes.size());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), size, &width, &height, &sampling, &colours) != 0) {
    fail(path, tjGetErrorStr2(decoder.get()));
  }
  cv::Mat image = allocate(path, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
  const int pitch = static_cast<int>(image.step);
  // A warning means that some of the data is damaged; what could be decoded is kept, as viewers do.
  if (tjDecompress2(decoder.get(), bytes.data(), size, image.data, width, pitch, height, TJPF_BGR, 0) != 0 &&
      tjGetErrorCode(decoder.get()) == TJERR_FATAL) {
    fail(path, tjGetErrorStr2(decoder.get()));
  }
  return image;
}

struct PngSource {
  const std::vector<std::uint8_t>& bytes;
  std::size_t position = 0;
};

void read_png_bytes(png_structp png, png_bytep target, std::size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (count > source->bytes.size() - source->position) png_error(png, "the file ends too early");
  std::memcpy(target, source->bytes.data() + source->position, count);
  source->position += count;
}

// libpng leaves through longjmp, which would skip destructors: so these callbacks keep the message, and the functions
// below that call setjmp own nothing.
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

cv::Mat decode_png(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::string message;
  PngSource source{bytes};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, keep_png_message, ignore_png_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  const auto destroy = [&](png_structp) { png_destroy_read_struct(&png, &info, nullptr); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  if (info == nullptr) fail(path, "no PNG decoder");
  png_set_read_fn(png, &source, read_png_bytes);
  if (!read_png_header(png, info)) fail(path, message);
  cv::Mat image = allocate(path, png_get_image_width(png, info), png_get_image_height(png, info));
  if (png_get_rowbytes(png, info) != static_cast<std::size_t>(image.cols) * 3) fail(path, "unusual PNG pixel format");
  std::vector<png_bytep> rows(static_cast<std::size_t>(image.rows));
  for (int y = 0; y < image.rows; ++y) rows[static_cast<std::size_t>(y)] = image.ptr(y);
  if (!read_png_rows(png, rows.data())) fail(path, message);
  return image;
}

cv::Mat turn_upright(const cv::Mat& image, int orientation) {
  cv::Mat turned = image.clone();
  if (orientation >= 5) cv::transpose(image, turned);
  const bool flip_rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool flip_columns = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  if (flip_rows || flip_columns) cv::flip(turned, turned, flip_rows && flip_columns ? -1 : flip_columns ? 1 : 0);
  return turned;
}

}  // namespace

cv::Mat read_image(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  if (bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0) return decode_png(path, bytes);
  if (bytes.size() >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8) {
    const int orientation = exif_orientation(bytes);
    cv::Mat image = decode_jpeg(path, bytes);
    return orientation == 1 ? image : turn_upright(image, orientation);
  }
  fail(path, "neither a JPEG nor a PNG file");
}

void write_png(const std::string& path, const cv::Mat& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.cols);
  header.height = static_cast<png_uint_32>(image.rows);
  header.format = PNG_FORMAT_BGR;
  if (png_image_write_to_file(&header, path.c_str(), 0, image.data, static_cast<png_int_32>(image.step), nullptr) ==
      0) {
    fail(path, header.message);
  }
}

}  // namespace ocr
