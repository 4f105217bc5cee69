// SPDX-License-Identifier: Apache-2.0
#include "classifier.h"

#include "line_image.h"

namespace ocr {
namespace {

constexpr int kWidth = 192;
constexpr float kSure = 0.9f;

}  // namespace

void AngleClassifier::turn_upright(std::span<cv::Mat> lines) {
  for (const std::vector<std::size_t>& batch : batches_by_width(lines)) {
    const auto count = static_cast<std::int64_t>(batch.size());
    const Tensor output = model_.run(line_tensor(lines, batch, kWidth), {count, 3, kLineHeight, kWidth});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::span<const float> probabilities = output.part(i);  // Upright, upside down.
      cv::Mat& line = lines[batch[i]];
      if (probabilities[1] > probabilities[0] && probabilities[1] > kSure) cv::rotate(line, line, cv::ROTATE_180);
    }
  }
}

}  // namespace ocr
