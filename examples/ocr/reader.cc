// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include <algorithm>

#include "line_image.h"

namespace ocr {
namespace {

constexpr int kTiny = 64;     // Width and height together.
constexpr int kMinSide = 32;  // What tiny pictures are padded to.

cv::Mat pad_tiny(const cv::Mat& image) {
  if (image.cols + image.rows >= kTiny) return image;
  cv::Mat padded;
  cv::copyMakeBorder(image, padded, 0, std::max(0, kMinSide - image.rows), 0, std::max(0, kMinSide - image.cols),
                     cv::BORDER_CONSTANT);
  return padded;
}

}  // namespace

Reader::Reader(const Files& files, int threads)
    : detector_(files.detector, threads),
      classifier_(files.classifier, threads),
      recognizer_(files.recognizer, files.dictionary, threads) {}

std::vector<Line> Reader::read(const cv::Mat& image, double min_score) {
  const cv::Mat padded = pad_tiny(image);
  const std::vector<Box> boxes = detector_.detect(padded);
  std::vector<cv::Mat> crops;
  for (const Box& box : boxes) crops.push_back(crop_line(padded, box));
  classifier_.turn_upright(crops);
  const std::vector<Reading> readings = recognizer_.read(crops);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (readings[i].score >= min_score) lines.push_back({boxes[i], readings[i].text, readings[i].score});
  }
  return lines;
}

}  // namespace ocr
