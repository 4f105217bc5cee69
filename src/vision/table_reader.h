// SPDX-License-Identifier: Apache-2.0
// Tables of a page: which way up they are and of which kind, their structure and cells, with the text of the lines.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "coracle/vision/document_reader.h"
#include "vision/line_reader.h"
#include "vision/table_cells.h"

namespace coracle::vision {

/// A page and its lines, and the same of the page turned by quarters, whose lines are read when they are asked for.
class TurnedPages {
 public:
  /// `reader` may be null: turned pages have no lines.
  TurnedPages(const Image& page, const std::vector<TextLine>& lines, LineReader* reader, const TextReading& how)
      : page_(page), lines_(lines), reader_(reader), how_(how) {}

  struct View {
    const Image& page;
    const std::vector<TextLine>& lines;
  };
  /// Turned anticlockwise by 0, 90, 180 or 270 degrees.
  View turned(int degrees);
  /// What reads parts of lines; null where nothing does.
  Recognizer* recognizer() const { return reader_ == nullptr ? nullptr : reader_->recognizer().get(); }
  Cancelled cancelled() const { return how_.cancelled; }

 private:
  struct Turned {
    Image page;
    std::vector<TextLine> lines;
  };
  const Image& page_;
  const std::vector<TextLine>& lines_;
  LineReader* reader_;
  const TextReading& how_;
  std::map<int, Turned> views_;
};

/// Error where the models do not make up a way to read tables.
class TableReader {
 public:
  /// Whether any model for tables is given.
  static bool wanted(const DocumentReaderFiles& files);
  TableReader(const DocumentReaderFiles& files, const ReaderOptions& options);

  /// The table in `area` of the page, which the picture shows. `split`: lines that go through several detected cells
  /// are read in parts.
  Table read(TurnedPages& pages, const Image& picture, const Span& area, bool split);

 private:
  /// The models for tables of a kind.
  struct Models {
    std::optional<Predictor> structure;
    std::optional<Predictor> cells;
  };
  struct Parts;

  Models& models_for(const Image& picture, Cancelled cancelled);
  static Parts end_to_end(Predictor& structure, const Image& picture, const Span& area, const TurnedPages::View& view,
                          Cancelled cancelled);
  static Parts from_cells(Models& models, const Image& picture, const Span& area, const TurnedPages::View& view,
                          TurnedPages& pages, bool split);

  std::string orientation_path_;
  std::string classifier_path_;
  std::optional<Predictor> orientation_;
  std::optional<Predictor> classifier_;
  Models wired_;
  Models wireless_;
};

/// A stage of documents that is one model; nothing where there is none.
std::optional<Predictor> document_stage(const std::string& model, Task task, const ReaderOptions& reader);

/// The degrees of a class named 0, 90, 180 or 270, or without names numbered from 0 to 3.
int degrees_of(const Prediction& answer, const std::string& model);

/// What `area` shows of the page, in whole pixels; empty where that is nothing.
Image part_of(const Image& page, const Span& area);

}  // namespace coracle::vision
