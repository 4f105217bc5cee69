// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <algorithm>

#include "vision/encoded.h"
#include "vision/exif.h"
#include "vision/file.h"
#include "vision/limits.h"

namespace coracle::vision {
namespace {

/// The picture that a file with EXIF's `orientation` (1 to 8) shows. Those from 5 on exchange rows and columns; the
/// others mirror.
Image turn_upright(Image stored, int orientation) {
  if (orientation <= 1 || orientation > 8) return stored;
  const bool exchanged = orientation >= 5;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  Image shown = exchanged ? Image(stored.height, stored.width) : Image(stored.width, stored.height);
  for (int y = 0; y < shown.height; ++y) {
    std::uint8_t* to = shown.row(y);
    for (int x = 0; x < shown.width; ++x, to += 3) {
      // Where the mirrored picture is read: mirroring is done on the picture that is shown.
      const int my = from_bottom ? shown.height - 1 - y : y;
      const int mx = from_right ? shown.width - 1 - x : x;
      std::copy_n(stored.row(exchanged ? mx : my) + 3 * (exchanged ? my : mx), 3, to);
    }
  }
  return shown;
}

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

}  // namespace

Error::~Error() = default;

std::string Encoded::refusal(std::int64_t width, std::int64_t height, std::int64_t pixels_per_byte) const {
  const std::int64_t most = static_cast<std::int64_t>(size) * pixels_per_byte;
  if (width > 0 && height > 0 && width <= most / height) return {};
  return "a picture of " + size_text(width, height) + " is not read: a file of " + std::to_string(size) +
         " bytes cannot hold it";
}

Image Encoded::allocate(std::int64_t width, std::int64_t height, std::size_t working_bytes,
                        std::int64_t pixels_per_byte) const {
  const std::string why = refusal(width, height, pixels_per_byte);
  if (!why.empty()) fail(why);
  if (how.allow) {
    const std::size_t picture = std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    how.allow({width, height, picture + std::max(working_bytes, turned ? picture : 0)});
  }
  const std::int64_t most = std::min(how.max_pixels, kMaxPixels);
  if (width > most / height)
    fail("a picture of " + size_text(width, height) + " is not read: at most " + std::to_string(most) + " are");
  return {static_cast<int>(width), static_cast<int>(height)};
}

void write_opaque(const std::uint8_t* bgra, const Decoding& how, Image& image) {
  for (std::size_t i = 0; i < image.bgr.size(); i += 3, bgra += 4) {
    const int alpha = how.on_white ? bgra[3] : 255;
    for (std::size_t c = 0; c < 3; ++c)
      image.bgr[i + c] = static_cast<std::uint8_t>((bgra[c] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
}

Image read_image(const std::string& path, const Decoding& how) {
  const std::string content = read_file(path, Problem::kPicture, std::size_t{1} << 30);
  return decode_image(path, reinterpret_cast<const std::uint8_t*>(content.data()), content.size(), how);
}

Image decode_image(const std::string& name, const std::uint8_t* data, std::size_t size, const Decoding& how) {
  Encoded file{name, data, size, how};
  const std::string_view text = file.text();
  const auto upright = [&](Image (*decode)(const Encoded& file), int orientation) {
    file.turned = orientation > 1;
    return turn_upright(decode(file), orientation);
  };
  if (text.starts_with("\x89PNG")) return upright(decode_png, png_orientation(text));
  if (text.starts_with("\xFF\xD8")) return upright(decode_jpeg, jpeg_orientation(text));
  if (text.starts_with("BM")) return decode_bmp(file);
  if (text.starts_with("RIFF") && text.substr(8).starts_with("WEBP"))
    return upright(decode_webp, webp_orientation(text));
  file.fail("neither a PNG nor a JPEG, BMP or WebP file");
}

std::string encode_png(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_BGR;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string content(size, '\0');
  if (png_image_write_to_memory(&header, content.data(), &size, 0, image.bgr.data(), 3 * image.width, nullptr) == 0) {
    throw Error(Problem::kFile, std::string("a picture cannot be written as PNG: ") + header.message);
  }
  content.resize(size);
  return content;
}

void write_png(const std::string& path, const Image& image) { write_file(path, encode_png(image)); }

}  // namespace coracle::vision
