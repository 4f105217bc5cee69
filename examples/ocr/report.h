// SPDX-License-Identifier: Apache-2.0
// What the program tells about a picture: as text, as JSON, as a drawing.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "reader.h"

namespace ocr {

struct Result {
  std::string path;
  cv::Size size;
  std::vector<Line> lines;
  double first_ms = 0;           // The first run on this picture.
  std::vector<double> later_ms;  // Further runs.
};

double median(std::vector<double> values);

// One row per line: number, score, text, corners.
std::string to_text(const Result& result);

// One object with `image`, `width`, `height`, `first_ms`, `later_ms` and `lines` (`box`, `text`, `score`).
std::string to_json(const Result& result);

// The picture with each box's outline and number.
cv::Mat draw(const cv::Mat& image, const std::vector<Line>& lines);

}  // namespace ocr
