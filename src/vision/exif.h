// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace coracle::vision {

// EXIF's orientation (1 to 8) of a JPEG file's bytes; 1, upright, where the file has none or it is damaged.
int exif_orientation(std::span<const std::uint8_t> jpeg);

}  // namespace coracle::vision
