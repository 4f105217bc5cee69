// SPDX-License-Identifier: Apache-2.0
#include "vision/description.h"

#include <algorithm>
#include <filesystem>

#include "base/system/native_path.h"
#include "vision/description_parts.h"
#include "vision/file.h"
#include "vision/model_place.h"

namespace coracle::vision {
namespace {

std::vector<std::string> lines_of(const std::string& content) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

/// The names at their numbers, if all lines have one.
std::optional<std::vector<std::string>> numbered(const std::vector<std::string>& lines, const std::string& delimiter) {
  constexpr std::size_t kMostDigits = 6;
  std::vector<std::string> labels;
  for (const std::string& line : lines) {
    const std::size_t end = line.find(delimiter);
    if (end == 0 || end > kMostDigits || line.find_first_not_of("0123456789") < end) return std::nullopt;
    const auto number = static_cast<std::size_t>(std::stoi(line));
    if (number >= labels.size()) labels.resize(number + 1);
    labels[number] = line.substr(end + delimiter.size());
  }
  return labels;
}

/// Reads the names that are in a file of their own, if it is there.
void read_label_file(const ModelPlace& place, Description& d) {
  if (d.label_file.empty()) return;
  const std::optional<std::string> content = place.read(d.label_file);
  if (!content) return;
  const std::vector<std::string> lines = lines_of(*content);
  d.labels = numbered(lines, d.delimiter).value_or(lines);
}

}  // namespace

Normalise normalise(double scale, const std::array<double, 3>& mean, const std::array<double, 3>& deviation) {
  Normalise n{};
  for (std::size_t c = 0; c < 3; ++c) {
    n.factor[c] = static_cast<float>(scale / deviation[c]);
    n.term[c] = static_cast<float>(-mean[c] / deviation[c]);
  }
  return n;
}

std::optional<Description> published_description(const ModelPlace& model) {
  for (const char* name : {"inference.yml", "inference.yaml", "infer_cfg.yml", "deploy.yaml"}) {
    const std::optional<std::string> content = model.read(name);
    if (!content) continue;
    const std::string path = model.beside(name);
    Description d = parse_description(path, *Yaml::parse(path, *content));
    read_label_file(model, d);
    return d;
  }
  return std::nullopt;
}

Description read_description(const std::string& path) {
  Description d = parse_description(path, *Yaml::read(path));
  const std::string folder = internal::path_text(internal::native_path(path).parent_path());
  read_label_file(folder.empty() ? "." : folder, d);
  return d;
}

Description parse_description(const std::string& path, const Yaml& content) {
  const Yaml* root = &content;
  Description d;
  d.file = path;
  if (paddlex_model(*root) == "UVDoc") {  // Published with nothing but its name.
    d = usual_description(Task::kUnwarping, {});
    d.file = path;
  } else if (root->find("PreProcess") != nullptr) {
    read_with_ops(*root, d);
  } else if (root->find("Preprocess") != nullptr) {
    read_detection(*root, d);
  } else if (root->find("Deploy") != nullptr) {
    read_segmentation(*root, d);
  } else {
    unsupported(*root,
                "has none of PreProcess (PaddleX, PaddleClas, PaddleOCR), Preprocess (PaddleDetection) and Deploy "
                "(PaddleSeg), so how pictures are prepared is not said");
  }
  const bool sized =
      std::any_of(d.steps.begin(), d.steps.end(), [](const Step& s) { return std::holds_alternative<LineResize>(s); });
  const bool normalised =
      std::any_of(d.steps.begin(), d.steps.end(), [](const Step& s) { return std::holds_alternative<Normalise>(s); });
  if (d.task == Task::kTextRecognition && !sized) root->fail("text recognition needs the step RecResizeImg");
  if (sized == normalised)
    root->fail(sized ? "RecResizeImg normalises already, NormalizeImage cannot follow"
                     : "a step that normalises is missing");
  return d;
}

Description usual_description(Task task, const std::vector<std::int64_t>& input) {
  const auto length = [&](std::size_t axis, int otherwise) {
    return input.size() == 4 && input[axis] > 0 && input[axis] <= kMaxSide ? static_cast<int>(input[axis]) : otherwise;
  };
  Description d;
  d.task = task;
  const Normalise usual = normalise(1.0 / 255, kMean, kDeviation);
  switch (task) {
    case Task::kClassification:
    case Task::kMultilabel:
    case Task::kFeatures: {
      const CentreCrop crop{length(3, 224), length(2, 224)};
      d.steps = {Resize{.to = Resize::To::kShort, .width = std::max(crop.width, crop.height) * 8 / 7}, crop, usual};
      d.threshold = task == Task::kMultilabel ? 0.5F : 0;
      break;
    }
    case Task::kTextDetection:
      d.rgb = false;
      d.steps = {TextResize{.limit = TextResize::Limit::kLongAtMost, .length = 960}, usual};
      break;
    case Task::kTextRecognition:
      d.rgb = false;
      d.steps = {LineResize{.height = length(2, 48), .width = length(3, 320)}};
      break;
    case Task::kSegmentation: {
      if (length(2, 0) != 0 && length(3, 0) != 0)
        d.steps.emplace_back(Resize{.width = length(3, 0), .height = length(2, 0)});
      d.steps.emplace_back(normalise(1.0 / 255, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}));
      break;
    }
    case Task::kTableStructure:
      d.rgb = false;
      d.steps = {Resize{.to = Resize::To::kLong, .width = length(3, kTableSide)}, usual,
                 PadTo{length(3, kTableSide), length(3, kTableSide)}};
      break;
    case Task::kKeypoints:
      d.steps = {PersonCrop{.width = length(3, 192), .height = length(2, 256)}, usual};
      d.threshold = kNoThreshold;
      break;
    case Task::kUnwarping:
      d.rgb = false;
      d.steps = {normalise(1.0 / 255, {0, 0, 0}, {1, 1, 1})};
      break;
    case Task::kAnomaly:
      d.threshold = kAnomalyThreshold;
      d.steps = {Resize{.width = length(3, 256), .height = length(2, 256)}, usual};
      break;
    case Task::kObjectDetection:
    case Task::kInstanceSegmentation:
      throw Error(Problem::kUsage,
                  "object detectors differ in how they take pictures: one needs its inference.yml (or infer_cfg.yml), "
                  "which was exported with it");
  }
  return d;
}

std::vector<std::string> read_labels(const std::string& path) {
  return lines_of(read_file(path, Problem::kFile, std::size_t{16} << 20));
}

}  // namespace coracle::vision
