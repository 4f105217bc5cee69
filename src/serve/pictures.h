// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/repository.h"
#include "serve/service.h"

namespace coracle::serve {

/// Served models that read text together, by their names.
struct TextReaderModels {
  std::string name;
  std::string detector;
  std::string recognizer;
  std::string classifier;  ///< of lines that stand on their head; empty: none
  std::string dictionary;  ///< a file with a character per line, where the recogniser has no inference.yml
};

/// "NAME=detector,recognizer[,classifier][,dictionary=FILE]". Throws Failure (kInvalidArgument).
TextReaderModels text_reader_models(const std::string& argument);

struct PictureOptions {
  int workers = 0;           ///< threads that prepare pictures and wait for models; 0: processors and 16
  size_t max_waiting = 256;  ///< pictures that wait for one of these
  int64_t max_pixels = int64_t{64} << 20;
  std::vector<TextReaderModels> readers;
};

/// POST /v2/models/NAME[/versions/VERSION]/predict: what pictures show, by a model or a text reader. `repository`
/// outlives it.
std::unique_ptr<Service> picture_service(Repository& repository, const PictureOptions& options);

}  // namespace coracle::serve
