// SPDX-License-Identifier: Apache-2.0
#include "vision/answers.h"

#include <algorithm>
#include <numeric>

namespace coracle::vision {

std::string name_of(const Description& d, std::size_t id) {
  return id < d.labels.size() ? d.labels[id] : std::to_string(id);
}

std::vector<Label> best_labels(const std::vector<float>& scores, std::size_t count, const Description& d) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  const auto better = [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a > b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), better);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < count; ++i)
    labels.push_back({static_cast<int>(order[i]), name_of(d, order[i]), scores[order[i]]});
  return labels;
}

std::vector<Label> labels_above(const std::vector<float>& scores, float threshold, const Description& d) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > threshold) labels.push_back({static_cast<int>(i), name_of(d, i), scores[i]});
  }
  std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.score > b.score; });
  return labels;
}

std::vector<std::string> ctc_characters(std::vector<std::string> dictionary) {
  dictionary.insert(dictionary.begin(), "");
  dictionary.emplace_back(" ");
  return dictionary;
}

Text ctc_text(const float* probabilities, std::size_t steps, std::size_t classes,
              const std::vector<std::string>& characters) {
  Text result;
  double sum = 0;
  std::size_t count = 0;
  std::size_t previous = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const float* row = probabilities + step * classes;
    const auto best = static_cast<std::size_t>(std::max_element(row, row + classes) - row);
    if (best != 0 && best != previous) {
      result.text += characters[best];
      sum += static_cast<double>(row[best]);
      ++count;
    }
    previous = best;
  }
  if (count > 0) result.score = static_cast<float>(sum / static_cast<double>(count));
  return result;
}

}  // namespace coracle::vision
