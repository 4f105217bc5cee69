// SPDX-License-Identifier: Apache-2.0
#include "vision/table_structure.h"

#include <algorithm>
#include <cmath>

namespace coracle::vision {
namespace {

constexpr const char* kBegin = "sos";
constexpr const char* kEnd = "eos";
constexpr const char* kCell = "<td></td>";  // One that spans nothing.
constexpr const char* kBefore[] = {"<html>", "<body>", "<table>"};
constexpr const char* kAfter[] = {"</table>", "</body>", "</html>"};
constexpr double kFarthest = 1e6;

bool begins_cell(const std::string& token) { return token == "<td>" || token == "<td" || token == kCell; }

int whole(double value) { return static_cast<int>(std::clamp(std::isnan(value) ? 0 : value, -kFarthest, kFarthest)); }

[[noreturn]] void unexpected_cells(const Description& d, const std::string& what) {
  throw Error(Problem::kDescription, (d.file.empty() ? std::string() : d.file + ": ") + what);
}

/// What fractions of width and height count in.
std::array<double, 2> scales(const Prepared& p, bool of_picture) {
  const double width = p.picture_width;
  const double height = p.picture_height;
  if (of_picture) return {width, height};
  const double ratio = std::min(p.width / width, p.height / height);
  return {p.width / ratio, p.height / ratio};
}

double size_of(const Span& s) { return (s.right - s.left) * (s.bottom - s.top); }

double shared_part(const Span& a, const Span& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return width * height / (size_of(a) + size_of(b) - width * height);
}

/// The four sides' distances, those of the nearer corner twice.
double span_distance(const Span& a, const Span& b) {
  const double first = std::abs(b.left - a.left) + std::abs(b.top - a.top);
  const double second = std::abs(b.right - a.right) + std::abs(b.bottom - a.bottom);
  return first + second + std::min(first, second);
}

}  // namespace

std::vector<std::string> table_tokens(std::vector<std::string> dictionary, bool merge) {
  if (merge) {
    if (std::find(dictionary.begin(), dictionary.end(), kCell) == dictionary.end()) dictionary.emplace_back(kCell);
    const auto plain = std::find(dictionary.begin(), dictionary.end(), "<td>");
    if (plain != dictionary.end()) dictionary.erase(plain);
  }
  dictionary.insert(dictionary.begin(), kBegin);
  dictionary.emplace_back(kEnd);
  return dictionary;
}

TableStructure table_structure(const Output& probabilities, const Output* cells, const std::vector<std::string>& tokens,
                               const Prepared& prepared, const Description& d) {
  const std::vector<std::int64_t>& dims = probabilities.dims;
  if (dims.size() != 3 || dims[0] != 1 || dims[2] != static_cast<std::int64_t>(tokens.size())) {
    unexpected_cells(d, "an output for table-structure has a row of " + std::to_string(tokens.size()) +
                            " probabilities for each step (the beginning, " + std::to_string(tokens.size() - 2) +
                            " tokens and the end), the model gives rows of " +
                            std::to_string(dims.empty() ? 0 : dims.back()));
  }
  if (cells != nullptr && cells->dims != std::vector<std::int64_t>{1, dims[1], 8}) {
    unexpected_cells(d, "an output for table-structure has 8 coordinates for each of " + std::to_string(dims[1]) +
                            " steps, the model gives " + std::to_string(cells->size) + " numbers");
  }
  const auto steps = static_cast<std::size_t>(dims[1]);
  const std::array<double, 2> scale = scales(prepared, d.table.of_picture);
  TableStructure table;
  table.tokens.assign(std::begin(kBefore), std::end(kBefore));
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const float* row = probabilities.data + step * tokens.size();
    const float* best = std::max_element(row, row + tokens.size());
    const auto at = static_cast<std::size_t>(best - row);
    if (step > 0 && at + 1 == tokens.size()) break;
    if (at == 0 || at + 1 == tokens.size()) continue;
    if (cells != nullptr && begins_cell(tokens[at])) {
      std::array<Point, 4>& corners = table.cells.emplace_back();
      const float* place = cells->data + step * 8;
      for (std::size_t i = 0; i < 4; ++i) {
        corners[i] = {whole(static_cast<double>(place[2 * i]) * scale[0]),
                      whole(static_cast<double>(place[2 * i + 1]) * scale[1])};
      }
    }
    table.tokens.push_back(tokens[at]);
    sum += static_cast<double>(*best);
    ++count;
  }
  if (count > 0) table.score = static_cast<float>(sum / static_cast<double>(count));
  table.tokens.insert(table.tokens.end(), std::begin(kAfter), std::end(kAfter));
  return table;
}

std::vector<std::size_t> cells_of_lines(const std::vector<Span>& cells, const std::vector<Span>& lines) {
  std::vector<std::size_t> cell_of;
  for (const Span& line : lines) {
    const auto badness = [&](const Span& cell) {
      return std::pair<double, double>{1.0 - shared_part(cell, line), span_distance(cell, line)};
    };
    const auto best = std::min_element(cells.begin(), cells.end(),
                                       [&](const Span& a, const Span& b) { return badness(a) < badness(b); });
    cell_of.push_back(static_cast<std::size_t>(best - cells.begin()));
  }
  return cell_of;
}

bool ends_cell(const std::string& token) { return token == kCell || token == "</td>"; }

std::string cell_text(const std::vector<const std::string*>& texts) {
  if (texts.size() == 1) return html_text(*texts.front());
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = *texts[i];
    const std::string part = text.substr(!text.empty() && text.front() == ' ' ? 1 : 0);
    if (part.empty()) continue;
    all += html_text(part);
    if (i + 1 < texts.size() && part.back() != ' ') all += ' ';
  }
  return all;
}

std::string html_text(const std::string& text) {
  std::string html;
  for (const char c : text) {
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else if (c == '>') {
      html += "&gt;";
    } else {
      html += c;
    }
  }
  return html;
}

std::string html_of(const std::vector<std::string>& tokens, const std::function<std::string(std::size_t)>& text_of) {
  std::string html;
  std::size_t cell = 0;
  for (const std::string& token : tokens) {
    if (!ends_cell(token)) {
      html += token;
      continue;
    }
    if (token == kCell) html += "<td>";
    html += text_of(cell++) + "</td>";
  }
  return html;
}

std::string table_html(const std::vector<std::string>& tokens, const std::vector<std::string>& texts,
                       const std::vector<std::size_t>& cell_of) {
  std::vector<std::vector<const std::string*>> content;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (cell_of[i] >= content.size()) content.resize(cell_of[i] + 1);
    content[cell_of[i]].push_back(&texts[i]);
  }
  return html_of(tokens, [&](std::size_t cell) { return cell < content.size() ? cell_text(content[cell]) : ""; });
}

}  // namespace coracle::vision
