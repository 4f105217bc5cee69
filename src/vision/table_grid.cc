// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "vision/table_cells.h"

namespace coracle::vision {
namespace {

constexpr double kSameEdge = 5;
constexpr std::size_t kNoCell = static_cast<std::size_t>(-1);

/// The edges of a table's rows or columns: means of those that follow each other closely.
std::vector<double> edges_of(std::vector<double> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<double> edges;
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    sum += places[i];
    count += 1;
    if (i + 1 < places.size() && places[i + 1] - places[i] <= kSameEdge) continue;
    edges.push_back(sum / count);
    sum = 0;
    count = 0;
  }
  return edges;
}

std::size_t nearest_edge(const std::vector<double>& edges, double place) {
  const auto nearer = [&](double a, double b) { return std::abs(a - place) < std::abs(b - place); };
  return static_cast<std::size_t>(std::min_element(edges.begin(), edges.end(), nearer) - edges.begin());
}

/// The rows or columns that a cell takes.
struct Extent {
  std::size_t begin;
  std::size_t count;
};
Extent extent(const std::vector<double>& edges, double from, double to) {
  const std::size_t first = nearest_edge(edges, from);
  const std::size_t second = nearest_edge(edges, to);
  return {std::min(first, second), std::max<std::size_t>(std::max(first, second) - std::min(first, second), 1)};
}

struct GridCell {
  Extent rows;
  Extent columns;
};

/// Which cell has each place of a grid: the first that takes it.
class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), owner_(rows * columns, kNoCell) {
    free_.resize(rows * (columns + 1));
    for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = i % (columns + 1);
  }

  std::size_t owner(std::size_t row, std::size_t column) const { return owner_[row * columns_ + column]; }

  void take(const GridCell& cell, std::size_t index) {
    const std::size_t end = std::min(cell.columns.begin + cell.columns.count, columns_);
    for (std::size_t r = cell.rows.begin; r < std::min(cell.rows.begin + cell.rows.count, rows_); ++r) {
      for (std::size_t c = next_free(r, cell.columns.begin); c < end; c = next_free(r, c)) {
        owner_[r * columns_ + c] = index;
        free_[r * (columns_ + 1) + c] = c + 1;
      }
    }
  }

 private:
  /// The first column from here on that no cell has.
  std::size_t next_free(std::size_t row, std::size_t column) {
    std::size_t* const next = free_.data() + row * (columns_ + 1);
    std::size_t end = std::min(column, columns_);
    while (next[end] != end) end = next[end];
    for (std::size_t c = std::min(column, columns_); c != end;) c = std::exchange(next[c], end);
    return end;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::size_t> owner_;
  std::vector<std::size_t> free_;  ///< for each column of a row one that is not before the next free one
};

void add_cell(const GridCell& cell, std::vector<std::string>& tokens) {
  if (cell.rows.count <= 1 && cell.columns.count <= 1) {
    tokens.emplace_back("<td>");
  } else {
    tokens.emplace_back("<td");
    if (cell.rows.count > 1) tokens.push_back(" rowspan=\"" + std::to_string(cell.rows.count) + "\"");
    if (cell.columns.count > 1) tokens.push_back(" colspan=\"" + std::to_string(cell.columns.count) + "\"");
    tokens.emplace_back(">");
  }
  tokens.emplace_back("</td>");
}

}  // namespace

std::vector<std::string> tokens_of_cells(const std::vector<Span>& cells) {
  std::vector<double> across;
  std::vector<double> down;
  for (const Span& cell : cells) {
    across.insert(across.end(), {cell.left, cell.right});
    down.insert(down.end(), {cell.top, cell.bottom});
  }
  const std::vector<double> lefts = edges_of(std::move(across));
  const std::vector<double> tops = edges_of(std::move(down));
  const std::size_t columns = lefts.empty() ? 0 : lefts.size() - 1;
  const std::size_t rows = tops.empty() ? 0 : tops.size() - 1;
  Grid grid(rows, columns);
  std::vector<GridCell> placed;
  for (const Span& cell : cells) {
    placed.push_back({extent(tops, cell.top, cell.bottom), extent(lefts, cell.left, cell.right)});
    grid.take(placed.back(), placed.size() - 1);
  }
  std::vector<std::string> tokens{"<table>", "<tbody>"};
  for (std::size_t r = 0; r < rows; ++r) {
    tokens.emplace_back("<tr>");
    for (std::size_t c = 0; c < columns;) {
      const std::size_t owner = grid.owner(r, c);
      if (owner == kNoCell) {
        tokens.emplace_back("<td></td>");
        ++c;
        continue;
      }
      const GridCell& cell = placed[owner];
      if (cell.rows.begin == r && cell.columns.begin == c) add_cell(cell, tokens);
      c += cell.columns.count;
    }
    tokens.emplace_back("</tr>");
  }
  tokens.insert(tokens.end(), {"</tbody>", "</table>"});
  return tokens;
}

}  // namespace coracle::vision
