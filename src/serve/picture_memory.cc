// SPDX-License-Identifier: Apache-2.0
#include "serve/picture_memory.h"

#include <algorithm>

#include "serve/failure.h"

namespace coracle::serve {

HeldPicture decode_picture(const std::string& name, std::string_view file, const PictureLimits& limits, size_t copies) {
  HeldPicture held;
  MemoryBudget::Share decoding;
  const auto reserve = [&](const vision::PictureHead& head) {
    const std::string picture =
        "the picture '" + name + "' of " + std::to_string(head.width) + " x " + std::to_string(head.height) + " pixels";
    if (head.width > limits.max_pixels / head.height) {
      throw Failure(Code::kTooLarge, picture + " is too large: at most " + std::to_string(limits.max_pixels) +
                                         " pixels are taken (--max-mebipixels)");
    }
    const size_t kept = (1 + copies) * 3 * static_cast<size_t>(head.width) * static_cast<size_t>(head.height);
    limits.memory.require_possible(std::max(kept, head.bytes), picture);
    held.share = limits.memory.reserve(kept, picture);
    decoding = limits.memory.reserve(head.bytes - std::min(kept, head.bytes), "the decoding of " + picture);
  };
  held.image =
      vision::decode_image(name, reinterpret_cast<const uint8_t*>(file.data()), file.size(), {.allow = reserve});
  return held;
}

}  // namespace coracle::serve
