// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/vision/document_reader.h"
#include "serve/pipeline_request.h"

namespace coracle::serve {

/// A pipeline as PaddleX's files describe it: which it is, its models, and what is done unless a request says
/// otherwise.
struct PipelineConfig {
  std::string name;                           ///< PaddleX's: "OCR"
  std::map<std::string, std::string> models;  ///< folders by stage: "det"
  std::map<std::string, std::string> names;   ///< of those that are served, by stage
  vision::TextDetection detection;
  double min_score = 0;  ///< of lines that were read
  std::optional<int> topk;
  std::optional<float> threshold;
  bool visualize = true;
  PictureLimits limits;
  std::vector<std::string> notes;  ///< for the user: what was read and does nothing

  /// The folder of a stage; empty where there is none.
  std::string model(const std::string& stage) const {
    const auto found = models.find(stage);
    return found == models.end() ? std::string() : found->second;
  }
};

using Cancelled = const std::atomic<uint32_t>*;

/// Answers the requests of one pipeline; for one thread at a time.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
  /// The fields that its requests may have.
  virtual std::span<const PipelineField> fields() const = 0;
  /// Writes the members of "result", of an object that is open. Throws PipelineFailure and what models throw.
  virtual void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& result) = 0;
};

/// A model of a pipeline.
struct PipelineStage {
  std::string_view name;           ///< in PipelineConfig::models, and for the user
  std::string_view module;         ///< in PaddleX's files, below pipelines: "DocPreprocessor/DocUnwarping"; or empty
  std::string_view switches = {};  ///< what there is true where it is used, separated by spaces
  bool needed = false;
  bool is_model = true;  ///< otherwise a file that belongs to one
  /// In PaddleX's files: another module that stands for this one where it is there.
  std::string_view stand_in = {};
  bool if_there = false;  ///< in PaddleX's files: only where they have the module
};

/// A pipeline that there is.
struct PipelineKind {
  std::string_view name;  ///< PaddleX's
  std::string_view path;  ///< where it is asked
  std::span<const PipelineStage> stages;
  std::unique_ptr<Pipeline> (*open)(const PipelineConfig& config, const vision::OpenModel& open);
};

/// All of them.
std::span<const PipelineKind> pipeline_kinds();
/// Throws Failure with the names of all where there is none of that name.
const PipelineKind& pipeline_kind(std::string_view name);

/// The stage of that name, which there is.
const PipelineStage& pipeline_stage(const PipelineKind& kind, std::string_view name);

/// Reads a file of PaddleX, or "OCR:det=FOLDER,rec=FOLDER". Throws Failure for what cannot be done as it says.
PipelineConfig read_pipeline(const std::string& argument);

/// What PaddleX calls min, max and resize_long.
std::optional<vision::TextDetection::Side> side_of(std::string_view limit_type);

// The families. `open` gives what runs a model.
std::unique_ptr<Pipeline> open_ocr(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_document_preprocessing(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_table_recognition(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_layout_parsing(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_classification(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_multilabel(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_object_detection(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_instance_segmentation(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_semantic_segmentation(const PipelineConfig& config, const vision::OpenModel& open);
std::unique_ptr<Pipeline> open_anomaly_detection(const PipelineConfig& config, const vision::OpenModel& open);

}  // namespace coracle::serve
