// SPDX-License-Identifier: Apache-2.0
// Reads what the program is given, one picture after the other, and tells what was found.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/failure.h"
#include "coracle/vision/document_reader.h"
#include "pictures/stream.h"

namespace ocr {

enum class Format { kText, kJson, kJsonLines, kCsv };

struct ReadOptions {
  int threads = 0;  // For the models of all jobs together.
  int jobs = 1;
  int repeat = 0;
  double min_score = 0.5;
  std::string drawings;
  std::string texts;
  std::string font;
  std::string pages;
  std::string markdown;
  std::string structures;
  Format format = Format::kText;
  coracle::pictures::StreamOptions reading;
  std::vector<std::string> pictures;
};

// Reads all pictures with models of which `count` were given. Those that cannot be read are told and do not stop the
// others.
coracle::cli::ExitCode read_all(const coracle::vision::DocumentReaderFiles& models, std::size_t count,
                                const ReadOptions& options);

// A line on standard error.
void tell(const std::string& message);

}  // namespace ocr
