// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vision/answers.h"

namespace coracle::vision {
namespace {

std::vector<Label> exceeding_labels(const std::vector<float>& scores, const Attribute& a) {
  const auto first = scores.begin() + static_cast<std::ptrdiff_t>(a.first);
  const auto best = std::max_element(first, first + static_cast<std::ptrdiff_t>(a.names.size()));
  const auto label = [&](std::vector<float>::const_iterator at) {
    return Label{static_cast<int>(at - scores.begin()), a.names[static_cast<std::size_t>(at - first)], *at};
  };
  const auto above = [&](float score) { return static_cast<double>(score) > a.threshold; };
  std::vector<Label> labels;
  if (a.several) {
    for (auto at = first; at != first + static_cast<std::ptrdiff_t>(a.names.size()); ++at) {
      if (above(*at)) labels.push_back(label(at));
    }
  } else if (above(*best)) {
    labels.push_back(label(best));
  }
  if (!labels.empty()) return labels;
  if (!a.otherwise) return {label(best)};
  if (!a.otherwise->empty()) labels.push_back({-1, *a.otherwise, 1 - *best});
  return labels;
}

}  // namespace

std::vector<Label> attributes(const std::vector<float>& scores, const Description& d) {
  std::vector<Label> all;
  for (const Attribute& a : d.attributes) {
    if (a.first + a.names.size() > scores.size()) {
      throw Error(Problem::kDescription, d.file + ": attribute '" + a.names.back() + "' is class " +
                                             std::to_string(a.first + a.names.size() - 1) + ", and the model has " +
                                             std::to_string(scores.size()) + " classes");
    }
    for (Label& l : exceeding_labels(scores, a)) all.push_back(std::move(l));
  }
  return all;
}

std::vector<Label> decided_label(const std::vector<float>& scores, const Description& d) {
  const Decision& decision = *d.decision;
  if (scores.size() == 2) {
    const bool second = !(scores[1] < d.threshold);
    return {{second ? 1 : 0, decision.names[second ? 1 : 0], second ? scores[1] : 1 - scores[1]}};
  }
  const auto id = static_cast<std::size_t>(decision.otherwise);
  if (id >= scores.size()) {
    throw Error(Problem::kDescription, d.file + ": default_label_index is " + std::to_string(id) +
                                           ", and the model has " + std::to_string(scores.size()) + " classes");
  }
  std::vector<Label> best = best_labels(scores, 1, d);
  if (best[0].score > d.threshold) return best;
  return {{decision.otherwise, name_of(d, id), scores[id]}};
}

}  // namespace coracle::vision
