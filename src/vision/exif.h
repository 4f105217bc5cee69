// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace coracle::vision {

/// EXIF's orientation (1 to 8) that a file of that format states; 1, upright, where it states none or is damaged there.
int jpeg_orientation(std::string_view file);
int png_orientation(std::string_view file);
int webp_orientation(std::string_view file);

}  // namespace coracle::vision
