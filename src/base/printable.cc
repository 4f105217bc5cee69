// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <algorithm>
#include <cstdint>

namespace coracle::internal {
namespace {

/// The code point that `s` begins with and its number of bytes; length 0 where `s` does not begin with valid UTF-8.
struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;
};

CodePoint first_code_point(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return {};
  uint32_t value = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3FU);
  }
  // The shortest form, no surrogates, nothing beyond the last code point.
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return {};
  return {value, length};
}

bool is_control(uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
  const bool line = c == 0x2028 || c == 0x2029;
  return control || direction || line;
}

}  // namespace

std::string printable(std::string_view s, bool lines) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(s.size());
  while (!s.empty()) {
    const CodePoint c = first_code_point(s);
    const size_t length = c.length == 0 ? 1 : c.length;
    if (c.length != 0 && (!is_control(c.value) || (lines && c.value == '\n'))) {
      out.append(s.substr(0, length));
    } else {
      for (const char raw : s.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(raw);
        out.append("\\x").append({kDigits[byte / 16], kDigits[byte % 16]});
      }
    }
    s.remove_prefix(length);
  }
  return out;
}

std::string in_quotes(std::string_view name) {
  constexpr size_t kMaxLength = 300;
  size_t length = std::min(name.size(), kMaxLength);
  while (length < name.size() && length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0) == 0x80) --length;
  std::string out = "'";
  out.append(printable(name.substr(0, length)));
  if (name.size() > length) out.append("...");
  out.push_back('\'');
  return out;
}

}  // namespace coracle::internal
