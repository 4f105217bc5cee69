// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace coracle::internal {

/// A text that the library carries, deflated when it was built (cmake/deflated_text.cmake).
struct DeflatedText {
  const uint8_t* bytes;
  size_t deflated;  ///< how many bytes there are
  size_t size;      ///< how many they inflate to
};

/// Throws std::bad_alloc where memory is missing.
std::string inflate_text(const DeflatedText& text);

}  // namespace coracle::internal
