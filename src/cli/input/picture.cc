// SPDX-License-Identifier: Apache-2.0
#include "cli/input/picture.h"

#include <algorithm>
#include <iterator>

#include "cli/failure.h"
#include "cli/input/exif.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// No larger picture is read.
constexpr int64_t kMaxPixels = int64_t{1} << 27U;

/// The picture that a file with EXIF's `orientation` (1 to 8) shows. Those from 5 on exchange rows and columns; the
/// others mirror.
Picture upright(Picture stored, int orientation) {
  if (orientation <= 1 || orientation > 8) return stored;
  const bool exchanged = orientation >= 5;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  Picture shown{exchanged ? stored.width : stored.height, exchanged ? stored.height : stored.width,
                std::vector<uint8_t>(stored.rgb.size())};
  uint8_t* to = shown.rgb.data();
  for (int64_t y = 0; y < shown.height; ++y) {
    for (int64_t x = 0; x < shown.width; ++x, to += 3) {
      // Where the mirrored picture is read: mirroring is done on the picture that is shown.
      const int64_t my = from_bottom ? shown.height - 1 - y : y;
      const int64_t mx = from_right ? shown.width - 1 - x : x;
      const int64_t row = exchanged ? mx : my;
      const int64_t column = exchanged ? my : mx;
      std::copy_n(stored.rgb.data() + (row * stored.width + column) * 3, 3, to);
    }
  }
  return shown;
}

}  // namespace

bool names_picture(std::string_view path) {
  constexpr const char* kEndings[] = {".png", ".jpg", ".jpeg", ".bmp", ".webp"};
  const std::string name = lower_case(path);
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* e) { return name.ends_with(e); });
}

std::string size_refusal(int64_t height, int64_t width, size_t file_bytes, int64_t pixels_per_byte) {
  const auto factor = static_cast<size_t>(pixels_per_byte);
  const auto most = std::min(static_cast<size_t>(kMaxPixels) / factor, file_bytes) * factor;
  if (height > 0 && width > 0 && static_cast<size_t>(width) <= most / static_cast<size_t>(height)) return {};
  return "a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels in a file of " +
         std::to_string(file_bytes) + " bytes is not read: at most " + std::to_string(kMaxPixels) +
         " pixels are, and no more than so many bytes can hold";
}

Picture decode_picture(const std::string& path, const std::string& content) {
  if (content.starts_with("\x89PNG")) return upright(decode_png(path, content), png_orientation(content));
  if (content.starts_with("\xFF\xD8")) return upright(decode_jpeg(path, content), jpeg_orientation(content));
  if (content.starts_with("BM")) return decode_bmp(path, content);
  if (content.starts_with("RIFF") && content.size() >= 12 && content.compare(8, 4, "WEBP") == 0) {
    return upright(decode_webp(path, content), webp_orientation(content));
  }
  throw Failure(ExitCode::kIo, path + ": neither a PNG nor a JPEG, BMP or WebP file");
}

}  // namespace coracle::cli
