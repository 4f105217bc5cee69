// SPDX-License-Identifier: Apache-2.0
// From a model's outputs to answers.
#pragma once

#include <string>
#include <vector>

#include "vision/description.h"
#include "vision/prepare.h"

namespace coracle::vision {

/// Row-major numbers: the model's own until its next run, or made of those of another type.
struct Output {
  std::vector<std::int64_t> dims;
  const float* data = nullptr;
  std::size_t size = 0;
  std::vector<float> converted;
};

std::string name_of(const Description& d, std::size_t id);

/// The classes of highest probability, the best first; of equal ones that with the higher number.
std::vector<Label> best_labels(const std::vector<float>& scores, std::size_t count, const Description& d);
/// The classes above the threshold.
std::vector<Label> labels_above(const std::vector<float>& scores, float threshold, const Description& d);

/// Boxes of text in a picture of the given size, in the order in which they are found.
std::vector<TextBox> text_boxes(const float* probability, int width, int height, int to_width, int to_height,
                                const DbOptions& options);

/// The characters of CTC's classes: nothing, the dictionary's, the space.
std::vector<std::string> ctc_characters(std::vector<std::string> dictionary);
/// `steps` rows of probabilities, one for each class; equal neighbours count once.
Text ctc_text(const float* probabilities, std::size_t steps, std::size_t classes,
              const std::vector<std::string>& characters);

/// Rows of class, score, left, top, right, bottom and up to two more numbers that order them.
std::vector<Object> objects(const float* rows, std::size_t count, std::size_t columns, int width, int height,
                            float threshold, const Description& d);

}  // namespace coracle::vision
