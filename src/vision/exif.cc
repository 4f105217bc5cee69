// SPDX-License-Identifier: Apache-2.0
#include "vision/exif.h"

#include <cstddef>
#include <cstdint>

namespace coracle::vision {
namespace {

using std::string_view_literals::operator""sv;

constexpr int kUprightOrientation = 1;
constexpr auto kExif = "Exif\0\0"sv;  // what a JPEG file, and some WebP files, have before the TIFF block

enum class Order { kBigEndian, kLittleEndian };

/// An unsigned number of `count` bytes at `position`; 0 past the end.
size_t tiff_number(std::string_view bytes, size_t position, size_t count, Order order) {
  if (position > bytes.size() || count > bytes.size() - position) return 0;
  size_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = position + (order == Order::kBigEndian ? i : count - 1 - i);
    value = value << 8U | static_cast<uint8_t>(bytes[at]);
  }
  return value;
}

/// In the first directory of a TIFF block: entries of 12 bytes, a tag in the first two, a short value in bytes 8 and 9.
int orientation_in_tiff(std::string_view tiff) {
  constexpr size_t kOrientation = 0x0112;
  if (!tiff.starts_with("MM") && !tiff.starts_with("II")) return kUprightOrientation;
  const Order order = tiff[0] == 'M' ? Order::kBigEndian : Order::kLittleEndian;
  const size_t directory = tiff_number(tiff, 4, 4, order);
  const size_t entries = tiff_number(tiff, directory, 2, order);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (tiff_number(tiff, entry, 2, order) != kOrientation) continue;
    const size_t value = tiff_number(tiff, entry + 8, 2, order);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : kUprightOrientation;
  }
  return kUprightOrientation;
}

}  // namespace

int jpeg_orientation(std::string_view file) {
  // Segments up to the start of the scan: FF, marker, length of the rest (which counts itself).
  size_t position = 2;
  while (position + 4 <= file.size() && file[position] == '\xFF' && file[position + 1] != '\xDA') {
    const size_t length = tiff_number(file, position + 2, 2, Order::kBigEndian);
    if (length < 2 || length > file.size() - position - 2) break;
    const std::string_view segment = file.substr(position + 4, length - 2);
    if (file[position + 1] == '\xE1' && segment.starts_with(kExif)) return orientation_in_tiff(segment.substr(6));
    position += 2 + length;
  }
  return kUprightOrientation;
}

int png_orientation(std::string_view file) {
  // Chunks behind the signature: length of the data, type, data, checksum.
  for (size_t position = 8; position + 12 <= file.size();) {
    const size_t length = tiff_number(file, position, 4, Order::kBigEndian);
    if (length > file.size() - position - 12) break;
    if (file.substr(position + 4, 4) == "eXIf") return orientation_in_tiff(file.substr(position + 8, length));
    position += 12 + length;
  }
  return kUprightOrientation;
}

int webp_orientation(std::string_view file) {
  // Chunks behind "RIFF", a size and "WEBP": type, length of the data, data, filled up to an even length.
  for (size_t position = 12; position + 8 <= file.size();) {
    const size_t length = tiff_number(file, position + 4, 4, Order::kLittleEndian);
    if (length > file.size() - position - 8) break;
    if (file.substr(position, 4) == "EXIF") {
      const std::string_view data = file.substr(position + 8, length);
      return orientation_in_tiff(data.starts_with(kExif) ? data.substr(6) : data);
    }
    position += 8 + length + length % 2;
  }
  return kUprightOrientation;
}

}  // namespace coracle::vision
