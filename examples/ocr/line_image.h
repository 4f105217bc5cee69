// SPDX-License-Identifier: Apache-2.0
// Pictures of single lines of text, and how they become batches for the classifier and the recogniser.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "detector.h"

namespace ocr {

constexpr int kLineHeight = 48;        // In pixels, as both models want it.
constexpr std::size_t kLineBatch = 6;  // Lines run together.

// The box's content as an upright rectangle; one that is tall is turned a quarter to the left.
cv::Mat crop_line(const cv::Mat& image, const Box& box);

double width_to_height(const cv::Mat& line);

// Indices of the lines in batches, narrow lines first, so that little of a batch is padding.
std::vector<std::vector<std::size_t>> batches_by_width(std::span<const cv::Mat> lines);

// The lines of a batch scaled to kLineHeight, at most `width` wide, in [-1, 1], with zeros to the right: batch x 3 x
// kLineHeight x width.
std::vector<float> line_tensor(std::span<const cv::Mat> lines, std::span<const std::size_t> batch, int width);

}  // namespace ocr
