// SPDX-License-Identifier: Apache-2.0
#include "serve/pipeline_layout.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace coracle::serve {
namespace {

bool is_label(std::string_view label, std::initializer_list<std::string_view> labels) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

std::array<int, 4> box_of(const vision::TextLine& line) {
  const auto& c = line.corners;
  return {std::min({c[0].x, c[1].x, c[2].x, c[3].x}), std::min({c[0].y, c[1].y, c[2].y, c[3].y}),
          std::max({c[0].x, c[1].x, c[2].x, c[3].x}), std::max({c[0].y, c[1].y, c[2].y, c[3].y})};
}

bool has_middle(const std::array<int, 4>& outer, const std::array<int, 4>& inner) {
  const int x = (inner[0] + inner[2]) / 2;
  const int y = (inner[1] + inner[3]) / 2;
  return outer[0] <= x && x <= outer[2] && outer[1] <= y && y <= outer[3];
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string in_the_middle(const std::string& html) { return "<div style=\"text-align: center;\">" + html + "</div>\n"; }

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string markdown_of_block(const PageBlock& block, int page_width, bool pretty) {
  if (const std::string name = picture_name(block); !name.empty()) {
    if (!pretty) return "![](" + name + ")";
    const int width = (block.box[2] - block.box[0]) * 100 / std::max(page_width, 1);
    return in_the_middle("<img src=\"" + name + "\" alt=\"Image\" width=\"" + std::to_string(width) + "%\" />");
  }
  if (block.label == "table") {
    std::string table = block.content;
    if (pretty) {
      replace_all(table, "<table>", "<table border=\"1\">");
      return "\n" + in_the_middle(one_line(table));
    }
    for (const char* tag : {"<html>", "</html>", "<body>", "</body>"}) replace_all(table, tag, "");
    return "\n\n" + table;
  }
  if (block.label == "doc_title") return "# " + one_line(block.content);
  if (is_label(block.label, {"paragraph_title", "abstract_title", "reference_title", "content_title", "title"}))
    return "## " + one_line(block.content);
  return block.content;
}

}  // namespace

std::vector<PageBlock> blocks_of(const vision::Document& document) {
  std::vector<PageBlock> blocks;
  auto table = document.tables.begin();
  for (const vision::Object& region : document.regions) {
    PageBlock& block = blocks.emplace_back();
    block.label = region.name == "Table" ? "table" : region.name;
    block.box = {static_cast<int>(region.left), static_cast<int>(region.top), static_cast<int>(region.right),
                 static_cast<int>(region.bottom)};
    const std::array<float, 4> box{region.left, region.top, region.right, region.bottom};
    if (block.label == "table" && table != document.tables.end() && table->box == box) block.content = (table++)->html;
  }
  const size_t regions = blocks.size();
  std::vector<bool> is_table(regions);
  for (size_t i = 0; i < regions; ++i) is_table[i] = !blocks[i].content.empty();
  for (const vision::TextLine& line : document.lines) {
    const std::array<int, 4> box = box_of(line);
    size_t i = 0;
    while (i < regions && !has_middle(blocks[i].box, box)) ++i;
    if (i == regions) {
      blocks.push_back({"text", box, line.text});
    } else if (!is_table[i]) {
      blocks[i].content.append(blocks[i].content.empty() ? "" : "\n").append(line.text);
    }
  }
  return blocks;
}

std::string picture_name(const PageBlock& block) {
  const bool as_picture = is_label(block.label, {"image", "figure", "chart", "seal", "formula", "header_image",
                                                 "footer_image", "Figure", "flowchart"}) ||
                          (block.label == "table" && !block.content.starts_with("<html>"));
  if (!as_picture) return {};
  std::string name = "imgs/img_in_" + block.label + "_box";
  for (const int side : block.box) name.append("_").append(std::to_string(side));
  return name + ".jpg";
}

std::string markdown_of(const std::vector<PageBlock>& blocks, int page_width, const MarkdownOptions& options) {
  std::string text;
  for (const PageBlock& block : blocks) {
    if (options.left_out.contains(block.label)) continue;
    text.append(text.empty() ? "" : "\n\n").append(markdown_of_block(block, page_width, options.pretty));
  }
  return text;
}

vision::Image cut_out(const vision::Image& page, const std::array<int, 4>& box) {
  const int left = std::clamp(box[0], 0, page.width);
  const int top = std::clamp(box[1], 0, page.height);
  vision::Image part(std::clamp(box[2], left, page.width) - left, std::clamp(box[3], top, page.height) - top);
  for (int y = 0; y < part.height; ++y)
    std::copy_n(page.row(top + y) + std::ptrdiff_t{3} * left, std::ptrdiff_t{3} * part.width, part.row(y));
  return part;
}

}  // namespace coracle::serve
