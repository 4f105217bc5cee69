// SPDX-License-Identifier: Apache-2.0
#include "line_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

namespace ocr {
namespace {

constexpr double kTall = 1.5;

void write_line(const cv::Mat& line, int width, float* out) {
  const int scaled_width = static_cast<int>(std::min<double>(width, std::ceil(kLineHeight * width_to_height(line))));
  cv::Mat scaled;
  cv::resize(line, scaled, {scaled_width, kLineHeight});
  std::array<float, 256> table;
  for (std::size_t v = 0; v < table.size(); ++v) table[v] = (static_cast<float>(v) / 255.0f - 0.5f) / 0.5f;
  for (int channel = 0; channel < 3; ++channel) {
    for (int y = 0; y < kLineHeight; ++y, out += width) {
      const auto* row = scaled.ptr<cv::Vec3b>(y);
      for (int x = 0; x < scaled_width; ++x) out[x] = table[row[x][channel]];
    }
  }
}

}  // namespace

cv::Mat crop_line(const cv::Mat& image, const Box& box) {
  const int width = static_cast<int>(std::max(distance(box[0], box[1]), distance(box[2], box[3])));
  const int height = static_cast<int>(std::max(distance(box[0], box[3]), distance(box[1], box[2])));
  const auto w = static_cast<float>(width);
  const auto h = static_cast<float>(height);
  const std::array<cv::Point2f, 4> from = {box[0], box[1], box[2], box[3]};
  const std::array<cv::Point2f, 4> to = {cv::Point2f(0, 0), cv::Point2f(w, 0), cv::Point2f(w, h), cv::Point2f(0, h)};
  cv::Mat line;
  cv::warpPerspective(image, line, cv::getPerspectiveTransform(from.data(), to.data()), {width, height},
                      cv::INTER_CUBIC, cv::BORDER_REPLICATE);
  if (static_cast<double>(height) / width >= kTall) cv::rotate(line, line, cv::ROTATE_90_COUNTERCLOCKWISE);
  return line;
}

double width_to_height(const cv::Mat& line) { return static_cast<double>(line.cols) / line.rows; }

std::vector<std::vector<std::size_t>> batches_by_width(std::span<const cv::Mat> lines) {
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return width_to_height(lines[a]) < width_to_height(lines[b]); });
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t i = 0; i < order.size(); i += kLineBatch) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    batches.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(kLineBatch, order.size() - i)));
  }
  return batches;
}

std::vector<float> line_tensor(std::span<const cv::Mat> lines, std::span<const std::size_t> batch, int width) {
  const std::size_t size = std::size_t{3} * kLineHeight * static_cast<std::size_t>(width);
  std::vector<float> result(batch.size() * size);
  for (std::size_t i = 0; i < batch.size(); ++i) write_line(lines[batch[i]], width, result.data() + i * size);
  return result;
}

}  // namespace ocr
