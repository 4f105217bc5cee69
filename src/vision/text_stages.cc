// SPDX-License-Identifier: Apache-2.0
#include "vision/text_stages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "vision/warp.h"

namespace coracle::vision {
namespace {

using Quad = std::array<Point, 4>;
using Indices = std::vector<std::size_t>;

constexpr double kMinBoxSide = 3;
constexpr int kSameRow = 10;
constexpr double kTall = 1.5;
constexpr std::size_t kLineBatch = 6;  // Lines run together.
constexpr LineResize kUpright{.height = 48, .width = 192};
constexpr float kSure = 0.9F;  // Of a line that stands on its head.

/// The corners from the top left on, clockwise.
Quad clockwise(const Quad& box) {
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

bool is_sliver(const Quad& box) {
  return std::floor(distance(box[0], box[1])) <= kMinBoxSide || std::floor(distance(box[0], box[3])) <= kMinBoxSide;
}

/// From top to bottom; boxes whose tops are close count as one row, from left to right.
void sort_for_reading(std::vector<LineBox>& boxes) {
  const auto above = [](const LineBox& a, const LineBox& b) {
    const Point& p = a.corners[0];
    const Point& q = b.corners[0];
    return p.y != q.y ? p.y < q.y : p.x < q.x;
  };
  std::stable_sort(boxes.begin(), boxes.end(), above);
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      const Point& upper = boxes[j - 1].corners[0];
      const Point& lower = boxes[j].corners[0];
      if (std::abs(lower.y - upper.y) >= kSameRow || lower.x >= upper.x) break;
      std::swap(boxes[j - 1], boxes[j]);
    }
  }
}

Image cut_out_sized(const Image& page, const Corners& corners, double wide, double high) {
  const int width = static_cast<int>(wide);
  const int height = static_cast<int>(high);
  if (width == 0 || height == 0) return {};
  Image line = straighten(page, corners, width, height);
  return static_cast<double>(height) / width >= kTall ? quarter_left(line) : line;
}

/// From top to bottom, by the highest points.
void sort_by_top(std::vector<LineBox>& boxes) {
  const auto top = [](const LineBox& box) {
    int least = box.polygon.front().y;
    for (const Point& p : box.polygon) least = std::min(least, p.y);
    return least;
  };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const LineBox& a, const LineBox& b) { return top(a) < top(b); });
}

double width_to_height(const Image& line) { return static_cast<double>(line.width) / line.height; }

std::vector<double> ratios(const std::vector<Image>& lines) {
  std::vector<double> all;
  for (const Image& line : lines) all.push_back(width_to_height(line));
  return all;
}

/// Runs the lines of a batch at one width, of which line i fills at most `own[i]`; the first output has a part for
/// each.
Output run_lines(PictureModel& model, const std::vector<Image>& lines, const Indices& batch, const LineResize& step,
                 const std::vector<int>& own, bool rgb, Cancelled cancelled) {
  Prepared size;
  size.width = *std::max_element(own.begin(), own.end());
  size.height = step.height;
  const std::size_t plane =
      std::size_t{3} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(step.height);
  std::vector<float> values(batch.size() * plane);
  for (std::size_t i = 0; i < batch.size(); ++i)
    write_line(lines[batch[i]], step, own[i], size.width, rgb, values.data() + i * plane);
  model.run(size, values, static_cast<std::int64_t>(batch.size()), cancelled);
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

TextResize::Limit limit_of(TextDetection::Side side) {
  switch (side) {
    case TextDetection::Side::kShortAtLeast: return TextResize::Limit::kShortAtLeast;
    case TextDetection::Side::kLongAtMost: return TextResize::Limit::kLongAtMost;
    case TextDetection::Side::kLongIs: break;
  }
  return TextResize::Limit::kLongIs;
}

/// What is described, but for what is asked for; a model that takes one size takes it still.
Description detection_of(Description d, const TextDetection& how) {
  for (Step& step : d.steps) {
    auto* const resize = std::get_if<TextResize>(&step);
    if (resize == nullptr || resize->limit == TextResize::Limit::kNone) continue;
    if (how.side) resize->limit = limit_of(*how.side);
    resize->length = how.length.value_or(resize->length);
    resize->most = how.most.value_or(resize->most);
  }
  if (how.threshold) d.db.threshold = static_cast<float>(*how.threshold);
  d.db.box_threshold = how.box_threshold.value_or(d.db.box_threshold);
  d.db.unclip_ratio = how.unclip_ratio.value_or(d.db.unclip_ratio);
  return d;
}

}  // namespace

std::vector<Indices> batches_by_width(const std::vector<double>& ratios) {
  Indices order(ratios.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ratios[a] < ratios[b]; });
  std::vector<Indices> batches;
  for (std::size_t i = 0; i < order.size(); i += kLineBatch) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    batches.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(kLineBatch, order.size() - i)));
  }
  return batches;
}

Image cut_out(const Image& page, const Quad& box, bool exactly) {
  if (!exactly) return cut_out(page, smallest_rectangle({box.begin(), box.end()}).corners);
  Corners corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = {static_cast<float>(box[i].x), static_cast<float>(box[i].y)};
  const auto length = [&](std::size_t a, std::size_t b) { return distance(box[a], box[b]); };
  return cut_out_sized(page, corners, std::max(length(0, 1), length(2, 3)), std::max(length(0, 3), length(1, 2)));
}

Image cut_out(const Image& page, const Corners& rectangle) {
  const auto length = [&](std::size_t a, std::size_t b) {
    const float x = rectangle[a].x - rectangle[b].x;
    const float y = rectangle[a].y - rectangle[b].y;
    return static_cast<double>(std::sqrt(x * x + y * y));
  };
  return cut_out_sized(page, rectangle, std::max(length(0, 1), length(2, 3)), std::max(length(0, 3), length(1, 2)));
}

TextDetector::TextDetector(const std::string& path, const ReaderOptions& options)
    : model_(path, {}, options), description_(describe(path, Task::kTextDetection, model_)) {}

std::vector<LineBox> TextDetector::detect(const Image& page, const TextDetection& how, Cancelled cancelled) {
  const Description d = detection_of(description_, how);
  const Prepared prepared = prepare(page, d);
  model_.run(prepared, prepared.values, 1, cancelled);
  const Output map = model_.output(0);
  if (map.dims.size() != 4 || map.dims[1] != 1)
    throw Error(Problem::kUsage, "the detector gives no map of one channel");
  std::vector<LineBox> boxes;
  for (const TextBox& found : text_boxes(map.data, static_cast<int>(map.dims[3]), static_cast<int>(map.dims[2]),
                                         prepared.picture_width, prepared.picture_height, d.db)) {
    LineBox line{found.corners, found.score, found.polygon};
    if (!described()) {
      line.corners = clockwise(line.corners);
      for (Point& p : line.corners) p = {std::clamp(p.x, 0, page.width - 1), std::clamp(p.y, 0, page.height - 1)};
      if (is_sliver(line.corners)) continue;
    }
    boxes.push_back(line);
  }
  if (d.db.polygons) {
    sort_by_top(boxes);
  } else {
    sort_for_reading(boxes);
  }
  return boxes;
}

LineAngle::LineAngle(const std::string& path, const ReaderOptions& options) : model_(path, {}, options) {
  if (published_description(path)) description_ = describe(path, Task::kClassification, model_);
}

std::vector<float> LineAngle::scores(const std::vector<Image>& lines, const Indices& batch, Cancelled cancelled) {
  Output output;
  if (description_) {
    std::vector<float> values;
    Prepared prepared;
    for (const std::size_t i : batch) {
      prepared = prepare(lines[i], *description_);
      values.insert(values.end(), prepared.values.begin(), prepared.values.end());
    }
    model_.run(prepared, values, static_cast<std::int64_t>(batch.size()), cancelled);
    output = model_.output(0);
  } else {
    output =
        run_lines(model_, lines, batch, kUpright, std::vector<int>(batch.size(), kUpright.width), false, cancelled);
  }
  if (output.dims.size() != 2 || output.dims[1] != 2 || output.size != 2 * batch.size())
    throw Error(Problem::kUsage, "the classifier does not tell two directions apart");
  return {output.data, output.data + output.size};
}

std::vector<bool> LineAngle::turn_upright(std::vector<Image>& lines, Cancelled cancelled) {
  std::vector<bool> turned_lines(lines.size(), false);
  for (const Indices& batch : batches_by_width(ratios(lines))) {
    const std::vector<float> p = scores(lines, batch, cancelled);  // Upright and upside down of each.
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!(p[2 * i + 1] > p[2 * i])) continue;
      Image& line = lines[batch[i]];
      turned_lines[batch[i]] = description_ || p[2 * i + 1] > kSure;
      if (turned_lines[batch[i]]) line = description_ ? turned(line, 180) : upside_down(line);
    }
  }
  return turned_lines;
}

Recognizer::Recognizer(const std::string& path, const std::string& dictionary, const ReaderOptions& options)
    : model_(path, {}, options), description_(describe(path, Task::kTextRecognition, model_)) {
  characters_ = ctc_characters(dictionary.empty() ? description_.labels : read_labels(dictionary));
  if (characters_.size() == 2) throw Error(Problem::kUsage, path + ": needs a dictionary of characters");
  step_ = std::get<LineResize>(description_.steps.front());
}

std::vector<Text> Recognizer::read(const std::vector<Image>& lines, Cancelled cancelled) {
  std::vector<Text> texts(lines.size());
  for (const Indices& batch : batches_by_width(ratios(lines))) {
    std::vector<int> own;
    for (const std::size_t line : batch) own.push_back(line_width(lines[line], step_));
    if (description_.file.empty()) own.assign(own.size(), *std::max_element(own.begin(), own.end()));
    const Output output = run_lines(model_, lines, batch, step_, own, description_.rgb, cancelled);
    const auto classes = output.dims.size() == 3 ? static_cast<std::size_t>(output.dims[2]) : 0;
    if (classes > characters_.size() || classes + 1 < characters_.size()) {
      throw Error(Problem::kUsage, "the recogniser knows " + std::to_string(classes) +
                                       " characters, the dictionary has " + std::to_string(characters_.size()));
    }
    const auto steps = static_cast<std::size_t>(output.dims[1]);
    for (std::size_t i = 0; i < batch.size(); ++i)
      texts[batch[i]] = ctc_text(output.data + i * steps * classes, steps, classes, characters_);
  }
  return texts;
}

}  // namespace coracle::vision
