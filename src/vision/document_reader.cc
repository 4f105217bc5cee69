// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/document_reader.h"

#include <algorithm>
#include <optional>

#include "vision/document_blocks.h"
#include "vision/line_reader.h"
#include "vision/table_reader.h"
#include "vision/warp.h"

namespace coracle::vision {
namespace {

/// Where the regions of a kind are: those of the layout, or without one the whole page.
std::vector<Span> areas_of(const std::vector<Object>& regions, bool layout, const Image& page, const char* name,
                           const char* capital_name) {
  if (!layout) return {{0, 0, page.width - 1.0, page.height - 1.0}};
  std::vector<Span> areas;
  for (const Object& region : regions) {
    if (region.name != name && region.name != capital_name) continue;
    areas.push_back({static_cast<double>(region.left), static_cast<double>(region.top),
                     static_cast<double>(region.right), static_cast<double>(region.bottom)});
  }
  return areas;
}

/// What a part of the page reads as one line; nothing where that is less sure than lines must be.
std::optional<std::string> line_of(LineReader& reader, const Image& page, const std::array<int, 4>& area,
                                   const TextReading& how) {
  const Span inside{static_cast<double>(std::clamp(area[0], 0, page.width)),
                    static_cast<double>(std::clamp(area[1], 0, page.height)),
                    static_cast<double>(std::clamp(area[2], 0, page.width)),
                    static_cast<double>(std::clamp(area[3], 0, page.height))};
  if (inside.right <= inside.left || inside.bottom <= inside.top) return std::nullopt;
  Text text = reader.read_line(part_of(page, inside), how.cancelled);
  if (static_cast<double>(text.score) < how.min_score) return std::nullopt;
  return std::move(text.text);
}

/// Lines of a part of the page that begins at x and y.
std::vector<TextLine> on_whole_page(std::vector<TextLine> lines, int x, int y) {
  const auto move = [&](Point& p) { p = {p.x + x, p.y + y}; };
  for (TextLine& line : lines) {
    std::for_each(line.corners.begin(), line.corners.end(), move);
    std::for_each(line.polygon.begin(), line.polygon.end(), move);
  }
  return lines;
}

std::optional<LineReader> seal_reader(const DocumentReaderFiles& files, const ReaderOptions& options,
                                      const std::optional<LineReader>& text) {
  if (files.seals.detector.empty()) {
    if (files.seals.recognizer.empty()) return std::nullopt;
    throw Error(Problem::kUsage, "a recogniser of seals needs a detector of them beside it");
  }
  if (!files.seals.recognizer.empty()) {
    return LineReader(TextReaderFiles{files.seals.detector, {}, files.seals.recognizer, files.seals.dictionary},
                      options);
  }
  return LineReader(files.seals.detector, text ? text->recognizer() : nullptr, options);
}

}  // namespace

struct DocumentReader::State {
  std::string orientation_path;
  std::optional<Predictor> orientation;
  std::optional<Predictor> unwarper;
  std::optional<Predictor> layout;
  std::optional<TableReader> tables;
  std::optional<LineReader> text;
  std::optional<LineReader> seals;
};

DocumentReader::DocumentReader(const DocumentReaderFiles& files, int threads)
    : DocumentReader(files, ReaderOptions{.threads = threads}) {}

DocumentReader::DocumentReader(const DocumentReaderFiles& files, const ReaderOptions& options) : state_(new State) {
  const bool text = !files.text.detector.empty() || !files.text.recognizer.empty();
  const bool tables = TableReader::wanted(files);
  if (!text && !files.text.classifier.empty())
    throw Error(Problem::kUsage, "a classifier of lines needs a detector or a recogniser of text beside it");
  if (!text && files.orientation.empty() && files.unwarper.empty() && files.layout.empty() && !tables &&
      files.seals.detector.empty())
    throw Error(Problem::kUsage, "all stages are left out, there is nothing to do");
  state_->orientation_path = files.orientation;
  state_->orientation = document_stage(files.orientation, Task::kClassification, options);
  state_->unwarper = document_stage(files.unwarper, Task::kUnwarping, options);
  state_->layout = document_stage(files.layout, Task::kObjectDetection, options);
  if (tables) state_->tables.emplace(files, options);
  if (text) state_->text.emplace(files.text, options);
  state_->seals = seal_reader(files, options, state_->text);
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
  if (state_->text && state_->text->recognizer() != nullptr) {
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
    document.turned = degrees_of(state_->orientation->predict(image, cancelled), state_->orientation_path);
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
  const auto picture_of = [&](const Span& area) { return layout ? part_of(page, area) : page; };
  if (state_->tables && how.tables) {
    TurnedPages pages(page, document.lines, state_->text ? &*state_->text : nullptr, how.text);
    for (const Span& area : areas_of(document.regions, layout, page, "table", "Table")) {
      const Image picture = picture_of(area);
      if (!picture.bgr.empty()) document.tables.push_back(state_->tables->read(pages, picture, area, how.split_lines));
    }
  }
  if (state_->seals && how.seals) {
    const TextReading reading{.min_score = how.text.min_score, .cancelled = cancelled};
    for (const Span& area : areas_of(document.regions, layout, page, "seal", "Seal")) {
      const Image picture = picture_of(area);
      Seal& seal = document.seals.emplace_back();
      seal.box = {static_cast<float>(area.left), static_cast<float>(area.top), static_cast<float>(area.right),
                  static_cast<float>(area.bottom)};
      if (picture.bgr.empty()) continue;
      seal.lines =
          on_whole_page(state_->seals->read(picture, reading), static_cast<int>(area.left), static_cast<int>(area.top));
    }
  }
  return document;
}

}  // namespace coracle::vision
