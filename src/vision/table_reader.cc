// SPDX-License-Identifier: Apache-2.0
#include "vision/table_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "vision/warp.h"

namespace coracle::vision {
namespace {

constexpr double kTouches = 3;      // Pixels in both directions that a line and a table share at least.
constexpr float kCellScore = 0.3F;  // Least score of a detected cell.

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

bool within(const Span& inner, const Span& outer) {
  return inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right &&
         inner.bottom <= outer.bottom;
}

Span moved(const Span& s, double x, double y) { return {s.left + x, s.top + y, s.right + x, s.bottom + y}; }

Span on_page(const Span& s, const Image& page) {
  const double width = page.width;
  const double height = page.height;
  return {std::clamp(s.left, 0.0, width), std::clamp(s.top, 0.0, height), std::clamp(s.right, 0.0, width),
          std::clamp(s.bottom, 0.0, height)};
}

/// Where a part of a page of `width` x `height` is when the page is turned anticlockwise.
Span turned_span(const Span& s, int degrees, double width, double height) {
  switch (degrees) {
    case 90: return {s.top, width - s.right, s.bottom, width - s.left};
    case 180: return {width - s.right, height - s.bottom, width - s.left, height - s.top};
    case 270: return {height - s.bottom, s.left, height - s.top, s.right};
    default: return s;
  }
}

PlacedTexts lines_in(const Span& area, const std::vector<TextLine>& lines) {
  PlacedTexts found;
  for (const TextLine& line : lines) {
    const Span span = span_of(line.corners);
    if (!touch(span, area)) continue;
    found.spans.push_back(span);
    found.texts.push_back(line.text);
  }
  return found;
}

std::vector<FoundCell> found_cells(const std::vector<Object>& objects) {
  std::vector<FoundCell> cells;
  for (const Object& o : objects) {
    if (!std::isfinite(o.left) || !std::isfinite(o.top) || !std::isfinite(o.right) || !std::isfinite(o.bottom))
      continue;
    cells.push_back({{static_cast<double>(o.left), static_cast<double>(o.top), static_cast<double>(o.right),
                      static_cast<double>(o.bottom)},
                     o.score});
  }
  return cells;
}

float mean_score(const std::vector<FoundCell>& cells) {
  double sum = 0;
  for (const FoundCell& cell : cells) sum += static_cast<double>(cell.score);
  return cells.empty() ? 0 : static_cast<float>(sum / static_cast<double>(cells.size()));
}

std::string class_of(const Prediction& answer, const std::string& model) {
  if (answer.labels.empty()) throw Error(Problem::kUsage, model + ": tells no class");
  return answer.labels.front().name;
}

}  // namespace

std::optional<Predictor> document_stage(const std::string& model, Task task, const ReaderOptions& reader) {
  if (model.empty()) return std::nullopt;
  PredictorOptions options;
  options.task = task;
  options.threads = reader.threads;
  options.open = reader.open;
  if (task == Task::kClassification) options.topk = 1;
  return Predictor(model, options);
}

int degrees_of(const Prediction& answer, const std::string& model) {
  const std::string name = class_of(answer, model);
  int degrees = -1;
  std::from_chars(name.data(), name.data() + name.size(), degrees);
  if (degrees > 0 && degrees < 4) degrees *= 90;
  if (degrees < 0 || degrees > 270 || degrees % 90 != 0) {
    throw Error(Problem::kUsage, model +
                                     ": a model for the orientation of documents has the classes 0, 90, 180 and "
                                     "270, this one has '" +
                                     name + "'");
  }
  return degrees;
}

Image part_of(const Image& page, const Span& area) {
  const int left = std::max(static_cast<int>(area.left), 0);
  const int top = std::max(static_cast<int>(area.top), 0);
  const int width = std::min(static_cast<int>(area.right), page.width) - left;
  const int height = std::min(static_cast<int>(area.bottom), page.height) - top;
  if (width < 1 || height < 1) return {};
  Image part(width, height);
  for (int y = 0; y < height; ++y) std::copy_n(page.row(top + y) + 3 * left, 3 * width, part.row(y));
  return part;
}

TurnedPages::View TurnedPages::turned(int degrees) {
  if (degrees == 0) return {page_, lines_};
  auto at = views_.find(degrees);
  if (at == views_.end()) {
    Turned made{turned_exactly(page_, degrees), {}};
    if (reader_ != nullptr) made.lines = reader_->read(made.page, how_);
    at = views_.emplace(degrees, std::move(made)).first;
  }
  return {at->second.page, at->second.lines};
}

struct TableReader::Parts {
  std::vector<Span> cells;
  std::string html;
  float score = 0;
};

bool TableReader::wanted(const DocumentReaderFiles& files) {
  const TableFiles& t = files.tables;
  for (const std::string* file : {&files.table, &t.orientation, &t.classifier, &t.wired_structure, &t.wired_cells,
                                  &t.wireless_structure, &t.wireless_cells}) {
    if (!file->empty()) return true;
  }
  return false;
}

TableReader::TableReader(const DocumentReaderFiles& files, const ReaderOptions& options)
    : orientation_path_(files.tables.orientation), classifier_path_(files.tables.classifier) {
  const TableFiles& t = files.tables;
  const bool wired = !t.wired_structure.empty() || !t.wired_cells.empty();
  const bool wireless = !t.wireless_structure.empty() || !t.wireless_cells.empty();
  if (!files.table.empty() && (wired || wireless || !t.classifier.empty()))
    throw Error(Problem::kUsage,
                "a model for all tables leaves nothing to models for wired or wireless ones: give either");
  if (files.table.empty() && !wired && !wireless)
    throw Error(Problem::kUsage, "tables need a model for their structure or for their cells");
  if (wired && wireless && t.classifier.empty())
    throw Error(Problem::kUsage, "models for wired and for wireless tables need a classifier that tells both apart");
  if (!t.classifier.empty() && !(wired && wireless))
    throw Error(Problem::kUsage, "a classifier of tables needs models for wired and for wireless ones");
  orientation_ = document_stage(t.orientation, Task::kClassification, options);
  classifier_ = document_stage(t.classifier, Task::kClassification, options);
  const auto load = [&](Models& models, const std::string& structure, const std::string& cells) {
    models.structure = document_stage(structure, Task::kTableStructure, options);
    models.cells = document_stage(cells, Task::kObjectDetection, options);
  };
  load(wired_, files.table.empty() ? t.wired_structure : files.table, t.wired_cells);
  load(wireless_, t.wireless_structure, t.wireless_cells);
}

TableReader::Models& TableReader::models_for(const Image& picture, Cancelled cancelled) {
  if (!classifier_) return wired_.structure || wired_.cells ? wired_ : wireless_;
  const std::string kind = class_of(classifier_->predict(picture, cancelled), classifier_path_);
  if (kind == "wired_table") return wired_;
  if (kind == "wireless_table") return wireless_;
  throw Error(Problem::kUsage, classifier_path_ +
                                   ": a classifier of tables has the classes wired_table and wireless_table, this one "
                                   "has '" +
                                   kind + "'");
}

TableReader::Parts TableReader::end_to_end(Predictor& structure, const Image& picture, const Span& area,
                                           const TurnedPages::View& view, Cancelled cancelled) {
  const TableStructure found = structure.predict(picture, cancelled).table;
  Parts parts;
  parts.score = found.score;
  for (const std::array<Point, 4>& corners : found.cells)
    parts.cells.push_back(on_page(moved(span_of(corners), area.left, area.top), view.page));
  const PlacedTexts lines = parts.cells.empty() ? PlacedTexts() : lines_in(area, view.lines);
  parts.html = table_html(found.tokens, lines.texts, cells_of_lines(parts.cells, lines.spans));
  return parts;
}

TableReader::Parts TableReader::from_cells(Models& models, const Image& picture, const Span& area,
                                           const TurnedPages::View& view, TurnedPages& pages, bool split) {
  const PredictionChoice choice{.threshold = kCellScore, .cancelled = pages.cancelled()};
  const std::vector<FoundCell> found = without_overlaps(found_cells(models.cells->predict(picture, choice).objects));
  std::vector<Span> cells;  // In the table's picture.
  std::vector<std::string> tokens;
  Parts parts;
  if (models.structure) {
    TableStructure structure = models.structure->predict(picture, pages.cancelled()).table;
    std::vector<Span> inside;
    for (const TextLine& line : view.lines) {
      const Span span = span_of(line.corners);
      if (within(span, area)) inside.push_back(moved(span, -area.left, -area.top));
    }
    cells = fitted_cells(found, inside, structure.cells.size());
    tokens = std::move(structure.tokens);
    parts.score = structure.score;
  } else {
    for (const FoundCell& cell : found) cells.push_back(cell.span);
    tokens = tokens_of_cells(cells);
    parts.score = mean_score(found);
  }
  for (Span& cell : cells) cell = moved(cell, area.left, area.top);
  PlacedTexts lines = lines_in(area, view.lines);
  if (split && pages.recognizer() != nullptr) {
    lines = split_at_cells(lines, cells, [&](const Span& part) -> std::string {
      const Image piece = part_of(view.page, part);
      if (piece.bgr.empty()) return {};
      return pages.recognizer()->read({piece}, pages.cancelled()).front().text;
    });
  }
  for (Span& cell : cells) cell = on_page(cell, view.page);
  CellRows rows = cell_rows(std::move(cells));
  parts.html = table_html(tokens, rows, lines);
  parts.cells = std::move(rows.cells);
  return parts;
}

Table TableReader::read(TurnedPages& pages, const Image& shown, const Span& area, bool split) {
  const int degrees = orientation_ ? degrees_of(orientation_->predict(shown, pages.cancelled()), orientation_path_) : 0;
  const Image picture = turned_exactly(shown, degrees);
  const Image& page = pages.turned(0).page;
  const TurnedPages::View view = pages.turned(degrees);
  const Span turned_area = turned_span(area, degrees, page.width, page.height);
  Models& models = models_for(picture, pages.cancelled());
  const Parts parts = models.cells ? from_cells(models, picture, turned_area, view, pages, split)
                                   : end_to_end(*models.structure, picture, turned_area, view, pages.cancelled());
  Table table;
  table.box = sides_of_span(area);
  table.score = parts.score;
  table.html = parts.html;
  for (const Span& cell : parts.cells)
    table.cells.push_back(sides_of_span(turned_span(cell, (360 - degrees) % 360, view.page.width, view.page.height)));
  return table;
}

}  // namespace coracle::vision
