// SPDX-License-Identifier: Apache-2.0
// What inference.yml says: the steps from a picture to the model's input, and from its outputs to an answer.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "coracle/vision/predictor.h"
#include "vision/resize.h"

namespace coracle::vision {

class ModelPlace;
class Yaml;

/// To a size, or to a length of the shorter or the longer side; `multiple_of`: sides then grow to such.
struct Resize {
  enum class To { kSize, kShort, kLong } to = To::kSize;
  int width = 0;  ///< for kShort and kLong: the length
  int height = 0;
  bool keep_ratio = false;  ///< kSize: the largest that fits in
  bool by_factor = false;   ///< keep_ratio: pixels lie and models are told as the factor says, not the whole sizes
  int multiple_of = 1;
  Interpolation interpolation = Interpolation::kLinear;
  bool resampled = false;  ///< as Pillow does it; otherwise as OpenCV
};

/// For text detection: to multiples of 32, so that the shorter side is at least, or the longer at most, `length`; or to
/// a size.
struct TextResize {
  enum class Limit { kShortAtLeast, kLongAtMost, kLongIs, kNone } limit = Limit::kLongAtMost;
  int length = 960;
  int width = 0;  ///< kNone
  int height = 0;
  bool keep_ratio = false;  ///< kNone: only the height is as said
  int most = 4000;          ///< for the longer side in any case
  bool implied = false;     ///< there is a length, and nothing says of which side
};

/// For text recognition: to a height, in [-1, 1], with zeros to the right up to `width`; wider lines stay wider.
struct LineResize {
  int height = 48;
  int width = 320;
  int most = 3200;
};

struct CentreCrop {
  int width = 224;
  int height = 224;
};

/// The picture in the middle of a black one whose sides are the next larger multiples of 32.
struct Surround {};

/// The picture in the upper left corner of one of that size and colour (in the order of the input's channels).
struct Backdrop {
  int width = 640;
  int height = 640;
  std::array<float, 3> colour = {127.5F, 127.5F, 127.5F};
};

/// value * factor + term, by channel.
struct Normalise {
  std::array<float, 3> factor;
  std::array<float, 3> term;
};

/// Zeros to the right and below, up to multiples.
struct PadToMultiple {
  int of = 32;
};

/// Zeros to the right and below, up to a size, which what is padded must not exceed.
struct PadTo {
  int width = 488;
  int height = 488;
};

/// A person, who takes up the whole of the picture, in the middle of one of that size, with black above and below or
/// cut there.
struct PersonCrop {
  int width = 192;
  int height = 256;
  bool stretched = false;  ///< both sides are fitted, from pixel to pixel ("unbiased data processing")
};

using Step = std::variant<Resize, TextResize, LineResize, CentreCrop, Surround, Backdrop, Normalise, PadToMultiple,
                          PadTo, PersonCrop>;

/// Boxes out of a map of probabilities, by differentiable binarisation.
struct DbOptions {
  float threshold = 0.3F;
  double box_threshold = 0.6;
  double unclip_ratio = 1.5;
  std::size_t max_candidates = 1000;
  bool dilate = false;
  bool exact_score = false;  ///< of the region itself, not of the rectangle round it
  bool polygons = false;     ///< as the regions are shaped, not rectangles round them
};

/// What is done with the boxes of an object detector besides dropping the unlikely ones.
struct ObjectOptions {
  std::map<int, float> thresholds;  ///< by class, over the common one
  bool suppress = false;            ///< boxes that overlap a better one
  bool masks = false;               ///< said to be given
  bool regions = false;  ///< of a page, told apart as PP-DocLayoutV2 and V3 do: whole pixels, without overlaps
  std::array<float, 2> grow = {1, 1};
  enum class Nested { kKeep, kOuter, kInner } nested = Nested::kKeep;
  // Of models that leave non-maximum suppression to their user:
  std::vector<int> strides = {8, 16, 32, 64};   ///< pixels from cell to cell of each map of distances
  std::optional<float> overlap = std::nullopt;  ///< of boxes of a class above which the worse is dropped
};

/// How a structure of a table is told.
struct TableOptions {
  bool merge = true;        ///< one token for a cell that spans nothing
  bool of_picture = false;  ///< corners are fractions of the picture; otherwise of it with its padding
};

/// Something that is said of a picture out of the scores of neighbouring classes: the best one, or all above a
/// threshold.
struct Attribute {
  std::size_t first = 0;
  std::vector<std::string> names;  ///< of the classes from `first` on
  double threshold = -1;
  bool several = false;
  std::optional<std::string> otherwise = std::nullopt;  ///< where none is above: this, or nothing; without it, the best
};

/// One class: of two the second where it reaches the threshold, of more the best one above it or `otherwise`.
struct Decision {
  std::array<std::string, 2> names = {"0", "1"};  ///< of two
  int otherwise = 0;
};

struct Description {
  std::string file;  ///< empty: nothing was described, these are defaults
  Task task = Task::kClassification;
  bool rgb = true;  ///< the order of the input's channels; otherwise BGR
  std::vector<Step> steps;
  std::vector<std::string> labels;  ///< or characters
  std::string label_file;           ///< beside the description; empty: none is named
  bool labels_given = false;        ///< by an option, over what is described
  std::string delimiter = " ";      ///< between number and name in its lines; names alone count from 0
  int topk = 5;
  float threshold = 0;
  std::vector<Attribute> attributes;  ///< kMultilabel: if there are any, these are the labels
  std::optional<Decision> decision;   ///< kClassification: this instead of the best ones
  DbOptions db;
  ObjectOptions objects;
  TableOptions table;
};

/// What is said beside a model, in inference.yml, or infer_cfg.yml or deploy.yaml of older exports; nothing if there is
/// no such file. Error with file and line; an unknown step is named with those that are known.
std::optional<Description> published_description(const ModelPlace& model);
/// Reads a file with a description.
Description read_description(const std::string& path);
/// The same of the file's content; `path` is for messages, and no other file is read.
Description parse_description(const std::string& path, const Yaml& content);
/// What is usual for a task, for a model whose input has these dimensions (negative: any).
Description usual_description(Task task, const std::vector<std::int64_t>& input);
/// A file with a name per line.
std::vector<std::string> read_labels(const std::string& path);

Normalise normalise(double scale, const std::array<double, 3>& mean, const std::array<double, 3>& deviation);

}  // namespace coracle::vision
