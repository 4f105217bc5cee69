// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/predictor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vision/families.h"
#include "vision/instances.h"
#include "vision/keypoints.h"
#include "vision/session.h"
#include "vision/table_structure.h"
#include "vision/unwarp.h"

namespace coracle::vision {
namespace {

constexpr std::pair<Task, const char*> kTasks[] = {
    {Task::kClassification, "classification"},
    {Task::kMultilabel, "multilabel"},
    {Task::kTextDetection, "text-detection"},
    {Task::kTextRecognition, "text-recognition"},
    {Task::kObjectDetection, "object-detection"},
    {Task::kSegmentation, "segmentation"},
    {Task::kTableStructure, "table-structure"},
    {Task::kUnwarping, "unwarping"},
    {Task::kFeatures, "features"},
    {Task::kInstanceSegmentation, "instance-segmentation"},
    {Task::kKeypoints, "keypoints"},
    {Task::kAnomaly, "anomaly"},
};

/// Object detectors differ in how they take pictures: there is no usual way.
bool has_usual_way(Task task) { return task != Task::kObjectDetection && task != Task::kInstanceSegmentation; }

std::string task_names(bool with_usual_way) {
  std::string all;
  for (const auto& [task, name] : kTasks) {
    if (!with_usual_way || has_usual_way(task)) all.append(all.empty() ? "" : ", ").append(name);
  }
  return all;
}

/// What is described; nothing where there is no description. Before the model is loaded.
std::optional<Description> described(const ModelPlace& model, const PredictorOptions& options) {
  std::optional<Description> d =
      options.description.empty() ? published_description(model) : read_description(options.description);
  // Whether an object detector gives masks is seen when it is loaded.
  const bool masks = options.task == Task::kInstanceSegmentation && d && d->task == Task::kObjectDetection;
  if (d && options.task && *options.task != d->task && !masks) {
    throw Error(Problem::kUsage,
                d->file + " describes a model for " + task_name(d->task) + ", not for " + task_name(*options.task));
  }
  return d;
}

/// Without a description: by the family of the model, or the usual way of the task. `text` says which.
Description assumed_description(const std::string& model, const PictureModel& loaded, std::optional<Task> task,
                                std::string& text) {
  std::string family;
  const FamilyTraits traits{model, loaded.input_dims(), loaded.declared_outputs()};
  std::optional<Description> d = family_description(traits, task, family);
  if (!d && !task) {
    throw Error(Problem::kUsage, model +
                                     ": there is no inference.yml beside the model, which says how pictures are "
                                     "prepared and what the outputs mean; give such a file as 'description', or a "
                                     "'task' for what is usual (" +
                                     task_names(true) + ") and a file of names as 'labels'");
  }
  if (!d) d = usual_description(*task, loaded.input_dims());
  text = model + ": there is no inference.yml beside the model; pictures are prepared as " +
         (family.empty() ? std::string("is usual for ") + task_name(d->task) : "for a " + family) + ": " +
         preparation_text(*d);
  return *std::move(d);
}

void choose(Description& d, std::optional<int> topk, std::optional<float> threshold) {
  if (topk) d.topk = *topk;
  if (!threshold) return;
  d.threshold = *threshold;
  d.objects.thresholds.clear();
  for (Attribute& a : d.attributes) a.threshold = a.threshold < 0 ? a.threshold : static_cast<double>(d.threshold);
  d.db.box_threshold = static_cast<double>(*threshold);
}

Description complete(Description d, const std::string& model, const PredictorOptions& options) {
  if (!options.labels.empty()) {
    d.labels = read_labels(options.labels);
    d.labels_given = true;
  }
  choose(d, options.topk, options.threshold);
  if (d.task == Task::kTextRecognition && d.labels.empty()) {
    throw Error(
        Problem::kUsage,
        model + ": text recognition needs the dictionary of characters; give 'labels', a file with one per line");
  }
  if (d.task == Task::kTableStructure && d.labels.empty()) {
    throw Error(Problem::kUsage,
                model + ": table structure needs the dictionary of tokens; give 'labels', a file with one per line");
  }
  return d;
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  std::string text = "[";
  for (const std::int64_t d : dims) text.append(text.size() > 1 ? ", " : "").append(std::to_string(d));
  return text + "]";
}

[[noreturn]] void unexpected(const Description& d, const Output& output, const std::string& expected) {
  throw Error(Problem::kDescription, (d.file.empty() ? std::string() : d.file + ": ") + "an output for " +
                                         task_name(d.task) + " is " + expected + ", the model gives " +
                                         dims_text(output.dims));
}

std::vector<float> values_of(const Output& output, const Description& d, const std::string& what) {
  if (output.dims.empty() || output.size == 0 ||
      static_cast<std::int64_t>(output.size) != output.dims.back() * output.dims.front() || output.dims.front() != 1) {
    unexpected(d, output, "[1, " + what + "]");
  }
  return {output.data, output.data + output.size};
}

std::vector<float> unit_vector(std::vector<float> values) {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  const auto length = static_cast<float>(std::sqrt(squares));
  for (float& v : values) v /= length;
  return values;
}

/// The best of the classes of each pixel, or the class itself where the model gives it, at the picture's size.
ClassMap class_map(const Output& output, const Prepared& prepared, const Description& d) {
  const std::vector<std::int64_t>& dims = output.dims;
  if ((dims.size() != 3 && dims.size() != 4) || dims[0] != 1 || output.size == 0) {
    unexpected(d, output, "[1, classes, height, width] or [1, height, width]");
  }
  const auto height = static_cast<std::size_t>(dims[dims.size() - 2]);
  const auto width = static_cast<std::size_t>(dims.back());
  const std::size_t plane = height * width;
  const std::size_t classes = output.size / plane;
  std::vector<int> best(plane);
  for (std::size_t i = 0; i < plane; ++i) {
    if (classes == 1) {
      best[i] = static_cast<int>(std::clamp(output.data[i], -1e6F, 1e6F));
      if (static_cast<float>(best[i]) != output.data[i]) {
        throw Error(Problem::kDescription, "a map of one channel contains " + std::to_string(output.data[i]) +
                                               ", which is not a class: probability maps of one class are not "
                                               "supported; 'coracle run' gives the numbers");
      }
      continue;
    }
    std::size_t at = 0;
    for (std::size_t c = 1; c < classes; ++c) {
      if (output.data[c * plane + i] > output.data[at * plane + i]) at = c;
    }
    best[i] = static_cast<int>(at);
  }
  ClassMap map{.width = prepared.picture_width, .height = prepared.picture_height, .classes = {}, .names = d.labels};
  map.classes = resize_nearest(best, static_cast<int>(width), static_cast<int>(height), map.width, map.height);
  return map;
}

AnomalyMap anomaly_of(const Output& output, const Description& d) {
  const std::vector<std::int64_t>& dims = output.dims;
  const bool one = dims.size() == 3 || (dims.size() == 4 && dims[1] == 1);
  if (!one || dims[0] != 1 || output.size == 0) unexpected(d, output, "[1, 1, height, width]");
  return anomaly_map(output.data, static_cast<int>(dims.back()), static_cast<int>(dims[dims.size() - 2]), d.threshold);
}

std::vector<TextBox> boxes_of(const Output& output, const Prepared& prepared, const Description& d) {
  if (output.dims.size() != 4 || output.dims[0] != 1 || output.dims[1] != 1 || output.size == 0)
    unexpected(d, output, "[1, 1, height, width]");
  return text_boxes(output.data, static_cast<int>(output.dims[3]), static_cast<int>(output.dims[2]),
                    prepared.picture_width, prepared.picture_height, d.db);
}

Text text_of(const Output& output, const std::vector<std::string>& characters, const Description& d) {
  if (output.dims.size() != 3 || output.dims[0] != 1) unexpected(d, output, "[1, steps, classes]");
  const auto classes = static_cast<std::size_t>(output.dims[2]);
  if (classes > characters.size() || classes + 1 < characters.size()) {
    throw Error(d.labels_given ? Problem::kUsage : Problem::kDescription,
                "the model tells " + std::to_string(classes) + " classes of characters apart, the dictionary makes " +
                    std::to_string(characters.size()) + " (nothing, " + std::to_string(characters.size() - 2) +
                    " characters and the space)");
  }
  return ctc_text(output.data, static_cast<std::size_t>(output.dims[1]), classes, characters);
}

std::vector<Label> labels_of(const std::vector<float>& scores, const Description& d) {
  if (d.task == Task::kMultilabel)
    return d.attributes.empty() ? labels_above(scores, d.threshold, d) : attributes(scores, d);
  if (d.decision) return decided_label(scores, d);
  std::vector<Label> best = best_labels(scores, static_cast<std::size_t>(std::max(d.topk, 0)), d);
  if (d.threshold > 0) std::erase_if(best, [&](const Label& label) { return label.score < d.threshold; });
  return best;
}

/// Of a model that leaves non-maximum suppression to its user.
std::vector<Object> raw_objects_of(const PictureModel& model, const Prepared& prepared, const Image& image,
                                   const Description& d) {
  float threshold = d.threshold;
  for (const auto& [id, own] : d.objects.thresholds) threshold = std::min(threshold, own);
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < model.outputs(); ++i) outputs.push_back(model.output(i));
  const std::optional<std::vector<float>> rows =
      suppressed_objects(outputs, prepared, model.has_input("scale_factor"), threshold, d.objects);
  if (!rows) {
    std::string levels;
    for (const int stride : d.objects.strides) levels.append(levels.empty() ? "" : ", ").append(std::to_string(stride));
    unexpected(d, outputs[0],
               "[boxes, 6], or of turned boxes [boxes, 10]; or without non-maximum suppression, boxes [1, n, 4] and "
               "scores [1, classes, n], both in one, "
               "[1, n, 4 + classes], or for each of the strides " +
                   levels + " scores [1, cells, classes] and then distances [1, cells, 4 * bins]");
  }
  return objects(rows->data(), rows->size() / 6, 6, image.width, image.height, d.threshold, d);
}

/// Of a matrix; 0 of other outputs.
std::size_t columns_of(const Output& output) {
  return output.dims.size() == 2 ? static_cast<std::size_t>(output.dims[1]) : 0;
}

std::vector<Object> objects_of(const PictureModel& model, const Prepared& prepared, const Image& image,
                               const Description& d) {
  const Output rows = model.output(0);
  const std::size_t columns = columns_of(rows);
  const bool turned = columns == kTurnedColumns;
  if (!turned && (columns < 6 || columns > 8)) return raw_objects_of(model, prepared, image, d);
  auto count = static_cast<std::size_t>(rows.dims[0]);
  if (model.outputs() > 1) {
    const Output number = model.output(1);
    if (number.size == 1 && number.data[0] >= 0) count = std::min(count, static_cast<std::size_t>(number.data[0]));
  }
  if (turned) return turned_objects(rows.data, count, image.width, image.height, d.threshold, d);
  return objects(rows.data, count, columns, image.width, image.height, d.threshold, d);
}

/// Models give the corners of the cells before the probabilities, or the probabilities alone.
TableStructure table_of(const PictureModel& model, const std::vector<std::string>& tokens, const Prepared& prepared,
                        const Description& d) {
  if (model.outputs() == 1) return table_structure(model.output(0), nullptr, tokens, prepared, d);
  const Output cells = model.output(0);
  return table_structure(model.output(1), &cells, tokens, prepared, d);
}

}  // namespace

const char* task_name(Task task) {
  for (const auto& [known, name] : kTasks) {
    if (known == task) return name;
  }
  return "";
}

Task task_of(const std::string& name) {
  for (const auto& [task, known] : kTasks) {
    if (name == known) return task;
  }
  throw Error(Problem::kUsage, "there is no task '" + name + "'; the tasks are " + task_names(false));
}

struct Predictor::State {
  State(const ModelPlace& place, const PredictorOptions& options) : State(place, options, described(place, options)) {}
  State(const ModelPlace& place, const PredictorOptions& options, std::optional<Description> described)
      : model(place, options.params, {.threads = options.threads, .open = options.open}),
        description(complete(
            described ? *std::move(described) : assumed_description(place.path(), model, options.task, assumed),
            place.path(), options)) {
    settle_instances(model, place.path(), options.task, description);
    if (description.task == Task::kTextRecognition) characters = ctc_characters(description.labels);
    if (description.task == Task::kTableStructure) tokens = table_tokens(description.labels, description.table.merge);
  }

  PictureModel model;
  std::string assumed;  ///< before the description, which fills it
  Description description;
  std::vector<std::string> characters;
  std::vector<std::string> tokens;
};

Predictor::Predictor(const std::string& model, const PredictorOptions& options)
    : state_(std::make_unique<State>(model, options)) {}
Predictor::Predictor(const ModelBytes& archive, const PredictorOptions& options)
    : state_(std::make_unique<State>(ModelPlace(archive), options)) {}
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;
Predictor::~Predictor() = default;

Task Predictor::task() const { return state_->description.task; }
const std::string& Predictor::assumed() const { return state_->assumed; }

Prediction Predictor::predict(const Image& image) { return predict(image, nullptr); }

Prediction Predictor::predict(const Image& image, const std::atomic<std::uint32_t>* cancelled) {
  return predict(image, PredictionChoice{.cancelled = cancelled});
}

Prediction Predictor::predict(const Image& image, const PredictionChoice& choice) {
  Description chosen;
  const bool own = choice.topk || choice.threshold;
  if (own) {
    chosen = state_->description;
    choose(chosen, choice.topk, choice.threshold);
  }
  const Description& d = own ? chosen : state_->description;
  PictureModel& model = state_->model;
  const Prepared prepared = prepare(image, d);
  model.run(prepared, prepared.values, 1, choice.cancelled);
  Prediction p;
  p.task = d.task;
  switch (d.task) {
    case Task::kClassification:
    case Task::kMultilabel: p.labels = labels_of(values_of(model.output(0), d, "classes"), d); break;
    case Task::kTextDetection: p.boxes = boxes_of(model.output(0), prepared, d); break;
    case Task::kTextRecognition: p.text = text_of(model.output(0), state_->characters, d); break;
    case Task::kObjectDetection:
      p.objects = objects_of(model, prepared, image, d);
      p.ordered = columns_of(model.output(0)) == 7 || columns_of(model.output(0)) == 8;
      break;
    case Task::kInstanceSegmentation: p.objects = instances_of(model, prepared, d); break;
    case Task::kKeypoints: p.keypoints = keypoints_of(model.output(0), prepared, d, p.bones); break;
    case Task::kSegmentation: p.map = class_map(model.output(0), prepared, d); break;
    case Task::kTableStructure: p.table = table_of(model, state_->tokens, prepared, d); break;
    case Task::kUnwarping: p.page = flat_page(model.output(0), d); break;
    case Task::kAnomaly: p.anomaly = anomaly_of(model.output(0), d); break;
    case Task::kFeatures: p.features = unit_vector(values_of(model.output(0), d, "features")); break;
  }
  return p;
}

}  // namespace coracle::vision
