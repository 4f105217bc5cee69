// SPDX-License-Identifier: Apache-2.0
#include "recognizer.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "line_image.h"

namespace ocr {
namespace {

constexpr double kLeastRatio = 320.0 / kLineHeight;  // Of a batch's width to its height.

std::vector<std::string> read_dictionary(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::vector<std::string> characters = {""};
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) characters.push_back(line);
  }
  characters.emplace_back(" ");
  return characters;
}

}  // namespace

Recognizer::Recognizer(const std::string& folder, const std::string& dictionary, int threads)
    : model_(folder, threads), characters_(read_dictionary(dictionary)) {}

std::vector<Reading> Recognizer::read(std::span<const cv::Mat> lines) {
  std::vector<Reading> readings(lines.size());
  for (const std::vector<std::size_t>& batch : batches_by_width(lines)) {
    double ratio = kLeastRatio;
    for (const std::size_t line : batch) ratio = std::max(ratio, width_to_height(lines[line]));
    const int width = static_cast<int>(kLineHeight * ratio);
    const auto count = static_cast<std::int64_t>(batch.size());
    const Tensor output = model_.run(line_tensor(lines, batch, width), {count, 3, kLineHeight, width});
    const auto classes = static_cast<std::size_t>(output.shape.back());
    if (classes != characters_.size()) {
      throw std::runtime_error("the recogniser knows " + std::to_string(classes) + " characters, the dictionary has " +
                               std::to_string(characters_.size()));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) readings[batch[i]] = decode(output.part(i), classes);
  }
  return readings;
}

Reading Recognizer::decode(std::span<const float> probabilities, std::size_t classes) const {
  Reading reading;
  std::size_t previous = 0;
  std::size_t count = 0;
  for (std::size_t step = 0; step < probabilities.size(); step += classes) {
    const std::span<const float> row = probabilities.subspan(step, classes);
    const auto best = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    if (best != 0 && best != previous) {
      reading.text += characters_[best];
      reading.score += static_cast<double>(row[best]);
      ++count;
    }
    previous = best;
  }
  if (count > 0) reading.score /= static_cast<double>(count);
  return reading;
}

}  // namespace ocr
