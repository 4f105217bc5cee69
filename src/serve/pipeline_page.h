// SPDX-License-Identifier: Apache-2.0
// What the pipelines that read pages share.
#pragma once

#include <string>
#include <vector>

#include "serve/pipeline.h"

namespace coracle::serve {

/// Fields of all of them.
inline constexpr PipelineField kFileField{"file", PipelineField::Type::kText, PipelineField::Use::kNeeded};
inline constexpr PipelineField kFileTypeField{"fileType", PipelineField::Type::kWhole};
inline constexpr PipelineField kOrientationField{"useDocOrientationClassify", PipelineField::Type::kFlag};
inline constexpr PipelineField kUnwarpingField{"useDocUnwarping", PipelineField::Type::kFlag};
inline constexpr PipelineField kLineOrientationField{"useTextlineOrientation", PipelineField::Type::kFlag};
inline constexpr PipelineField kSideField{"textDetLimitSideLen", PipelineField::Type::kWhole};
inline constexpr PipelineField kSideTypeField{"textDetLimitType", PipelineField::Type::kText};
inline constexpr PipelineField kThresholdField{"textDetThresh", PipelineField::Type::kNumber};
inline constexpr PipelineField kBoxThresholdField{"textDetBoxThresh", PipelineField::Type::kNumber};
inline constexpr PipelineField kUnclipField{"textDetUnclipRatio", PipelineField::Type::kNumber};
inline constexpr PipelineField kMinScoreField{"textRecScoreThresh", PipelineField::Type::kNumber};
inline constexpr PipelineField kVisualizeField{"visualize", PipelineField::Type::kFlag};

/// How a page is read for a request: what it asks for, otherwise what the pipeline's file says.
struct PageReading {
  vision::DocumentReading how;
  bool preprocessed = false;  ///< with `how.orientation`, `how.unwarping` or both
  bool visualize = true;
};

vision::DocumentReaderFiles document_files(const PipelineConfig& config);

/// Throws PipelineFailure (422) for what cannot be.
PageReading page_reading(const PipelineRequest& request, const PipelineConfig& config, Cancelled cancelled);
/// Throws PipelineFailure (422) for stages that there are not.
bool stage_wanted(const PipelineRequest& request, const char* field, const PipelineConfig& config, const char* stage);
/// The picture of the field "file", with the memory of what is made of it. Throws PipelineFailure (422) and Failure.
HeldPicture page_picture(const PipelineRequest& request, const PipelineConfig& config, bool visualize);

/// "dataInfo" of the picture.
void write_data_info(internal::JsonWriter& json, const vision::Image& image);
/// A picture in base64, as a JPEG file.
std::string picture_text(const vision::Image& image);
/// "doc_preprocessor_res".
void write_preprocessing(internal::JsonWriter& json, const PageReading& reading, const vision::Document& document);
/// Members of what PaddleX's OCR pipeline finds. Lines below `min_score` are found, but not read.
void write_lines(internal::JsonWriter& json, const std::vector<vision::TextLine>& lines, const PageReading& reading,
                 bool preprocessed, double min_score);
/// The same of what was read of them, without what was asked for.
void write_texts(internal::JsonWriter& json, const std::vector<vision::TextLine>& read);

/// A point or a box as a list.
template <class Numbers>
void write_numbers(internal::JsonWriter& json, const Numbers& numbers) {
  json.StartArray();
  for (const auto number : numbers) json.value(number);
  json.EndArray();
}

}  // namespace coracle::serve
