// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "coracle/vision/document_output.h"
#include "serve/pipeline_page.h"

namespace coracle::serve {
namespace {

using Type = PipelineField::Type;
using Use = PipelineField::Use;

constexpr PipelineField kTablesField{"useTableRecognition", Type::kFlag};
constexpr PipelineField kSealsField{"useSealRecognition", Type::kFlag};
constexpr PipelineField kLayoutField{"useLayoutDetection", Type::kFlag};
constexpr PipelineField kIgnoredField{"markdownIgnoreLabels", Type::kTexts};
constexpr PipelineField kPrettyField{"prettifyMarkdown", Type::kFlag};
constexpr PipelineField kPicturesField{"returnMarkdownImages", Type::kFlag};
constexpr double kTouchingPixels = 3;  // that a line and a table share at least, in both directions

/// "layout_det_res".
void write_regions(internal::JsonWriter& json, const vision::Document& document) {
  json.Key("layout_det_res");
  json.StartObject();
  json.objects("boxes", document.regions, [&](const vision::Object& region) {
    json.field("cls_id", region.id);
    json.field("label", region.name);
    json.field("score", region.score);
    json.Key("coordinate");
    write_numbers(json, std::array{region.left, region.top, region.right, region.bottom});
  });
  json.EndObject();
}

bool touches(const vision::TextLine& line, const std::array<float, 4>& box) {
  const auto& c = line.corners;
  const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x, c[3].x});
  const auto [top, bottom] = std::minmax({c[0].y, c[1].y, c[2].y, c[3].y});
  const auto shared = [](double a, double b, double c, double d) { return std::min(b, d) - std::max(a, c); };
  return shared(left, right, static_cast<double>(box[0]), static_cast<double>(box[2])) > kTouchingPixels &&
         shared(top, bottom, static_cast<double>(box[1]), static_cast<double>(box[3])) > kTouchingPixels;
}

/// "table_res_list".
void write_tables(internal::JsonWriter& json, const vision::Document& document) {
  json.objects("table_res_list", document.tables, [&](const vision::Table& table) {
    json.list("cell_box_list", table.cells, [&](const std::array<float, 4>& cell) { write_numbers(json, cell); });
    json.field("pred_html", table.html);
    json.Key("table_ocr_pred");
    json.StartObject();
    std::vector<vision::TextLine> lines;
    std::copy_if(document.lines.begin(), document.lines.end(), std::back_inserter(lines),
                 [&](const vision::TextLine& line) { return touches(line, table.box); });
    write_texts(json, lines);
    json.EndObject();
  });
}

/// "seal_res_list".
void write_seals(internal::JsonWriter& json, const vision::Document& document) {
  int number = 0;
  json.objects("seal_res_list", document.seals, [&](const vision::Seal& seal) {
    json.field("text_type", std::string_view("seal"));
    write_texts(json, seal.lines);
    json.field("seal_region_id", ++number);
  });
}

/// Refuses a field that asks for another way than that of the models that the pipeline has.
void require_as_given(const PipelineRequest& request, const char* field, bool given) {
  if (request.flag(field).value_or(given) == given) return;
  PipelineRequest::refuse(field, "unsupported",
                          std::string("the models of this server's pipeline are for ") + (given ? "true" : "false") +
                              "; leave the field out, or send that");
}

/// "overall_ocr_res".
void write_page(internal::JsonWriter& json, const PageReading& reading, const vision::Document& document) {
  json.Key("overall_ocr_res");
  json.StartObject();
  write_lines(json, document.lines, reading, false, reading.how.text.min_score);
  json.EndObject();
}

/// "doc_preprocessor_res", where there is such.
void write_preprocessed(internal::JsonWriter& json, const PageReading& reading, const vision::Document& document) {
  if (!reading.preprocessed) return;
  json.Key("doc_preprocessor_res");
  json.StartObject();
  write_preprocessing(json, reading, document);
  json.EndObject();
}

/// "outputImages" and "inputImage".
void write_pictures(internal::JsonWriter& json, const PageReading& reading, const vision::Document& document,
                    const vision::Image& image) {
  if (!reading.visualize) return;
  vision::Prediction regions;
  regions.task = vision::Task::kObjectDetection;
  regions.objects = document.regions;
  vision::Prediction cells;
  cells.task = vision::Task::kObjectDetection;
  for (const vision::Table& table : document.tables) {
    for (const auto& [left, top, right, bottom] : table.cells)
      cells.objects.push_back(
          {.id = 0, .name = "cell", .score = 1, .left = left, .top = top, .right = right, .bottom = bottom});
  }
  json.Key("outputImages");
  json.StartObject();
  if (reading.preprocessed) json.field("preprocessed_img", picture_text(document.page));
  if (reading.how.layout) json.field("layout_det_res", picture_text(vision::draw(document.page, regions)));
  json.field("overall_ocr_res", picture_text(vision::draw(document.page, document.lines)));
  if (!document.tables.empty()) json.field("table_cell_img", picture_text(vision::draw(document.page, cells)));
  json.EndObject();
  json.field("inputImage", picture_text(image));
}

/// POST /table-recognition: the tables of a page.
class TableRecognition : public Pipeline {
 public:
  TableRecognition(const PipelineConfig& config, const vision::OpenModel& open)
      : config_(config), reader_(document_files(config), vision::ReaderOptions{.open = open}) {}

  std::span<const PipelineField> fields() const override {
    static constexpr std::array kFields{
        kFileField,
        kFileTypeField,
        kOrientationField,
        kUnwarpingField,
        kLayoutField,
        PipelineField{"useOcrModel", Type::kFlag, Use::kOnlyTrue},
        kSideField,
        kSideTypeField,
        kThresholdField,
        kBoxThresholdField,
        kUnclipField,
        kMinScoreField,
        PipelineField{"useOcrResultsWithTableCells", Type::kFlag, Use::kOnlyFalse},
        kVisualizeField,
    };
    return kFields;
  }

  void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& json) override {
    PageReading reading = page_reading(request, config_, cancelled);
    reading.how.layout = stage_wanted(request, kLayoutField.name, config_, "layout");
    const HeldPicture held = page_picture(request, config_, reading.visualize);
    const vision::Image& image = held.image;
    const vision::Document document = reader_.read(image, reading.how);

    json.Key("tableRecResults");
    json.StartArray();
    json.StartObject();
    json.Key("prunedResult");
    json.StartObject();
    json.Key("model_settings");
    json.StartObject();
    json.field("use_doc_preprocessor", reading.preprocessed);
    json.field("use_layout_detection", reading.how.layout);
    json.field("use_ocr_model", !config_.model("det").empty());
    json.EndObject();
    write_preprocessed(json, reading, document);
    if (reading.how.layout) write_regions(json, document);
    write_page(json, reading, document);
    write_tables(json, document);
    json.EndObject();
    write_pictures(json, reading, document, image);
    json.EndObject();
    json.EndArray();
    write_data_info(json, image);
  }

 private:
  const PipelineConfig config_;
  vision::DocumentReader reader_;
};

/// POST /layout-parsing: all of a page, and the page as Markdown.
class LayoutParsing : public Pipeline {
 public:
  LayoutParsing(const PipelineConfig& config, const vision::OpenModel& open)
      : config_(config), reader_(document_files(config), vision::ReaderOptions{.open = open}) {}

  std::span<const PipelineField> fields() const override {
    static constexpr std::array kFields{
        kFileField,
        kFileTypeField,
        kOrientationField,
        kUnwarpingField,
        kLineOrientationField,
        kTablesField,
        kSealsField,
        PipelineField{"useFormulaRecognition", Type::kFlag, Use::kOnlyFalse},
        PipelineField{"useChartRecognition", Type::kFlag, Use::kOnlyFalse},
        PipelineField{"useRegionDetection", Type::kFlag, Use::kOnlyFalse},
        PipelineField{"formatBlockContent", Type::kFlag, Use::kOnlyFalse},
        PipelineField{"layoutThreshold", Type::kAny, Use::kRefused},
        PipelineField{"layoutNms", Type::kAny, Use::kRefused},
        PipelineField{"layoutUnclipRatio", Type::kAny, Use::kRefused},
        PipelineField{"layoutMergeBboxesMode", Type::kAny, Use::kRefused},
        kSideField,
        kSideTypeField,
        kThresholdField,
        kBoxThresholdField,
        kUnclipField,
        kMinScoreField,
        PipelineField{"useWiredTableCellsTransToHtml", Type::kFlag},
        PipelineField{"useWirelessTableCellsTransToHtml", Type::kFlag},
        PipelineField{"useTableOrientationClassify", Type::kFlag},
        PipelineField{"useOcrResultsWithTableCells", Type::kFlag},
        PipelineField{"useE2eWiredTableRecModel", Type::kFlag},
        PipelineField{"useE2eWirelessTableRecModel", Type::kFlag},
        kIgnoredField,
        kPrettyField,
        PipelineField{"showFormulaNumber", Type::kFlag, Use::kOnlyFalse},
        kPicturesField,
        PipelineField{"outputFormats", Type::kAny, Use::kRefused},
        kVisualizeField,
        PipelineField{"logId", Type::kText},
    };
    return kFields;
  }

  void answer(const PipelineRequest& request, Cancelled cancelled, internal::JsonWriter& json) override {
    PageReading reading = page_reading(request, config_, cancelled);
    reading.how.tables = stage_wanted(request, kTablesField.name, config_, "table");
    reading.how.seals = stage_wanted(request, kSealsField.name, config_, "seal-det");
    reading.how.split_lines = splits_lines(request);
    const vision::MarkdownOptions markdown = markdown_options(request);
    const HeldPicture held = page_picture(request, config_, reading.visualize);
    const vision::Image& image = held.image;
    const vision::Document document = reader_.read(image, reading.how);

    json.Key("layoutParsingResults");
    json.StartArray();
    json.StartObject();
    json.Key("prunedResult");
    json.StartObject();
    json.field("width", document.page.width);
    json.field("height", document.page.height);
    json.Key("model_settings");
    json.StartObject();
    json.field("use_doc_preprocessor", reading.preprocessed);
    json.field("use_table_recognition", reading.how.tables);
    json.field("use_seal_recognition", reading.how.seals);
    for (const char* never :
         {"use_formula_recognition", "use_chart_recognition", "use_region_detection", "format_block_content"})
      json.field(never, false);
    json.list("markdown_ignore_labels", markdown.left_out, [&](const std::string& label) { json.text(label); });
    json.EndObject();
    write_blocks(json, document.blocks);
    write_preprocessed(json, reading, document);
    write_regions(json, document);
    write_page(json, reading, document);
    if (!document.tables.empty()) write_tables(json, document);
    if (!document.seals.empty()) write_seals(json, document);
    json.EndObject();
    write_markdown(json, vision::to_markdown(document, markdown), request.flag(kPicturesField.name).value_or(true));
    write_pictures(json, reading, document, image);
    json.EndObject();
    json.EndArray();
    write_data_info(json, image);
  }

 private:
  /// Refuses another way to read tables than the one of its models.
  bool splits_lines(const PipelineRequest& request) const {
    const auto given = [&](const char* stage) { return !config_.model(stage).empty(); };
    require_as_given(request, "useTableOrientationClassify", given("table-orientation"));
    require_as_given(request, "useE2eWiredTableRecModel", !given("wired-cells"));
    require_as_given(request, "useE2eWirelessTableRecModel", !given("wireless-cells"));
    require_as_given(request, "useWiredTableCellsTransToHtml", given("wired-cells") && !given("wired"));
    require_as_given(request, "useWirelessTableCellsTransToHtml", given("wireless-cells") && !given("wireless"));
    constexpr const char* kSplit = "useOcrResultsWithTableCells";
    const bool cells = given("wired-cells") || given("wireless-cells");
    if (!cells) require_as_given(request, kSplit, false);
    return request.flag(kSplit).value_or(cells);
  }

  static vision::MarkdownOptions markdown_options(const PipelineRequest& request) {
    vision::MarkdownOptions options;
    options.pretty = request.flag(kPrettyField.name).value_or(true);
    const internal::JsonValue* const labels = request.find(kIgnoredField.name);
    if (labels == nullptr) return options;
    options.left_out.clear();
    for (const internal::JsonValue& label : labels->GetArray())
      options.left_out.emplace_back(label.GetString(), label.GetStringLength());
    return options;
  }

  static void write_blocks(internal::JsonWriter& json, const std::vector<vision::Block>& blocks) {
    int number = 0;
    json.objects("parsing_res_list", blocks, [&](const vision::Block& block) {
      json.field("block_label", block.label);
      json.field("block_content", block.text);
      json.Key("block_bbox");
      write_numbers(json, block.box);
      json.field("block_id", number++);
      json.Key("block_order");
      block.order ? json.Int(*block.order) : json.Null();
    });
  }

  static void write_markdown(internal::JsonWriter& json, const vision::Markdown& page, bool pictures) {
    json.Key("markdown");
    json.StartObject();
    json.field("text", page.text);
    json.field("isStart", page.begins_paragraph);
    json.field("isEnd", page.ends_paragraph);
    if (pictures) {
      json.Key("images");
      json.StartObject();
      for (const vision::MarkdownPicture& picture : page.pictures) {
        if (!picture.image.bgr.empty()) json.field(picture.path, picture_text(picture.image));
      }
      json.EndObject();
    }
    json.EndObject();
  }

  const PipelineConfig config_;
  vision::DocumentReader reader_;
};

}  // namespace

std::unique_ptr<Pipeline> open_table_recognition(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<TableRecognition>(config, open);
}
std::unique_ptr<Pipeline> open_layout_parsing(const PipelineConfig& config, const vision::OpenModel& open) {
  return std::make_unique<LayoutParsing>(config, open);
}

}  // namespace coracle::serve
