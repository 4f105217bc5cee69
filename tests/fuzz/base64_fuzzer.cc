// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "client/base64.h"

// Any bytes as base64: what they stand for, whose own text is as long, or a refusal; and any bytes come back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::client;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (from_base64(base64_of(text)) != text) std::abort();
  try {
    const std::string own = base64_of(from_base64(text));
    const auto spaces = std::count_if(
        text.begin(), text.end(), [](char c) { return std::string_view(" \t\r\n").find(c) != std::string_view::npos; });
    if (own.size() != size - static_cast<size_t>(spaces)) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
