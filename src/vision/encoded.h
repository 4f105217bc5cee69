// SPDX-License-Identifier: Apache-2.0
// Files of pictures: one function for each format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// What PNG and JPEG make of a byte at most: deflate repeats up to 1032 times a byte of eight pixels.
inline constexpr std::int64_t kDeflatePixelsPerByte = std::int64_t{8} * 1032;

/// The content of a file; `name` is for messages.
struct Encoded {
  const std::string& name;
  const std::uint8_t* data;
  std::size_t size;
  const Decoding& how;
  bool turned = false;  ///< the picture is copied to stand upright

  [[noreturn]] void fail(const std::string& reason) const { throw Error(Problem::kPicture, name + ": " + reason); }
  std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }

  /// Why there cannot be a picture of that size; empty if there can. A header says the size, which costs nothing to
  /// write: more than `pixels_per_byte` of the file is none.
  std::string refusal(std::int64_t width, std::int64_t height, std::int64_t pixels_per_byte) const;
  /// A picture of the size that the header says, which takes so many bytes beside it while it is decoded; an error
  /// where that is refused.
  Image allocate(std::int64_t width, std::int64_t height, std::size_t working_bytes,
                 std::int64_t pixels_per_byte = kDeflatePixelsPerByte) const;
};

Image decode_jpeg(const Encoded& file);
Image decode_png(const Encoded& file);
/// Windows bitmaps as programs write them: 1, 4 or 8 bits with a palette, 16 or 32 with masks, 24; not compressed.
Image decode_bmp(const Encoded& file);
Image decode_webp(const Encoded& file);

/// The picture of pixels that have transparency in their fourth byte.
void write_opaque(const std::uint8_t* bgra, const Decoding& how, Image& image);

}  // namespace coracle::vision
