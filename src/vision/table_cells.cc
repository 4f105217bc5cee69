// SPDX-License-Identifier: Apache-2.0
#include "vision/table_cells.h"

#include <algorithm>
#include <numeric>

#include "vision/clusters.h"

namespace coracle::vision {
namespace {

constexpr std::size_t kMostCells = 1000;
constexpr double kOverlap = 0.3;
constexpr double kInCells = 0.6;     // Part of a line that cells have if they have it.
constexpr double kFewest = 0.6;      // Part of the cells that the structure has.
constexpr double kSpanned = 0.5;     // Part of a cell that a line covers if it goes through it.
constexpr std::size_t kThrough = 2;  // Cells that a line goes through if it is split.
constexpr double kBelongs = 0.7;     // Part of a line that its cell has.

double span_area(const Span& s) { return (s.right - s.left) * (s.bottom - s.top); }

/// What two spans share; nothing where they only touch.
double common_area(const Span& a, const Span& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/// The part of `whole` that `other` covers; 0 of nothing.
double covered_part(const Span& whole, const Span& other) {
  const double all = span_area(whole);
  return all == 0 ? 0 : common_area(whole, other) / all;
}

/// The rectangles round `count` groups of spans that lie together; all where there are no more.
std::vector<Span> joined(const std::vector<Span>& spans, std::size_t count) {
  if (count >= spans.size()) return spans;
  if (count == 0) return {};
  std::vector<PointD> middles;
  for (const Span& s : spans) middles.push_back({(s.left + s.right) / 2, (s.top + s.bottom) / 2});
  const std::vector<std::size_t> groups = groups_of(middles, count);
  std::vector<Span> round;
  for (std::size_t g = 0; g < count; ++g) {
    bool first = true;
    Span all;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (groups[i] != g) continue;
      const Span& s = spans[i];
      all = first ? s
                  : Span{std::min(all.left, s.left), std::min(all.top, s.top), std::max(all.right, s.right),
                         std::max(all.bottom, s.bottom)};
      first = false;
    }
    if (!first) round.push_back(all);
  }
  return round;
}

std::vector<Span> outside(const std::vector<Span>& lines, const std::vector<Span>& cells) {
  std::vector<Span> rest;
  for (const Span& line : lines) {
    double sum = 0;
    for (const Span& cell : cells) sum += covered_part(line, cell);
    if (sum < kInCells) rest.push_back(line);
  }
  return rest;
}

bool same_span(const Span& a, const Span& b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

/// The parts of a line in the cells, which are given from the left, and between them.
std::vector<Span> parts_of(const Span& line, const std::vector<Span>& cells) {
  std::vector<Span> parts;
  const auto add = [&](double left, double right) {
    const Span part{left, line.top, right, line.bottom};
    if (std::none_of(parts.begin(), parts.end(), [&](const Span& p) { return same_span(p, part); }))
      parts.push_back(part);
  };
  if (line.left < cells.front().left) add(line.left, cells.front().left);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    add(std::max(line.left, cells[i].left), std::min(line.right, cells[i].right));
    if (i + 1 < cells.size() && cells[i].right < cells[i + 1].left) add(cells[i].right, cells[i + 1].left);
  }
  if (cells.back().right < line.right) add(cells.back().right, line.right);
  return parts;
}

}  // namespace

std::vector<FoundCell> without_overlaps(std::vector<FoundCell> cells) {
  std::stable_sort(cells.begin(), cells.end(),
                   [](const FoundCell& a, const FoundCell& b) { return a.score < b.score; });
  std::reverse(cells.begin(), cells.end());
  cells.resize(std::min(cells.size(), kMostCells));
  std::vector<FoundCell> kept;
  for (const FoundCell& cell : cells) {
    const bool doubled = std::any_of(kept.begin(), kept.end(), [&](const FoundCell& better) {
      const double common = common_area(cell.span, better.span);
      return common > kOverlap * (span_area(cell.span) + span_area(better.span) - common);
    });
    if (!doubled) kept.push_back(cell);
  }
  return kept;
}

std::vector<Span> fitted_cells(const std::vector<FoundCell>& cells, const std::vector<Span>& lines,
                               std::size_t wanted) {
  std::vector<Span> spans;
  for (const FoundCell& cell : cells) spans.push_back(cell.span);
  if (spans.size() == wanted) return spans;
  const bool more = spans.size() > wanted;
  spans.resize(std::min(spans.size(), wanted));
  std::vector<Span> rest = outside(lines, spans);
  if (!rest.empty() && more) {
    spans.insert(spans.end(), rest.begin(), rest.end());
    spans = joined(spans, wanted);
  } else if (!rest.empty()) {
    rest = joined(rest, wanted - spans.size());
    spans.insert(spans.end(), rest.begin(), rest.end());
  }
  return static_cast<double>(spans.size()) <= kFewest * static_cast<double>(wanted) ? joined(lines, wanted) : spans;
}

PlacedTexts split_at_cells(const PlacedTexts& lines, const std::vector<Span>& cells,
                           const std::function<std::string(const Span& part)>& read) {
  PlacedTexts result;
  const auto pixels = [](double from, double to) { return static_cast<int>(to) - static_cast<int>(from); };
  for (std::size_t i = 0; i < lines.spans.size(); ++i) {
    const Span& line = lines.spans[i];
    std::vector<Span> through;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(through),
                 [&](const Span& cell) { return covered_part(cell, line) > kSpanned; });
    if (through.size() < kThrough) {
      result.spans.push_back(line);
      result.texts.push_back(lines.texts[i]);
      continue;
    }
    std::stable_sort(through.begin(), through.end(), [](const Span& a, const Span& b) { return a.left < b.left; });
    for (const Span& part : parts_of(line, through)) {
      const bool wide = pixels(part.left, part.right) > 1 && pixels(part.top, part.bottom) > 1;
      result.spans.push_back(part);
      result.texts.push_back(wide ? read(part) : std::string());
    }
  }
  return result;
}

CellRows cell_rows(std::vector<Span> cells) {
  constexpr double kSameTop = 10;
  std::stable_sort(cells.begin(), cells.end(), [](const Span& a, const Span& b) { return a.top < b.top; });
  CellRows rows{std::move(cells), {}};
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= rows.cells.size(); ++i) {
    if (i < rows.cells.size() && rows.cells[i].top - rows.cells[begin].top <= kSameTop) continue;
    const auto at = [&](std::size_t index) { return rows.cells.begin() + static_cast<std::ptrdiff_t>(index); };
    std::stable_sort(at(begin), at(i), [](const Span& a, const Span& b) { return a.left < b.left; });
    rows.ends.push_back(i);
    begin = i;
  }
  return rows;
}

std::string table_html(const std::vector<std::string>& tokens, const CellRows& rows, const PlacedTexts& lines) {
  // The number of cells of the structure before each of its rows that has cells, and after the last one that of found
  // ones.
  std::vector<std::size_t> begins;
  std::size_t count = 0;
  bool new_row = false;
  for (const std::string& token : tokens) {
    if (token == "<tr>" || token == "</tr>") new_row = token == "<tr>";
    if (!ends_cell(token)) continue;
    if (new_row) begins.push_back(count);
    new_row = false;
    ++count;
  }
  // Where the found cells of each row begin.
  std::vector<std::size_t> found;
  for (const std::size_t begin : begins) {
    const auto after = std::upper_bound(rows.ends.begin(), rows.ends.end(), begin);
    found.push_back(after == rows.ends.begin() ? 0 : *(after - 1));
  }
  const std::size_t row_count = begins.size();
  begins.push_back(rows.cells.size());
  found.push_back(rows.cells.size());
  std::size_t row = 0;
  std::size_t in_row = 0;
  return html_of(tokens, [&](std::size_t cell) {
    std::vector<const std::string*> texts;
    if (row < row_count && found[row] + in_row < found[row + 1]) {
      const Span& span = rows.cells[found[row] + in_row];
      for (std::size_t i = 0; i < lines.spans.size(); ++i) {
        if (covered_part(lines.spans[i], span) > kBelongs) texts.push_back(&lines.texts[i]);
      }
    }
    ++in_row;
    if (row + 1 < row_count && cell + 1 >= begins[row + 1]) {
      ++row;
      in_row = 0;
    }
    return cell_text(texts);
  });
}

}  // namespace coracle::vision
