// SPDX-License-Identifier: Apache-2.0
// The whole way from a picture to its text: detect, crop, turn upright, recognise.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "classifier.h"
#include "detector.h"
#include "recognizer.h"

namespace ocr {

struct Files {
  std::string detector;  // Folders with inference.pdmodel and inference.pdiparams.
  std::string classifier;
  std::string recognizer;
  std::string dictionary;  // One character per line.
};

struct Line {
  Box box;
  std::string text;
  double score;  // 0 to 1.
};

class Reader {
 public:
  Reader(const Files& files, int threads);

  // The lines in reading order whose score is at least `min_score`. `image`: 8-bit BGR.
  std::vector<Line> read(const cv::Mat& image, double min_score);

 private:
  Detector detector_;
  AngleClassifier classifier_;
  Recognizer recognizer_;
};

}  // namespace ocr
