// SPDX-License-Identifier: Apache-2.0
// Structures of tables: from a model's outputs to tokens of HTML and boxes of cells, and these with their text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coracle/vision/text_reader.h"
#include "vision/answers.h"

namespace coracle::vision {

/// The tokens of a model's classes: the beginning, the dictionary's, the end. Models trained with `merge` have one
/// token for a cell that spans nothing.
std::vector<std::string> table_tokens(std::vector<std::string> dictionary, bool merge);

/// `probabilities`: [1, steps, tokens]; `cells`: [1, steps, 8], corners as fractions, or null where the model gives
/// none. Error if the dimensions are others.
TableStructure table_structure(const Output& probabilities, const Output* cells, const std::vector<std::string>& tokens,
                               const Prepared& prepared, const Description& d);

/// A rectangle on a page.
struct Span {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// The index of the cell to which each line belongs: the one it overlaps most, of those which none overlap the nearest.
std::vector<std::size_t> cells_of_lines(const std::vector<Span>& cells, const std::vector<Span>& lines);

/// The table as HTML; the texts of a cell are separated by a space. `cell_of[i]` is the cell of texts[i].
std::string table_html(const std::vector<std::string>& tokens, const std::vector<std::string>& texts,
                       const std::vector<std::size_t>& cell_of);

/// The tokens as HTML, with `text_of(i)` in cell i.
std::string html_of(const std::vector<std::string>& tokens, const std::function<std::string(std::size_t)>& text_of);

/// Whether a cell ends with this token.
bool ends_cell(const std::string& token);

/// The texts of a cell as HTML, separated by a space.
std::string cell_text(const std::vector<const std::string*>& texts);

/// Text as HTML shows it.
std::string html_text(const std::string& text);

}  // namespace coracle::vision
