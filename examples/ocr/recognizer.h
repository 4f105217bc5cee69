// SPDX-License-Identifier: Apache-2.0
// What lines say.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "model.h"

namespace ocr {

struct Reading {
  std::string text;  // UTF-8.
  double score = 0;  // Mean probability of its characters.
};

// A model that gives, for each step along the line, the probability of each character (class 0: none), read by CTC's
// rule: equal neighbours count once.
class Recognizer {
 public:
  // `dictionary`: a file with one character per line, in the order of the model's classes from 1 on; the last class is
  // the space.
  Recognizer(const std::string& folder, const std::string& dictionary, int threads);

  std::vector<Reading> read(std::span<const cv::Mat> lines);

 private:
  Reading decode(std::span<const float> probabilities, std::size_t classes) const;

  Model model_;
  std::vector<std::string> characters_;
};

}  // namespace ocr
