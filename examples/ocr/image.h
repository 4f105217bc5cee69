// SPDX-License-Identifier: Apache-2.0
// Pictures in files: JPEG by TurboJPEG, PNG by libpng.
#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace ocr {

// The picture as 8-bit BGR, turned upright where its EXIF orientation says so; transparency is dropped. Throws
// std::runtime_error with the file's name.
cv::Mat read_image(const std::string& path);

// Writes 8-bit BGR as PNG. Throws std::runtime_error with the file's name.
void write_png(const std::string& path, const cv::Mat& image);

}  // namespace ocr
