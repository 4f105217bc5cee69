// SPDX-License-Identifier: Apache-2.0
#include "client/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace coracle::client {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 64;
constexpr uint8_t kSpace = 65;
constexpr uint8_t kPadding = 66;

constexpr std::array<uint8_t, 256> values() {
  std::array<uint8_t, 256> table{};
  for (uint8_t& value : table) value = kNoDigit;
  for (size_t i = 0; i < kDigits.size(); ++i) table[static_cast<unsigned char>(kDigits[i])] = static_cast<uint8_t>(i);
  for (const char space : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(space)] = kSpace;
  table['='] = kPadding;
  return table;
}
constexpr std::array<uint8_t, 256> kValues = values();

[[noreturn]] void no_base64(const std::string& why) { throw std::invalid_argument("not base64: " + why); }

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  size_t digits = 0;  // of the group
  size_t padding = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const uint8_t value = kValues[static_cast<unsigned char>(text[i])];
    if (value == kSpace) continue;
    if (value == kNoDigit) no_base64("there is another character at place " + std::to_string(i));
    if (value == kPadding) {
      ++padding;
      continue;
    }
    if (padding > 0) no_base64("there is something behind the '=' at place " + std::to_string(i));
    group = group << 6 | value;
    if (++digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 255);
    group = 0;
    digits = 0;
  }
  if (digits == 1 || padding != (digits == 0 ? 0 : 4 - digits))
    no_base64("it ends within a group of four, or has not the '=' that belong there");
  if (digits >= 2) bytes += static_cast<char>(group >> (digits == 2 ? 4 : 10) & 255);
  if (digits == 3) bytes += static_cast<char>(group >> 2 & 255);
  return bytes;
}

}  // namespace coracle::client
