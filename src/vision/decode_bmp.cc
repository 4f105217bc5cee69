// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdlib>

#include "vision/encoded.h"

namespace coracle::vision {
namespace {

/// Little-endian numbers of a file; reading past its end is an error.
class Reader {
 public:
  explicit Reader(const Encoded& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& why) const { file_.fail("a BMP file " + why); }

  uint32_t number(size_t position, size_t count) const {
    if (position > file_.size || count > file_.size - position) fail("that ends early");
    uint32_t value = 0;
    for (size_t i = count; i-- > 0;) value = value << 8U | file_.data[position + i];
    return value;
  }
  int64_t signed_number(size_t position) const { return static_cast<int32_t>(number(position, 4)); }
  const Encoded& file() const { return file_; }

 private:
  const Encoded& file_;
};

struct Header {
  int64_t width = 0;
  int64_t height = 0;
  bool from_top = false;
  uint32_t bits = 0;       ///< of a pixel
  uint32_t masks[3] = {};  ///< of red, green and blue, where pixels have 16 or 32 bits
  size_t palette = 0;      ///< where it begins
  size_t palette_entry = 4;
  uint32_t colours = 0;  ///< in the palette
  size_t pixels = 0;     ///< where they begin
  size_t stride = 0;     ///< bytes of a row
};

constexpr int64_t kPixelsPerByte = 8;
constexpr size_t kFileHeader = 14;
constexpr size_t kCoreHeader = 12;
constexpr size_t kInfoHeader = 40;

void read_masks(const Reader& r, uint32_t compression, Header* h) {
  constexpr uint32_t kBitFields = 3;
  constexpr uint32_t k555[] = {0x7C00, 0x3E0, 0x1F};
  constexpr uint32_t k888[] = {0xFF0000, 0xFF00, 0xFF};
  for (size_t c = 0; c < 3; ++c) {
    h->masks[c] = compression == kBitFields ? r.number(kFileHeader + kInfoHeader + 4 * c, 4)
                                            : (h->bits == 16 ? k555[c] : k888[c]);
    if (h->masks[c] == 0) r.fail("without a mask for each colour");
  }
}

Header read_bmp_header(const Reader& r) {
  constexpr uint32_t kBitFields = 3;
  Header h;
  const size_t size = r.number(kFileHeader, 4);
  if (size != kCoreHeader && size < kInfoHeader) r.fail("with a header of " + std::to_string(size) + " bytes");
  uint32_t compression = 0;
  if (size == kCoreHeader) {
    h.width = r.number(18, 2);
    h.height = r.number(20, 2);
    h.bits = r.number(24, 2);
    h.palette_entry = 3;
  } else {
    h.width = r.signed_number(18);
    h.height = r.signed_number(22);
    h.bits = r.number(28, 2);
    compression = r.number(30, 4);
    h.colours = r.number(46, 4);
  }
  h.from_top = h.height < 0;
  h.height = std::abs(h.height);
  const bool masked = h.bits == 16 || h.bits == 32;
  if (compression != 0 && !(compression == kBitFields && masked)) r.fail("that is compressed, which is not read");
  if (h.bits != 1 && h.bits != 4 && h.bits != 8 && h.bits != 24 && !masked) {
    r.fail("with " + std::to_string(h.bits) + " bits for a pixel");
  }
  if (const std::string why = r.file().refusal(h.width, h.height, kPixelsPerByte); !why.empty())
    r.fail("of no use: " + why);
  if (masked) read_masks(r, compression, &h);
  const uint32_t most = h.bits <= 8 ? 1U << h.bits : 0;
  h.colours = h.colours == 0 || h.colours > most ? most : h.colours;
  h.palette = kFileHeader + size;
  h.pixels = r.number(10, 4);
  h.stride = (static_cast<size_t>(h.width) * h.bits + 31) / 32 * 4;
  const size_t all = h.stride * static_cast<size_t>(h.height);
  if (h.pixels > r.file().size || all > r.file().size - h.pixels) r.fail("that ends early");
  return h;
}

/// The part of a pixel under a mask, from 0 to 255.
uint8_t under(uint32_t pixel, uint32_t mask) {
  const auto shift = static_cast<uint32_t>(std::countr_zero(mask));
  const uint64_t most = mask >> shift;
  return static_cast<uint8_t>((((pixel & mask) >> shift) * uint64_t{255} + most / 2) / most);
}

/// Writes the blue, green and red of the pixel in column `x` of the row that begins at `row`.
void read_pixel(const Reader& r, const Header& h, size_t row, size_t x, uint8_t* bgr) {
  if (h.bits == 16 || h.bits == 32) {
    const uint32_t pixel = r.number(row + x * h.bits / 8, h.bits / 8);
    for (size_t c = 0; c < 3; ++c) bgr[2 - c] = under(pixel, h.masks[c]);
    return;
  }
  size_t at = row + 3 * x;
  if (h.bits <= 8) {
    const size_t bit = x * h.bits;
    const uint32_t colour = r.number(row + bit / 8, 1) >> (8 - h.bits - bit % 8) & ((1U << h.bits) - 1);
    if (colour >= h.colours) r.fail("with a pixel of no colour of its palette");
    at = h.palette + colour * h.palette_entry;
  }
  for (size_t c = 0; c < 3; ++c) bgr[c] = static_cast<uint8_t>(r.number(at + c, 1));
}

}  // namespace

Image decode_bmp(const Encoded& file) {
  const Reader r(file);
  const Header h = read_bmp_header(r);
  Image image = file.allocate(h.width, h.height, 0, kPixelsPerByte);
  for (int y = 0; y < image.height; ++y) {
    const size_t row = h.pixels + h.stride * static_cast<size_t>(h.from_top ? y : image.height - 1 - y);
    for (int x = 0; x < image.width; ++x) read_pixel(r, h, row, static_cast<size_t>(x), image.row(y) + 3 * x);
  }
  return image;
}

}  // namespace coracle::vision
