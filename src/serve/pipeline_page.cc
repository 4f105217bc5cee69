// SPDX-License-Identifier: Apache-2.0
#include "serve/pipeline_page.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "client/base64.h"

namespace coracle::serve {
namespace {

constexpr double kMostUnclip = 100;
constexpr size_t kUprightPages = 1;
constexpr size_t kDrawnPages = 2;  // a drawing, and the files of pictures

/// Stages of which one is enough for tables.
constexpr std::array kTableStages{"table", "wired", "wireless", "wired-cells", "wireless-cells"};

/// Whether there is a model for a stage; for tables that of any way to read them.
bool has(const PipelineConfig& config, std::string_view stage) {
  if (stage != "table") return !config.model(std::string(stage)).empty();
  return std::any_of(kTableStages.begin(), kTableStages.end(),
                     [&](const char* each) { return !config.model(each).empty(); });
}

double positive(const PipelineRequest& request, const PipelineField& field, double otherwise) {
  const double value = request.number(field.name).value_or(otherwise);
  if (value <= 0) PipelineRequest::refuse(field.name, "greater_than", "Input should be greater than 0");
  return value;
}

vision::TextDetection detection_of(const PipelineRequest& request, const PipelineConfig& config) {
  vision::TextDetection d = config.detection;
  if (const std::string_view type = request.text(kSideTypeField.name); !type.empty()) {
    d.side = side_of(type);
    if (!d.side)
      PipelineRequest::refuse(kSideTypeField.name, "literal_error", "Input should be 'min', 'max' or 'resize_long'");
  }
  d.length = static_cast<int>(positive(request, kSideField, d.length.value_or(0)));
  d.threshold = request.number(kThresholdField.name).value_or(d.threshold.value_or(0));
  d.box_threshold = request.number(kBoxThresholdField.name).value_or(d.box_threshold.value_or(0));
  d.unclip_ratio = positive(request, kUnclipField, d.unclip_ratio.value_or(0));
  if (d.unclip_ratio > kMostUnclip)
    PipelineRequest::refuse(kUnclipField.name, "less_than_equal", "Input should be less than or equal to 100");
  return d;
}

const char* name_of_side(vision::TextDetection::Side side) {
  switch (side) {
    case vision::TextDetection::Side::kShortAtLeast: return "min";
    case vision::TextDetection::Side::kLongAtMost: return "max";
    case vision::TextDetection::Side::kLongIs: break;
  }
  return "resize_long";
}

/// The outline of a bent line, else its corners.
void write_polygon(internal::JsonWriter& json, const vision::TextLine& line) {
  const std::span<const vision::Point> points = line.polygon.empty() ? std::span<const vision::Point>(line.corners)
                                                                     : std::span<const vision::Point>(line.polygon);
  json.StartArray();
  for (const vision::Point& p : points) write_numbers(json, std::array{p.x, p.y});
  json.EndArray();
}

void write_box(internal::JsonWriter& json, const std::array<vision::Point, 4>& corners) {
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  write_numbers(json, std::array{left, top, right, bottom});
}

}  // namespace

vision::DocumentReaderFiles document_files(const PipelineConfig& config) {
  return {.orientation = config.model("orientation"),
          .unwarper = config.model("unwarp"),
          .layout = config.model("layout"),
          .table = config.model("table"),
          .text = {.detector = config.model("det"),
                   .classifier = config.model("cls"),
                   .recognizer = config.model("rec"),
                   .dictionary = config.model("dict")},
          .tables = {.orientation = config.model("table-orientation"),
                     .classifier = config.model("table-cls"),
                     .wired_structure = config.model("wired"),
                     .wired_cells = config.model("wired-cells"),
                     .wireless_structure = config.model("wireless"),
                     .wireless_cells = config.model("wireless-cells")},
          .seals = {.detector = config.model("seal-det"),
                    .recognizer = config.model("seal-rec"),
                    .dictionary = config.model("seal-rec").empty() ? std::string() : config.model("dict")}};
}

bool stage_wanted(const PipelineRequest& request, const char* field, const PipelineConfig& config, const char* stage) {
  const bool there = has(config, stage);
  const bool wanted = request.flag(field).value_or(there);
  if (wanted && !there) {
    PipelineRequest::refuse(field, "unsupported",
                            "the pipeline '" + config.name + "' of this server has no model for it (stage '" + stage +
                                "'); leave the field out, or send false");
  }
  return wanted;
}

PageReading page_reading(const PipelineRequest& request, const PipelineConfig& config, Cancelled cancelled) {
  PageReading reading;
  const std::optional<bool> orientation = request.flag(kOrientationField.name);
  const std::optional<bool> unwarping = request.flag(kUnwarpingField.name);
  reading.how.orientation = stage_wanted(request, kOrientationField.name, config, "orientation");
  reading.how.unwarping = stage_wanted(request, kUnwarpingField.name, config, "unwarp");
  // Who forbids one of them and does not ask for the other has neither, as in PaddleX.
  if ((orientation || unwarping) && !orientation.value_or(false) && !unwarping.value_or(false))
    reading.how.orientation = reading.how.unwarping = false;
  reading.preprocessed = reading.how.orientation || reading.how.unwarping;
  reading.how.layout = has(config, "layout");
  reading.how.tables = has(config, "table");
  reading.how.seals = has(config, "seal-det");
  reading.how.text = {.min_score = request.number(kMinScoreField.name).value_or(config.min_score),
                      .turn_lines = stage_wanted(request, kLineOrientationField.name, config, "cls"),
                      .detection = detection_of(request, config),
                      .cancelled = cancelled};
  reading.visualize = request.flag(kVisualizeField.name).value_or(config.visualize);
  return reading;
}

HeldPicture page_picture(const PipelineRequest& request, const PipelineConfig& config, bool visualize) {
  const std::optional<int> type = request.whole(kFileTypeField.name);
  if (type.has_value() && *type != 0 && *type != 1)
    PipelineRequest::refuse(kFileTypeField.name, "literal_error", "Input should be 0 or 1");
  if (type == 0) {
    throw PipelineFailure(422,
                          "this server does not read PDF files (fileType 0): send their pages as pictures (PNG, JPEG, "
                          "WebP or BMP) with fileType 1, one in each request");
  }
  HeldPicture page = request.picture(kFileField.name, config.limits, kUprightPages + (visualize ? kDrawnPages : 0));
  if (!type.has_value()) throw PipelineFailure(422, "File type cannot be determined: send fileType 1 for a picture");
  return page;
}

void write_data_info(internal::JsonWriter& json, const vision::Image& image) {
  json.Key("dataInfo");
  json.StartObject();
  json.field("width", image.width);
  json.field("height", image.height);
  json.field("type", std::string_view("image"));
  json.EndObject();
}

std::string picture_text(const vision::Image& image) { return client::base64_of(vision::encode_jpeg(image)); }

void write_preprocessing(internal::JsonWriter& json, const PageReading& reading, const vision::Document& document) {
  json.Key("model_settings");
  json.StartObject();
  json.field("use_doc_orientation_classify", reading.how.orientation);
  json.field("use_doc_unwarping", reading.how.unwarping);
  json.EndObject();
  json.field("angle", reading.how.orientation ? document.turned : -1);
}

void write_lines(internal::JsonWriter& json, const std::vector<vision::TextLine>& lines, const PageReading& reading,
                 bool preprocessed, double min_score) {
  const vision::TextReading& how = reading.how.text;
  json.Key("model_settings");
  json.StartObject();
  json.field("use_doc_preprocessor", preprocessed);
  json.field("use_textline_orientation", how.turn_lines);
  json.EndObject();
  json.list("dt_polys", lines, [&](const vision::TextLine& line) { write_polygon(json, line); });
  json.Key("text_det_params");
  json.StartObject();
  json.field("limit_side_len", how.detection.length.value_or(0));
  json.field("limit_type",
             std::string_view(name_of_side(how.detection.side.value_or(vision::TextDetection::Side::kLongAtMost))));
  json.field("thresh", how.detection.threshold.value_or(0));
  json.field("max_side_limit", how.detection.most.value_or(0));
  json.field("box_thresh", how.detection.box_threshold.value_or(0));
  json.field("unclip_ratio", how.detection.unclip_ratio.value_or(0));
  json.EndObject();
  json.field("text_type", std::string_view("general"));
  if (!lines.empty()) {
    json.list("textline_orientation_angles", lines,
              [&](const vision::TextLine& line) { json.Int(!how.turn_lines ? -1 : static_cast<int>(line.turned)); });
  }
  json.field("text_rec_score_thresh", min_score);
  json.field("return_word_box", false);
  const std::vector<vision::TextLine> read = [&] {
    std::vector<vision::TextLine> good;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(good),
                 [&](const vision::TextLine& line) { return line.score >= min_score; });
    return good;
  }();
  write_texts(json, read);
}

void write_texts(internal::JsonWriter& json, const std::vector<vision::TextLine>& read) {
  json.list("rec_texts", read, [&](const vision::TextLine& line) { json.text(line.text); });
  json.list("rec_scores", read, [&](const vision::TextLine& line) { json.number(line.score); });
  json.list("rec_polys", read, [&](const vision::TextLine& line) { write_polygon(json, line); });
  json.list("rec_boxes", read, [&](const vision::TextLine& line) { write_box(json, line.corners); });
}

}  // namespace coracle::serve
