// SPDX-License-Identifier: Apache-2.0
#include "serve/trace_context.h"

#include <sys/random.h>

#include <algorithm>
#include <array>

namespace coracle::serve {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_hex(std::string_view text) { return text.find_first_not_of(kHexDigits) == std::string_view::npos; }
bool is_id(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; }

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  // VERSION-TRACE-PARENT-FLAGS; versions after 00 may have more behind.
  constexpr size_t kLength = 55;
  if (header.size() < kLength || header[2] != '-' || header[35] != '-' || header[52] != '-') return std::nullopt;
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace = header.substr(3, 32);
  const std::string_view parent = header.substr(36, 16);
  const std::string_view flags = header.substr(53, 2);
  const bool ends = header.size() == kLength || (version != "00" && header[kLength] == '-');
  if (!is_hex(version) || version == "ff" || !is_id(trace) || !is_id(parent) || !is_hex(flags) || !ends)
    return std::nullopt;
  return TraceContext{.trace_id = std::string(trace),
                      .parent_id = std::string(parent),
                      .span_id = {},
                      .sampled = kHexDigits.find(flags[1]) % 2 == 1};
}

std::string traceparent_of(const TraceContext& context) {
  return "00-" + context.trace_id + '-' + context.span_id + (context.sampled ? "-01" : "-00");
}

std::string random_id(size_t bytes) {
  std::array<unsigned char, 16> random{};
  const size_t size = std::min(bytes, random.size());
  if (::getrandom(random.data(), size, 0) != static_cast<ssize_t>(size)) random.fill(1);
  if (std::all_of(random.begin(), random.begin() + static_cast<ptrdiff_t>(size), [](auto b) { return b == 0; }))
    random[0] = 1;
  std::string id;
  for (size_t i = 0; i < size; ++i) id += {kHexDigits[random[i] / 16], kHexDigits[random[i] % 16]};
  return id;
}

}  // namespace coracle::serve
