// SPDX-License-Identifier: Apache-2.0
// From a model's outputs to answers.
#pragma once

#include <optional>
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

/// The description's attributes, in their order; id -1 where none of an attribute's classes is above its threshold, and
/// what the best of them lacks of 1 is the score.
std::vector<Label> attributes(const std::vector<float>& scores, const Description& d);
/// The description's decision.
std::vector<Label> decided_label(const std::vector<float>& scores, const Description& d);

/// Boxes of text in a picture of the given size, in the order in which they are found.
std::vector<TextBox> text_boxes(const float* probability, int width, int height, int to_width, int to_height,
                                const DbOptions& options);

/// A map of scores with its marks: regions above the threshold in which a disc of 4 pixels has place.
AnomalyMap anomaly_map(const float* scores, int width, int height, float threshold);

/// The characters of CTC's classes: nothing, the dictionary's, the space.
std::vector<std::string> ctc_characters(std::vector<std::string> dictionary);
/// `steps` rows of probabilities, one for each class; equal neighbours count once.
Text ctc_text(const float* probabilities, std::size_t steps, std::size_t classes,
              const std::vector<std::string>& characters);

/// Rows of class, score, left, top, right, bottom and up to two more numbers that order them.
std::vector<Object> objects(const float* rows, std::size_t count, std::size_t columns, int width, int height,
                            float threshold, const Description& d);

/// Rows of class, score and the corners of a box that may be turned, as PP-YOLOE-R has them.
constexpr std::size_t kTurnedColumns = 10;
std::vector<Object> turned_objects(const float* rows, std::size_t count, int width, int height, float threshold,
                                   const Description& d);

/// Regions of a page as PP-DocLayoutV2's and V3's are told apart: without references, specks, formulas within lines and
/// the smaller of two that overlap, but for figures within figures and text in pictures.
std::vector<Object> without_overlaps(std::vector<Object> regions);

/// Such rows of six out of what a model gives that leaves non-maximum suppression to its user, boxes in pixels of the
/// picture: of a class no box that a better one overlaps too much, the classes one after the other, each from its best
/// box on. `scaled`: the model's boxes are those of the picture already. Nothing where the outputs are none of
/// - boxes [1, n, 4] and scores [1, classes, n]; or both in one, [1, n, 4 + classes];
/// - for each of the strides scores [1, cells, classes], then for each [1, cells, 4 * bins]: distributions of the
///   distances from a cell to the sides of its box, as PicoDet has them.
std::optional<std::vector<float>> suppressed_objects(const std::vector<Output>& outputs, const Prepared& prepared,
                                                     bool scaled, float threshold, const ObjectOptions& options);

}  // namespace coracle::vision
