// SPDX-License-Identifier: Apache-2.0
// Which lines are upside down.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>

#include "model.h"

namespace ocr {

class AngleClassifier {
 public:
  AngleClassifier(const std::string& folder, int threads) : model_(folder, threads) {}

  // Turns the lines that stand on their head, where the model is sure of it.
  void turn_upright(std::span<cv::Mat> lines);

 private:
  Model model_;
};

}  // namespace ocr
