// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/document_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "vision/document_blocks.h"
#include "vision/table_structure.h"
#include "vision/warp.h"

namespace coracle::vision {
namespace {

constexpr double kTouches = 3;  // Pixels in both directions that a line and a table share at least.

std::optional<Predictor> stage(const std::string& model, Task task, const ReaderOptions& reader) {
  if (model.empty()) return std::nullopt;
  PredictorOptions options;
  options.task = task;
  options.threads = reader.threads;
  options.open = reader.open;
  if (task == Task::kClassification) options.topk = 1;
  return Predictor(model, options);
}

/// The degrees of a class named 0, 90, 180 or 270, or without names numbered from 0 to 3.
int degrees_of(const Label& label, const std::string& model) {
  int degrees = -1;
  std::from_chars(label.name.data(), label.name.data() + label.name.size(), degrees);
  if (degrees > 0 && degrees < 4) degrees *= 90;
  if (degrees < 0 || degrees > 270 || degrees % 90 != 0) {
    throw Error(Problem::kUsage, model +
                                     ": a model for the orientation of documents has the classes 0, 90, 180 and "
                                     "270, this one has '" +
                                     label.name + "'");
  }
  return degrees;
}

Span span_of(const std::array<Point, 4>& corners) {
  const auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  const auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  return {static_cast<double>(left), static_cast<double>(top), static_cast<double>(right), static_cast<double>(bottom)};
}

std::array<float, 4> sides_of_span(const Span& s) {
  return {static_cast<float>(s.left), static_cast<float>(s.top), static_cast<float>(s.right),
          static_cast<float>(s.bottom)};
}

bool touch(const Span& a, const Span& b) {
  return std::min(a.right, b.right) - std::max(a.left, b.left) > kTouches &&
         std::min(a.bottom, b.bottom) - std::max(a.top, b.top) > kTouches;
}

Image part(const Image& page, const Span& area) {
  const int left = static_cast<int>(area.left);
  const int top = static_cast<int>(area.top);
  Image result(std::min(static_cast<int>(area.right), page.width) - left,
               std::min(static_cast<int>(area.bottom), page.height) - top);
  for (int y = 0; y < result.height; ++y) std::copy_n(page.row(top + y) + 3 * left, 3 * result.width, result.row(y));
  return result;
}

/// What a part of the page reads as one line; nothing where that is less sure than lines must be.
std::optional<std::string> line_of(TextReader& reader, const Image& page, const std::array<int, 4>& area,
                                   const TextReading& how) {
  const Span inside{static_cast<double>(std::clamp(area[0], 0, page.width)),
                    static_cast<double>(std::clamp(area[1], 0, page.height)),
                    static_cast<double>(std::clamp(area[2], 0, page.width)),
                    static_cast<double>(std::clamp(area[3], 0, page.height))};
  if (inside.right <= inside.left || inside.bottom <= inside.top) return std::nullopt;
  Text text = reader.read_line(part(page, inside), how.cancelled);
  if (static_cast<double>(text.score) < how.min_score) return std::nullopt;
  return std::move(text.text);
}

/// The table in `area`, whose structure is that of the area's picture, with the text of the lines there.
Table with_text(const TableStructure& structure, const Span& area, const Image& page,
                const std::vector<TextLine>& lines) {
  Table table;
  table.box = sides_of_span(area);
  table.score = structure.score;
  std::vector<Span> cells;
  for (const std::array<Point, 4>& corners : structure.cells) {
    Span cell = span_of(corners);
    cell.left = std::clamp(cell.left + area.left, 0.0, static_cast<double>(page.width));
    cell.right = std::clamp(cell.right + area.left, 0.0, static_cast<double>(page.width));
    cell.top = std::clamp(cell.top + area.top, 0.0, static_cast<double>(page.height));
    cell.bottom = std::clamp(cell.bottom + area.top, 0.0, static_cast<double>(page.height));
    cells.push_back(cell);
    table.cells.push_back(sides_of_span(cell));
  }
  std::vector<Span> spans;
  std::vector<std::string> texts;
  for (const TextLine& line : lines) {
    const Span span = span_of(line.corners);
    if (cells.empty() || !touch(span, area)) continue;
    spans.push_back(span);
    texts.push_back(line.text);
  }
  table.html = table_html(structure.tokens, texts, cells_of_lines(cells, spans));
  return table;
}

}  // namespace

struct DocumentReader::State {
  std::string orientation_path;
  std::optional<Predictor> orientation;
  std::optional<Predictor> unwarper;
  std::optional<Predictor> layout;
  std::optional<Predictor> table;
  std::optional<TextReader> text;
};

DocumentReader::DocumentReader(const DocumentReaderFiles& files, int threads)
    : DocumentReader(files, ReaderOptions{.threads = threads}) {}

DocumentReader::DocumentReader(const DocumentReaderFiles& files, const ReaderOptions& options) : state_(new State) {
  const bool text = !files.text.detector.empty() || !files.text.recognizer.empty();
  if (!text && !files.text.classifier.empty())
    throw Error(Problem::kUsage, "a classifier of lines needs a detector or a recogniser of text beside it");
  if (!text && files.orientation.empty() && files.unwarper.empty() && files.layout.empty() && files.table.empty())
    throw Error(Problem::kUsage, "all stages are left out, there is nothing to do");
  state_->orientation_path = files.orientation;
  state_->orientation = stage(files.orientation, Task::kClassification, options);
  state_->unwarper = stage(files.unwarper, Task::kUnwarping, options);
  state_->layout = stage(files.layout, Task::kObjectDetection, options);
  state_->table = stage(files.table, Task::kTableStructure, options);
  if (text) state_->text.emplace(files.text, options);
}
DocumentReader::DocumentReader(DocumentReader&&) noexcept = default;
DocumentReader& DocumentReader::operator=(DocumentReader&&) noexcept = default;
DocumentReader::~DocumentReader() = default;

Document DocumentReader::read(const Image& image, double min_score) { return read(image, min_score, nullptr); }

Document DocumentReader::read(const Image& image, double min_score, const std::atomic<std::uint32_t>* cancelled) {
  return read(image, DocumentReading{.text = {.min_score = min_score, .cancelled = cancelled}});
}

Document DocumentReader::read(const Image& image, const DocumentReading& how) {
  bool ordered = false;
  Document document = read_stages(image, how, ordered);
  ReadPart read_part;
  if (state_->text && state_->text->recognizes()) {
    read_part = [&](const std::array<int, 4>& area) { return line_of(*state_->text, document.page, area, how.text); };
  }
  set_blocks(document, ordered, read_part);
  return document;
}

Document DocumentReader::read_stages(const Image& image, const DocumentReading& how, bool& ordered) {
  const std::atomic<std::uint32_t>* const cancelled = how.text.cancelled;
  Document document;
  document.page = image;
  if (state_->orientation && how.orientation) {
    const Prediction answer = state_->orientation->predict(image, cancelled);
    if (answer.labels.empty()) throw Error(Problem::kUsage, state_->orientation_path + ": tells no class");
    document.turned = degrees_of(answer.labels.front(), state_->orientation_path);
    document.page = turned(image, document.turned);
  }
  if (state_->unwarper && how.unwarping)
    document.page = std::move(state_->unwarper->predict(document.page, cancelled).page);
  const Image& page = document.page;
  const bool layout = state_->layout && how.layout;
  if (layout) {
    Prediction answer = state_->layout->predict(page, cancelled);
    document.regions = std::move(answer.objects);
    ordered = answer.ordered;
  }
  if (state_->text) document.lines = state_->text->read(page, how.text);
  if (!state_->table || !how.tables) return document;
  if (!layout) {
    const Span all{0, 0, page.width - 1.0, page.height - 1.0};
    document.tables.push_back(with_text(state_->table->predict(page, cancelled).table, all, page, document.lines));
  }
  for (const Object& region : document.regions) {
    if (region.name != "table" && region.name != "Table") continue;
    const Span area{static_cast<double>(region.left), static_cast<double>(region.top),
                    static_cast<double>(region.right), static_cast<double>(region.bottom)};
    const Image picture = part(page, area);
    if (picture.width < 1 || picture.height < 1) continue;
    document.tables.push_back(with_text(state_->table->predict(picture, cancelled).table, area, page, document.lines));
  }
  return document;
}

}  // namespace coracle::vision
