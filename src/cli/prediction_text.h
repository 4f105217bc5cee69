// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "coracle/vision/predictor.h"
#include "pictures/stream.h"

namespace coracle::cli {

/// The answer to a picture.
struct Answer {
  pictures::Place place;
  int width = 0;
  int height = 0;
  vision::Prediction prediction;
  std::string drawing;  ///< the file it was drawn in, if any
};

/// Lines for people: the picture's, and one for each thing found.
std::string to_text(const Answer& answer);
/// One line of JSON.
std::string to_json(const Answer& answer);
/// What is said instead of an answer where there is none.
std::string error_json(const pictures::Place& place, const std::string& error);

/// What rows of CSV say of where a picture is from, besides its file.
struct PlaceColumns {
  bool page = false;
  bool frame = false;  ///< and its time
};
/// Rows of CSV (RFC 4180), and the names of their columns.
std::string to_csv(const Answer& answer, const PlaceColumns& columns);
std::string csv_header(vision::Task task, const PlaceColumns& columns);

}  // namespace coracle::cli
