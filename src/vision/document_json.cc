// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdio>

#include "coracle/vision/document_output.h"
#include "vision/document_blocks.h"

namespace coracle::vision::document_json {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

/// With as many digits as tell the number from all others of its type.
template <class T>
std::string number(T value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

template <class Items, class Write>
std::string list(const Items& items, Write write) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() == 1 ? "" : ", ") + write(item);
  return text + "]";
}

std::string sides(const std::array<float, 4>& box) { return list(box, number<float>); }

std::string point(const Point& p) { return "[" + std::to_string(p.x) + ", " + std::to_string(p.y) + "]"; }

/// The outline of a bent line, else its corners.
std::string polygon(const TextLine& line) {
  return line.polygon.empty() ? list(line.corners, point) : list(line.polygon, point);
}

std::string bounds(const TextLine& line) {
  Point low = line.corners[0];
  Point high = low;
  for (const Point& p : line.corners) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return list(std::array{low.x, low.y, high.x, high.y}, [](int side) { return std::to_string(side); });
}

std::string blocks(const Document& document) {
  std::string text = "[";
  int id = 0;
  for (const Block& block : blocks_or_made(document)) {
    text += id == 0 ? "\n  " : ",\n  ";
    text += "{\"block_label\": " + quoted(block.label) + ", \"block_content\": " + quoted(block.text) +
            ", \"block_bbox\": " + list(block.box, [](int side) { return std::to_string(side); }) +
            ", \"block_id\": " + std::to_string(id++) +
            ", \"block_order\": " + (block.order ? std::to_string(*block.order) : "null") + "}";
  }
  return text + "]";
}

std::string regions(const Document& document) {
  return list(document.regions, [](const Object& o) {
    return "{\"cls_id\": " + std::to_string(o.id) + ", \"label\": " + quoted(o.name) +
           ", \"score\": " + number(o.score) + ", \"coordinate\": " + sides({o.left, o.top, o.right, o.bottom}) + "}";
  });
}

std::string lines(const std::vector<TextLine>& all) {
  const std::string polygons = list(all, polygon);
  return "{\"dt_polys\": " + polygons + ", \"rec_polys\": " + polygons +
         ", \"rec_texts\": " + list(all, [](const TextLine& l) { return quoted(l.text); }) +
         ", \"rec_scores\": " + list(all, [](const TextLine& l) { return number(l.score); }) +
         ", \"rec_boxes\": " + list(all, bounds) + ", \"textline_orientation_angles\": " +
         list(all, [](const TextLine& l) { return std::string(l.turned ? "1" : "0"); }) + "}";
}

std::string tables(const Document& document) {
  return list(document.tables, [](const Table& t) {
    return "{\"cell_box_list\": " + list(t.cells, sides) + ", \"pred_html\": " + quoted(t.html) + "}";
  });
}

std::string seals(const Document& document) {
  return list(document.seals, [](const Seal& s) { return lines(s.lines); });
}

}  // namespace
}  // namespace coracle::vision::document_json

namespace coracle::vision {

std::string to_json(const Document& document, const JsonOptions& options) {
  const std::string left_out = document_json::list(MarkdownOptions{}.left_out, document_json::quoted);
  return "{\"input_path\": " + (options.path.empty() ? "null" : document_json::quoted(options.path)) +
         ", \"page_index\": " + (options.page_index < 0 ? "null" : std::to_string(options.page_index)) +
         ", \"page_count\": " + (options.page_count < 1 ? "null" : std::to_string(options.page_count)) +
         ", \"width\": " + std::to_string(document.page.width) +
         ", \"height\": " + std::to_string(document.page.height) +
         ",\n \"model_settings\": {\"use_table_recognition\": " + (document.tables.empty() ? "false" : "true") +
         ", \"format_block_content\": false, \"markdown_ignore_labels\": " + left_out +
         "},\n \"parsing_res_list\": " + document_json::blocks(document) +
         ",\n \"doc_preprocessor_res\": {\"angle\": " + std::to_string(document.turned) +
         "},\n \"layout_det_res\": {\"boxes\": " + document_json::regions(document) +
         "},\n \"overall_ocr_res\": " + document_json::lines(document.lines) +
         ",\n \"table_res_list\": " + document_json::tables(document) +
         ",\n \"seal_res_list\": " + document_json::seals(document) + "}\n";
}

}  // namespace coracle::vision
