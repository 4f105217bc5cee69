// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/text_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "vision/geometry.h"
#include "vision/session.h"
#include "vision/warp.h"

namespace coracle::vision {
namespace {

using Box = std::array<Point, 4>;
using Indices = std::vector<std::size_t>;

constexpr double kMinBoxSide = 3;
constexpr int kSameRow = 10;
constexpr double kTall = 1.5;
constexpr std::size_t kLineBatch = 6;  // Lines run together.
constexpr LineResize kUpright{.height = 48, .width = 192};
constexpr float kSure = 0.9F;  // Of a line that stands on its head.

/// The corners from the top left on, clockwise.
Box clockwise(const Box& box) {
  const auto sum = [](const Point& a, const Point& b) { return a.x + a.y < b.x + b.y; };
  const auto* first = std::min_element(box.begin(), box.end(), sum);
  const auto* third = std::max_element(box.begin(), box.end(), sum);
  if (first == third) return box;  // A sliver, dropped by its size later.
  std::vector<Point> rest;
  for (const auto* corner = box.begin(); corner != box.end(); ++corner) {
    if (corner != first && corner != third) rest.push_back(*corner);
  }
  if (rest[1].y - rest[1].x < rest[0].y - rest[0].x) std::swap(rest[0], rest[1]);
  return {*first, rest[0], *third, rest[1]};
}

bool is_sliver(const Box& box) {
  return std::floor(distance(box[0], box[1])) <= kMinBoxSide || std::floor(distance(box[0], box[3])) <= kMinBoxSide;
}

/// From top to bottom; boxes whose tops are close count as one row, from left to right.
void sort_for_reading(std::vector<Box>& boxes) {
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const Box& a, const Box& b) { return a[0].y != b[0].y ? a[0].y < b[0].y : a[0].x < b[0].x; });
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      const Point& above = boxes[j - 1][0];
      const Point& below = boxes[j][0];
      if (std::abs(below.y - above.y) >= kSameRow || below.x >= above.x) break;
      std::swap(boxes[j - 1], boxes[j]);
    }
  }
}

/// The box's content as an upright rectangle; one that is tall is turned a quarter to the left.
Image crop_line(const Image& image, const Box& box) {
  const int width = static_cast<int>(std::max(distance(box[0], box[1]), distance(box[2], box[3])));
  const int height = static_cast<int>(std::max(distance(box[0], box[3]), distance(box[1], box[2])));
  Image line = straighten(image, box, width, height);
  return static_cast<double>(height) / width >= kTall ? quarter_left(line) : line;
}

double width_to_height(const Image& line) { return static_cast<double>(line.width) / line.height; }

/// Indices of the lines in batches, narrow lines first, so that little of a batch is padding.
std::vector<Indices> batches_by_width(const std::vector<Image>& lines) {
  Indices order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return width_to_height(lines[a]) < width_to_height(lines[b]); });
  std::vector<Indices> batches;
  for (std::size_t i = 0; i < order.size(); i += kLineBatch) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    batches.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(kLineBatch, order.size() - i)));
  }
  return batches;
}

/// Runs the lines of a batch at one width; the first output has a part for each.
Output run_lines(PictureModel& model, const std::vector<Image>& lines, const Indices& batch, const LineResize& step,
                 int width, bool rgb) {
  Prepared size;
  size.width = width;
  size.height = step.height;
  const std::size_t plane = std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(step.height);
  std::vector<float> values(batch.size() * plane);
  for (std::size_t i = 0; i < batch.size(); ++i)
    write_line(lines[batch[i]], step, width, rgb, values.data() + i * plane);
  model.run(size, values, static_cast<std::int64_t>(batch.size()));
  return model.output(0);
}

Description describe(const std::string& model, Task task, const PictureModel& loaded) {
  std::optional<Description> d = published_description(model);
  if (!d) return usual_description(task, loaded.input_dims());
  if (d->task != task) {
    throw Error(Problem::kUsage,
                d->file + " describes a model for " + task_name(d->task) + ", not for " + task_name(task));
  }
  return *std::move(d);
}

class Detector {
 public:
  Detector(const std::string& path, int threads)
      : model_(path, {}, threads), description_(describe(path, Task::kTextDetection, model_)) {}

  /// Boxes in reading order.
  std::vector<Box> detect(const Image& image) {
    const Prepared prepared = prepare(image, description_);
    model_.run(prepared, prepared.values, 1);
    const Output map = model_.output(0);
    if (map.dims.size() != 4 || map.dims[1] != 1)
      throw Error(Problem::kUsage, "the detector gives no map of one channel");
    std::vector<Box> boxes;
    for (const TextBox& found : text_boxes(map.data, static_cast<int>(map.dims[3]), static_cast<int>(map.dims[2]),
                                           image.width, image.height, description_.db)) {
      Box box = clockwise(found.corners);
      for (Point& p : box) p = {std::clamp(p.x, 0, image.width - 1), std::clamp(p.y, 0, image.height - 1)};
      if (!is_sliver(box)) boxes.push_back(box);
    }
    sort_for_reading(boxes);
    return boxes;
  }

 private:
  PictureModel model_;
  Description description_;
};

class AngleClassifier {
 public:
  AngleClassifier(const std::string& path, int threads) : model_(path, {}, threads) {
    if (published_description(path)) description_ = describe(path, Task::kClassification, model_);
  }

  /// Turns the lines that stand on their head, where the model is sure of it.
  void turn_upright(std::vector<Image>& lines) {
    for (const Indices& batch : batches_by_width(lines)) {
      const Output scores =
          description_ ? run_described(lines, batch) : run_lines(model_, lines, batch, kUpright, kUpright.width, false);
      if (scores.dims.size() != 2 || scores.dims[1] != 2)
        throw Error(Problem::kUsage, "the classifier does not tell two directions apart");
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const float* p = scores.data + 2 * i;  // Upright, upside down.
        Image& line = lines[batch[i]];
        if (p[1] > p[0] && p[1] > kSure) line = upside_down(line);
      }
    }
  }

 private:
  Output run_described(const std::vector<Image>& lines, const Indices& batch) {
    std::vector<float> values;
    Prepared prepared;
    for (const std::size_t i : batch) {
      prepared = prepare(lines[i], *description_);
      values.insert(values.end(), prepared.values.begin(), prepared.values.end());
    }
    model_.run(prepared, values, static_cast<std::int64_t>(batch.size()));
    return model_.output(0);
  }

  PictureModel model_;
  std::optional<Description> description_;
};

class Recognizer {
 public:
  Recognizer(const std::string& path, const std::string& dictionary, int threads)
      : model_(path, {}, threads), description_(describe(path, Task::kTextRecognition, model_)) {
    characters_ = ctc_characters(dictionary.empty() ? description_.labels : read_labels(dictionary));
    if (characters_.size() == 2) throw Error(Problem::kUsage, path + ": needs a dictionary of characters");
    step_ = std::get<LineResize>(description_.steps.front());
  }

  std::vector<Text> read(const std::vector<Image>& lines) {
    std::vector<Text> texts(lines.size());
    for (const Indices& batch : batches_by_width(lines)) {
      double ratio = static_cast<double>(step_.width) / step_.height;
      for (const std::size_t line : batch) ratio = std::max(ratio, width_to_height(lines[line]));
      const int width = static_cast<int>(step_.height * ratio);
      const Output output = run_lines(model_, lines, batch, step_, width, description_.rgb);
      const auto classes = static_cast<std::size_t>(output.dims.back());
      if (output.dims.size() != 3 || classes != characters_.size()) {
        throw Error(Problem::kUsage, "the recogniser knows " + std::to_string(classes) +
                                         " characters, the dictionary has " + std::to_string(characters_.size()));
      }
      const auto steps = static_cast<std::size_t>(output.dims[1]);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        texts[batch[i]] = ctc_text(output.data + i * steps * classes, steps, classes, characters_);
      }
    }
    return texts;
  }

 private:
  PictureModel model_;
  Description description_;
  std::vector<std::string> characters_;
  LineResize step_;
};

}  // namespace

struct TextReader::State {
  Detector detector;
  std::optional<AngleClassifier> classifier;
  Recognizer recognizer;
};

TextReader::TextReader(const TextReaderFiles& files, int threads)
    : state_(new State{Detector(files.detector, threads), std::nullopt,
                       Recognizer(files.recognizer, files.dictionary, threads)}) {
  if (!files.classifier.empty()) state_->classifier.emplace(files.classifier, threads);
}
TextReader::TextReader(TextReader&&) noexcept = default;
TextReader& TextReader::operator=(TextReader&&) noexcept = default;
TextReader::~TextReader() = default;

std::vector<TextLine> TextReader::read(const Image& image, double min_score) {
  const Image padded = pad_tiny(image);
  const std::vector<Box> boxes = state_->detector.detect(padded);
  std::vector<Image> crops;
  for (const Box& box : boxes) crops.push_back(crop_line(padded, box));
  if (state_->classifier) state_->classifier->turn_upright(crops);
  const std::vector<Text> texts = state_->recognizer.read(crops);
  std::vector<TextLine> lines;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto score = static_cast<double>(texts[i].score);
    if (score >= min_score) lines.push_back({boxes[i], texts[i].text, score});
  }
  return lines;
}

}  // namespace coracle::vision
