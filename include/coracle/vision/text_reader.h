// SPDX-License-Identifier: Apache-2.0
// The whole way from a picture to its text: detect, cut out, turn upright, recognise; each may be left out. With files
// inference.yml beside the models this is the way of PaddleOCR 3, otherwise that of PaddleOCR 2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/predictor.h"

namespace coracle::vision {

struct TextReaderFiles {
  std::string detector;    ///< a model; empty: the picture is one line
  std::string classifier;  ///< which lines are upside down; empty: none is
  std::string recognizer;  ///< empty: lines have no text, their score is the detector's
  std::string dictionary;  ///< one character per line, where the recogniser has no inference.yml
};

struct TextLine {
  std::array<Point, 4> corners;
  std::string text;
  double score = 0;              ///< 0 to 1
  bool turned = false;           ///< it stood on its head, as the classifier says
  std::vector<Point> polygon{};  ///< of detectors of bent text, whose corners are then those of a rectangle round it
};

/// How lines are looked for; what is not given is as described.
struct TextDetection {
  enum class Side { kShortAtLeast, kLongAtMost, kLongIs };
  std::optional<Side> side{};             ///< which side of the picture the model sees has the length
  std::optional<int> length{};            ///< in pixels
  std::optional<int> most{};              ///< pixels of the longer side in any case
  std::optional<double> threshold{};      ///< above which a pixel belongs to text
  std::optional<double> box_threshold{};  ///< least score of a line
  std::optional<double> unclip_ratio{};   ///< how far outlines grow
};

/// How a picture is read.
struct TextReading {
  double min_score = 0;    ///< of lines that were read
  bool turn_lines = true;  ///< the classifier is asked, if there is one
  TextDetection detection{};
  const std::atomic<std::uint32_t>* cancelled = nullptr;  ///< others may end it, as Predictor::predict
};

/// For one thread at a time. Throws as Predictor does.
class CORACLE_VISION_API TextReader {
 public:
  explicit TextReader(const TextReaderFiles& files, int threads = 0);
  TextReader(const TextReaderFiles& files, const ReaderOptions& options);
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;
  ~TextReader();

  /// The lines in reading order; of those that were read the ones whose score is at least `min_score`.
  std::vector<TextLine> read(const Image& image, double min_score);
  /// The same, which others may end as Predictor::predict.
  std::vector<TextLine> read(const Image& image, double min_score, const std::atomic<std::uint32_t>* cancelled);
  std::vector<TextLine> read(const Image& image, const TextReading& how);

  /// Whether there is a model that reads lines.
  bool recognizes() const;
  /// What a picture says that is one upright line; only of a reader that recognises.
  Text read_line(const Image& line, const std::atomic<std::uint32_t>* cancelled = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The picture with each line's outline and number.
CORACLE_VISION_API Image draw(const Image& image, const std::vector<TextLine>& lines);

}  // namespace coracle::vision
