// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "client/image.h"
#include "pictures/names.h"

/// Pictures that are inputs: files of them, and what the command line says of them.
namespace coracle::cli {

using client::ImageOptions;

using pictures::names_picture;
/// The picture in a file, what is transparent on white. Throws Failure (input/output), also where it is not whole.
vision::Image read_picture(const std::string& path);

/// "exact", "short", "short:256", "letterbox", "letterbox:0" or "none". Throws std::invalid_argument.
void parse_resize(const std::string& text, ImageOptions& options);
/// One number for all channels or three, separated by commas. Throws std::invalid_argument.
std::array<double, 3> parse_channels(const std::string& text);

}  // namespace coracle::cli
