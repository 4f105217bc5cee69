// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "coracle/vision/image.h"

namespace coracle::vision {

/// Larger pictures are neither read nor made.
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 27;

inline void check_size(std::int64_t width, std::int64_t height) {
  if (width > 0 && height > 0 && width <= kMaxPixels / height && width < (1 << 24) && height < (1 << 24)) return;
  throw Error(Problem::kPicture, "a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                                     " pixels is not made: at least 1 and at most " + std::to_string(kMaxPixels) +
                                     " pixels are");
}

}  // namespace coracle::vision
