// SPDX-License-Identifier: Apache-2.0
// What the program tells about a picture: as text, as JSON.
#pragma once

#include <string>
#include <vector>

#include "coracle/vision/document_reader.h"

namespace ocr {

struct Result {
  std::string path;
  coracle::vision::Document document;
  double first_ms = 0;           // The first run on this picture.
  std::vector<double> later_ms;  // Further runs.
};

// Names of files may hold any bytes; JSON is UTF-8. What is not stands as \xNN.
std::string printable(const std::string& text);

// "three models".
std::string models(std::size_t count);

double median(std::vector<double> values);

// One row per line: number, score, text, corners; then regions and tables.
std::string to_text(const Result& result);

// One object with `image`, `width`, `height` (of the page, to which boxes belong), `turned`, `first_ms`, `later_ms`,
// `lines` (`box`, `text`, `score`), `regions` (`name`, `score`, `box`) and `tables` (`box`, `score`, `cells`, `html`).
std::string to_json(const Result& result);

}  // namespace ocr
