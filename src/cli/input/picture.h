// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::cli {

/// A picture in memory: rows from the top, pixels of red, green and blue.
struct Picture {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;
};

/// Whether a file's name says that it is a picture: .png, .jpg, .jpeg, .bmp or .webp, in any case.
bool names_picture(std::string_view path);

/// The picture in a PNG, JPEG (grey, colour or CMYK), BMP or WebP file, turned as its EXIF orientation says; what is
/// transparent is on white. The content decides which format it is; `path` is for messages. Throws Failure
/// (input/output), also for a picture that is larger than a file of that size could mean, before memory is taken for
/// it.
Picture decode_picture(const std::string& path, const std::string& content);

// The formats, in files of their own.
Picture decode_png(const std::string& path, const std::string& content);
Picture decode_jpeg(const std::string& path, const std::string& content);
Picture decode_bmp(const std::string& path, const std::string& content);
Picture decode_webp(const std::string& path, const std::string& content);

/// Why a picture of that size is not decoded; empty if it is. A header says the size, which costs nothing to write:
/// more than `pixels_per_byte` of the file is none.
std::string size_refusal(int64_t height, int64_t width, size_t file_bytes, int64_t pixels_per_byte);
/// What PNG and JPEG make of a byte at most: deflate repeats up to 1032 times a byte of eight pixels.
constexpr int64_t kDeflatePixelsPerByte = int64_t{8} * 1032;

}  // namespace coracle::cli
