// SPDX-License-Identifier: Apache-2.0
// Cells of tables that a detector found: which of them count, how they and lines of text fit each other, and the table
// as HTML with the lines in their cells. The rules are those of PaddleX's table_recognition_v2 where nothing else is
// said; coordinates are those of the page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vision/table_structure.h"

namespace coracle::vision {

struct FoundCell {
  Span span;
  float score = 0;
};

/// The best first, without those that overlap a better one by more than 0.3 of what both cover; a thousand at most.
std::vector<FoundCell> without_overlaps(std::vector<FoundCell> cells);

/// About as many cells as the structure has, `wanted`: the best of more; of fewer also those that lines outside all
/// cells make. If then there are not even 0.6 of those wanted, the lines are the cells. `cells`: the best first.
std::vector<Span> fitted_cells(const std::vector<FoundCell>& cells, const std::vector<Span>& lines, std::size_t wanted);

/// Lines with their texts.
struct PlacedTexts {
  std::vector<Span> spans;
  std::vector<std::string> texts;
};

/// A line that covers more than half of each of several cells is cut at their sides, and `read` tells the text of each
/// part of whole pixels, two at least in both directions; smaller parts have none.
PlacedTexts split_at_cells(const PlacedTexts& lines, const std::vector<Span>& cells,
                           const std::function<std::string(const Span& part)>& read);

/// The tokens of a table whose columns and rows are told by where cells begin and end.
std::vector<std::string> tokens_of_cells(const std::vector<Span>& cells);

/// Cells row by row, each row from the left: those whose tops are within 10 pixels of that of a row's first cell.
struct CellRows {
  std::vector<Span> cells;
  std::vector<std::size_t> ends;  ///< of each row, as the number of cells up to there
};
CellRows cell_rows(std::vector<Span> cells);

/// The table as HTML. A line belongs to the cells that have more than 0.7 of it; a row of the structure takes the texts
/// of the found row that begins with the same cell, counted from the first one.
std::string table_html(const std::vector<std::string>& tokens, const CellRows& rows, const PlacedTexts& lines);

}  // namespace coracle::vision
