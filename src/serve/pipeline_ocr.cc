// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "client/base64.h"
#include "serve/pipeline_page.h"

namespace coracle::serve {
namespace {

using Type = PipelineField::Type;
using Use = PipelineField::Use;

/// POST /ocr: the text of a page.
class Ocr : public Pipeline {
 public:
  Ocr(const PipelineConfig& config, const vision::OpenModel& open)
      : config_(config), reader_(document_files(config), vision::ReaderOptions{.open = open}) {}

  std::span<const PipelineField> fields() const override {
    static constexpr std::array kFields{
        kFileField,
        kFileTypeField,
        kOrientationField,
        kUnwarpingField,
        kLineOrientationField,
        kSideField,
        kSideTypeField,
        kThresholdField,
        kBoxThresholdField,
        kUnclipField,
        kMinScoreField,
        PipelineField{"returnWordBox", Type::kFlag, Use::kOnlyFalse},
        kVisualizeField,
        PipelineField{"logId", Type::kText},
    };
    return kFields;
  }

  void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& json) override {
    PageReading reading = page_reading(request, config_, cancelled);
    const HeldPicture held = page_picture(request, config_, reading.visualize);
    const vision::Image& image = held.image;
    // Lines that are not sure enough are found all the same.
    const double min_score = reading.how.text.min_score;
    reading.how.text.min_score = std::numeric_limits<double>::lowest();
    vision::Document document = reader_.read(image, reading.how);

    json.Key("ocrResults");
    json.StartArray();
    json.StartObject();
    json.Key("prunedResult");
    json.StartObject();
    if (reading.preprocessed) {
      json.Key("doc_preprocessor_res");
      json.StartObject();
      write_preprocessing(json, reading, document);
      json.EndObject();
    }
    write_lines(json, document.lines, reading, reading.preprocessed, min_score);
    json.EndObject();
    if (reading.visualize) {
      std::erase_if(document.lines, [&](const vision::TextLine& line) { return line.score < min_score; });
      json.field("ocrImage", picture_text(vision::draw(document.page, document.lines)));
      if (reading.preprocessed) json.field("docPreprocessingImage", picture_text(document.page));
      json.field("inputImage", picture_text(image));
    }
    json.EndObject();
    json.EndArray();
    write_data_info(json, image);
  }

 private:
  const PipelineConfig config_;
  vision::DocumentReader reader_;
};

/// POST /document-preprocessing: a page upright and flat.
class DocumentPreprocessing : public Pipeline {
 public:
  DocumentPreprocessing(const PipelineConfig& config, const vision::OpenModel& open)
      : config_(config), reader_(document_files(config), vision::ReaderOptions{.open = open}) {}

  std::span<const PipelineField> fields() const override {
    static constexpr std::array kFields{kFileField, kFileTypeField, kOrientationField, kUnwarpingField,
                                        kVisualizeField};
    return kFields;
  }

  void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& json) override {
    PageReading reading = page_reading(request, config_, cancelled);
    // Each stands for itself here.
    reading.how.orientation = stage_wanted(request, kOrientationField.name, config_, "orientation");
    reading.how.unwarping = stage_wanted(request, kUnwarpingField.name, config_, "unwarp");
    const HeldPicture held = page_picture(request, config_, reading.visualize);
    const vision::Image& image = held.image;
    const vision::Document document = reader_.read(image, reading.how);

    json.Key("docPreprocessingResults");
    json.StartArray();
    json.StartObject();
    json.field("outputImage", client::base64_of(vision::encode_png(document.page)));
    json.Key("prunedResult");
    json.StartObject();
    write_preprocessing(json, reading, document);
    json.EndObject();
    if (reading.visualize) {
      json.field("docPreprocessingImage", picture_text(document.page));
      json.field("inputImage", picture_text(image));
    }
    json.EndObject();
    json.EndArray();
    write_data_info(json, image);
  }

 private:
  const PipelineConfig config_;
  vision::DocumentReader reader_;
};

}  // namespace

std::unique_ptr<Pipeline> open_ocr(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<Ocr>(config, open);
}
std::unique_ptr<Pipeline> open_document_preprocessing(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<DocumentPreprocessing>(config, open);
}

}  // namespace coracle::serve
