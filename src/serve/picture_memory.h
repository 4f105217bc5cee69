// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "coracle/vision/image.h"
#include "serve/memory_budget.h"

namespace coracle::serve {

/// How large a picture may be, and the memory that it counts in.
struct PictureLimits {
  int64_t max_pixels = int64_t{64} << 20;
  MemoryBudget memory = MemoryBudget();
};

/// A picture, and its part of the server's memory.
struct HeldPicture {
  vision::Image image;
  MemoryBudget::Share share;
};

/// Decodes a file. What its head says of its size is compared with the limits before memory is taken. `copies` of it,
/// drawings for example, are made while its share is held, which counts them too. Throws Failure (kTooLarge for a
/// picture that never can be decoded here, kUnavailable) and vision::Error.
HeldPicture decode_picture(const std::string& name, std::string_view file, const PictureLimits& limits,
                           size_t copies = 0);

}  // namespace coracle::serve
