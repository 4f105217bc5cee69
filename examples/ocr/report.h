// SPDX-License-Identifier: Apache-2.0
// What the program tells about a picture: as text, as JSON.
#pragma once

#include <string>
#include <vector>

#include "coracle/vision/text_reader.h"

namespace ocr {

struct Result {
  std::string path;
  int width = 0;
  int height = 0;
  std::vector<coracle::vision::TextLine> lines;
  double first_ms = 0;           // The first run on this picture.
  std::vector<double> later_ms;  // Further runs.
};

double median(std::vector<double> values);

// One row per line: number, score, text, corners.
std::string to_text(const Result& result);

// One object with `image`, `width`, `height`, `first_ms`, `later_ms` and `lines` (`box`, `text`, `score`).
std::string to_json(const Result& result);

}  // namespace ocr
