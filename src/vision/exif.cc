// SPDX-License-Identifier: Apache-2.0
#include "vision/exif.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace coracle::vision {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr int kUpright = 1;
constexpr std::uint64_t kOrientationTag = 0x0112;

// An unsigned number of `count` bytes at `position`; 0 past the end.
std::uint64_t number(Bytes bytes, std::size_t position, std::size_t count, bool big_endian) {
  if (position > bytes.size() || count > bytes.size() - position) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | bytes[position + (big_endian ? i : count - 1 - i)];
  }
  return value;
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin());
}

// The first directory of a TIFF block: entries of 12 bytes, the tag in the first two, a short value in bytes 8 and 9.
int orientation_in_tiff(Bytes tiff) {
  const bool big_endian = starts_with(tiff, "MM");
  if (!big_endian && !starts_with(tiff, "II")) return kUpright;
  const std::size_t directory = number(tiff, 4, 4, big_endian);
  const std::size_t entries = number(tiff, directory, 2, big_endian);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (number(tiff, entry, 2, big_endian) != kOrientationTag) continue;
    const std::uint64_t value = number(tiff, entry + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

}  // namespace

int exif_orientation(Bytes jpeg) {
  using std::string_view_literals::operator""sv;
  // Segments up to the start of the scan: FF, marker, length of the rest (big-endian, counting itself).
  std::size_t position = 2;
  while (position + 4 <= jpeg.size() && jpeg[position] == 0xFF && jpeg[position + 1] != 0xDA) {
    const std::size_t length = number(jpeg, position + 2, 2, true);
    if (length < 2 || length > jpeg.size() - position - 2) break;
    const Bytes segment = jpeg.subspan(position + 4, length - 2);
    if (jpeg[position + 1] == 0xE1 && starts_with(segment, "Exif\0\0"sv))
      return orientation_in_tiff(segment.subspan(6));
    position += 2 + length;
  }
  return kUpright;
}

}  // namespace coracle::vision
