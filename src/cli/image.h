// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/array.h"

namespace coracle::cli {

/// A PNG or JPEG file as an input of type `dtype` and shape [1, 3, height, width] (RGB): resized (bilinear) where
/// `dims` names a size, its own size where it does not. Real types get value / 255, whole numbers the value.
Array read_image(const std::string& path, coracle_dtype dtype, const api::Dims& dims);
/// The same of a file's content; `path` is for messages.
Array decode_image(const std::string& path, const std::string& content, coracle_dtype dtype, const api::Dims& dims);

}  // namespace coracle::cli
