// SPDX-License-Identifier: Apache-2.0
// The stages from a page to its text, each a model with what goes before and after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/text_reader.h"
#include "vision/geometry.h"
#include "vision/session.h"

namespace coracle::vision {

/// A line of text on a page.
struct LineBox {
  std::array<Point, 4> corners;
  float score = 0;
  Polygon polygon{};  ///< of detectors of bent text, whose corners are then those of a rectangle round it
};

/// Finds lines of text. A model without inference.yml is used as PaddleOCR 2 uses it, one with it as PaddleOCR 3 does;
/// they differ in details of boxes at the edges and of how lines are cut out.
class TextDetector {
 public:
  TextDetector(const std::string& path, const ReaderOptions& options);

  bool described() const { return !description_.file.empty(); }
  /// Boxes in reading order; those of bent text in that of their tops.
  std::vector<LineBox> detect(const Image& page, const TextDetection& how, Cancelled cancelled);

 private:
  PictureModel model_;
  Description description_;
};

/// The box's content as an upright rectangle; one that is tall is turned a quarter to the left. Nothing of a box
/// without area. `exactly`: the quadrilateral itself, otherwise the smallest rectangle round it.
Image cut_out(const Image& page, const std::array<Point, 4>& box, bool exactly);
Image cut_out(const Image& page, const Corners& rectangle);

/// Tells which lines stand on their head. Without inference.yml it turns those of which the model is sure.
class LineAngle {
 public:
  LineAngle(const std::string& path, const ReaderOptions& options);

  /// Tells which it turned.
  std::vector<bool> turn_upright(std::vector<Image>& lines, Cancelled cancelled);

 private:
  std::vector<float> scores(const std::vector<Image>& lines, const std::vector<std::size_t>& batch,
                            Cancelled cancelled);

  PictureModel model_;
  std::optional<Description> description_;
};

/// Reads lines. They run in batches of similar width, so that little of a batch is padding.
class Recognizer {
 public:
  Recognizer(const std::string& path, const std::string& dictionary, const ReaderOptions& options);

  std::vector<Text> read(const std::vector<Image>& lines, Cancelled cancelled);

 private:
  PictureModel model_;
  Description description_;
  std::vector<std::string> characters_;
  LineResize step_;
};

/// The indices of lines of these ratios of width to height in batches, the narrow ones first.
std::vector<std::vector<std::size_t>> batches_by_width(const std::vector<double>& ratios);

}  // namespace coracle::vision
