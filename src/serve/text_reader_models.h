// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

}  // namespace coracle::serve
