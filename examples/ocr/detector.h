// SPDX-License-Identifier: Apache-2.0
// Where text is.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "model.h"

namespace ocr {

// Corners in pixels of the picture: top left, top right, bottom right, bottom left, as the text is read.
using Box = std::array<cv::Point, 4>;

// Length from `a` to `b` in pixels.
double distance(const cv::Point& a, const cv::Point& b);

// A model that gives each pixel's probability to be text, and the post-processing of differentiable binarisation (DB),
// which makes boxes of the probabilities: contours above a threshold, the smallest rectangle round each, grown again by
// what the training shrank.
class Detector {
 public:
  Detector(const std::string& folder, int threads) : model_(folder, threads) {}

  // Boxes in reading order: from top to bottom, and from left to right within a row.
  std::vector<Box> detect(const cv::Mat& image);

 private:
  Model model_;
};

}  // namespace ocr
