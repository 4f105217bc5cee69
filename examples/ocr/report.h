// SPDX-License-Identifier: Apache-2.0
// What the program tells about a picture: as text, as JSON.
#pragma once

#include <string>
#include <vector>

#include "coracle/vision/document_reader.h"
#include "pictures/stream.h"

namespace ocr {

struct Result {
  coracle::pictures::Place place;
  coracle::vision::Document document;
  double first_ms = 0;               // The first run on this picture.
  std::vector<double> later_ms;      // Further runs.
  std::vector<std::string> written;  // A line for each file.
  std::string note;
  std::string problem;  // Why there is nothing else.
};

// Names of files may hold any bytes; JSON is UTF-8. What is not stands as \xNN.
std::string printable(const std::string& text);

// "three models".
std::string models(std::size_t count);

double median(std::vector<double> values);

// One row per line: number, score, text, corners; then regions, tables and seals.
std::string to_text(const Result& result);

// The line of the runs' times, and those of files that were written.
std::string to_times(const Result& result);

// What rows of CSV say of where a picture is from, besides its file.
struct PlaceColumns {
  bool page = false;
  bool frame = false;  // And its time.
};
// A row for each line of text: its number, score, text and corners.
std::string csv_header(const PlaceColumns& columns);
std::string to_csv(const Result& result, const PlaceColumns& columns);

// An object with `image` and `error`.
std::string error_json(const Result& result);

// One object with `image`, of a PDF `page`, of a video `frame` and `time`, `width`, `height` (of the page, to which
// boxes belong), `turned`, `first_ms`, `later_ms`, `lines` (`box`, `text`, `score`), `regions` (`name`, `score`,
// `box`), `tables` (`box`, `score`, `cells`, `html`) and `seals` (`box`, and `lines` as above with `polygon`, which is
// empty where a line is not bent).
std::string to_json(const Result& result);

}  // namespace ocr
