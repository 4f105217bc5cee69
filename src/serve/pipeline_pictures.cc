// SPDX-License-Identifier: Apache-2.0
// The pipelines of one model that say something of a picture.
#include <array>
#include <utility>

#include "serve/pipeline_page.h"

namespace coracle::serve {
namespace {

using Type = PipelineField::Type;
using Use = PipelineField::Use;

constexpr PipelineField kImage{"image", Type::kText, Use::kNeeded};
constexpr PipelineField kThreshold{"threshold", Type::kNumber};
constexpr PipelineField kTopk{"topk", Type::kWhole};
constexpr PipelineField kTargetSize{"targetSize", Type::kAny, Use::kRefused};
constexpr PipelineField kLogId{"logId", Type::kText};

constexpr std::array kPlainFields{kImage, kVisualizeField};
constexpr std::array kTopkFields{kImage, kVisualizeField, kTopk};
constexpr std::array kThresholdFields{kImage, kVisualizeField, kThreshold, kLogId};
constexpr std::array kMapFields{kImage, kVisualizeField, kTargetSize};

using WritePrediction = void (*)(internal::JsonWriter& json, const vision::Prediction& prediction);

void write_categories(internal::JsonWriter& json, const vision::Prediction& prediction) {
  json.objects("categories", prediction.labels, [&](const vision::Label& label) {
    json.field("id", label.id);
    json.field("name", label.name);
    json.field("score", label.score);
  });
}

void write_object(internal::JsonWriter& json, const vision::Object& object) {
  json.Key("bbox");
  if (object.corners)
    write_numbers(json, *object.corners);
  else
    write_numbers(json, std::array{object.left, object.top, object.right, object.bottom});
  json.field("categoryId", object.id);
  json.field("categoryName", object.name);
  json.field("score", object.score);
}

void write_objects(internal::JsonWriter& json, const vision::Prediction& prediction) {
  json.objects("detectedObjects", prediction.objects, [&](const vision::Object& o) { write_object(json, o); });
}

/// COCO's compressed run lengths: each less the one before the last, in groups of five bits, the low ones first.
std::string run_length_text(const std::vector<std::uint32_t>& counts) {
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t rest = int64_t{counts[i]} - (i > 2 ? int64_t{counts[i - 2]} : 0);
    for (bool more = true; more;) {
      const int64_t group = rest & 31;
      rest >>= 5;
      more = (group & 16) != 0 ? rest != -1 : rest != 0;
      text += static_cast<char>(group + (more ? 32 : 0) + '0');
    }
  }
  return text;
}

void write_size(internal::JsonWriter& json, int height, int width) {
  json.Key("size");
  write_numbers(json, std::array{height, width});
}

void write_instances(internal::JsonWriter& json, const vision::Prediction& prediction) {
  json.objects("instances", prediction.objects, [&](const vision::Object& object) {
    write_object(json, object);
    json.Key("mask");
    json.StartObject();
    const vision::Mask mask = object.mask.value_or(vision::Mask());
    json.field("rleResult", run_length_text(mask.counts));
    write_size(json, mask.height, mask.width);
    json.EndObject();
  });
}

void write_classes(internal::JsonWriter& json, const vision::Prediction& prediction) {
  json.list("labelMap", prediction.map.classes);
  write_size(json, prediction.map.height, prediction.map.width);
}

void write_anomalies(internal::JsonWriter& json, const vision::Prediction& prediction) {
  json.list("labelMap", prediction.anomaly.marked, [&](std::uint8_t marked) { json.Int(marked * 255); });
  write_size(json, prediction.anomaly.height, prediction.anomaly.width);
}

vision::PredictorOptions predictor_options(const PipelineConfig& config, const vision::OpenModel& open,
                                           vision::Task task) {
  vision::PredictorOptions options;
  options.labels = config.model("labels");
  options.task = task;
  options.topk = config.topk;
  options.threshold = config.threshold;
  options.open = open;
  return options;
}

/// A pipeline of one model.
class PicturePipeline : public Pipeline {
 public:
  PicturePipeline(const PipelineConfig& config, const vision::OpenModel& open, vision::Task task,
                  std::span<const PipelineField> fields, WritePrediction write)
      : config_(config),
        predictor_(config.model("model"), predictor_options(config, open, task)),
        fields_(fields),
        write_(write) {}

  std::span<const PipelineField> fields() const override { return fields_; }

  void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& json) override {
    vision::PredictionChoice choice{.topk = request.whole(kTopk.name), .cancelled = cancelled};
    if (choice.topk && *choice.topk <= 0)
      PipelineRequest::refuse(kTopk.name, "greater_than", "Input should be greater than 0");
    if (const std::optional<double> threshold = request.number(kThreshold.name))
      choice.threshold = static_cast<float>(*threshold);
    const bool visualize = request.flag(kVisualizeField.name).value_or(config_.visualize);
    constexpr size_t kDrawn = 2;  // the drawing, and its file
    const HeldPicture held = request.picture(kImage.name, config_.limits, visualize ? kDrawn : 0);
    const vision::Image& image = held.image;
    const vision::Prediction prediction = predictor_.predict(image, choice);
    write_(json, prediction);
    if (visualize) json.field("image", picture_text(vision::draw(image, prediction)));
  }

 private:
  const PipelineConfig config_;
  vision::Predictor predictor_;
  const std::span<const PipelineField> fields_;
  const WritePrediction write_;
};

}  // namespace

std::unique_ptr<Pipeline> open_classification(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kClassification, kTopkFields, write_categories);
}
std::unique_ptr<Pipeline> open_multilabel(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kMultilabel, kThresholdFields, write_categories);
}
std::unique_ptr<Pipeline> open_object_detection(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kObjectDetection, kThresholdFields,
                                           write_objects);
}
std::unique_ptr<Pipeline> open_instance_segmentation(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kInstanceSegmentation, kThresholdFields,
                                           write_instances);
}
std::unique_ptr<Pipeline> open_semantic_segmentation(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kSegmentation, kMapFields, write_classes);
}
std::unique_ptr<Pipeline> open_anomaly_detection(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<PicturePipeline>(config, open, vision::Task::kAnomaly, kPlainFields, write_anomalies);
}

}  // namespace coracle::serve
