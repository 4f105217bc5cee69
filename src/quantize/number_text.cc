// SPDX-License-Identifier: Apache-2.0
#include "quantize/number_text.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdint>
#include <cstdio>

namespace coracle::internal::quantize {
namespace {

std::string printed(const char* format, int digits, double value) {
  std::array<char, 512> characters;  // more than the largest number has before its point
  const int written = std::snprintf(characters.data(), characters.size(), format, digits, value);
  std::string out(characters.data(), static_cast<size_t>(std::max(written, 0)));
  const std::string point = std::localeconv()->decimal_point;
  if (const size_t at = out.find(point); at != std::string::npos) out.replace(at, point.size(), ".");
  return out;
}

struct Characters {
  uint32_t first;
  uint32_t last;
};

/// That Unicode has as wide (East Asian Width W and F), without the gaps between blocks.
constexpr Characters kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
                                {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
                                {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

size_t columns_of(uint32_t character) {
  return std::any_of(std::begin(kWide), std::end(kWide),
                     [&](const Characters& c) { return c.first <= character && character <= c.last; })
             ? 2
             : 1;
}

}  // namespace

std::string fixed(double value, int digits) { return printed("%.*f", digits, value); }

std::string general(double value, int digits) { return printed("%.*g", digits, value); }

std::string padded(std::string_view text, size_t columns) {
  size_t taken = 0;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    uint32_t character = lead < 0xE0 ? lead & 0x1FU : lead < 0xF0 ? lead & 0x0FU : lead & 0x07U;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
      character = character << 6U | (static_cast<unsigned char>(text[at++]) & 0x3FU);
    }
    taken += lead < 0x80 ? 1 : columns_of(character);
  }
  return std::string(text) + std::string(columns > taken ? columns - taken : 0, ' ');
}

}  // namespace coracle::internal::quantize
