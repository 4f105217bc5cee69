// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "coracle/vision/document_output.h"
#include "vision/block_text.h"
#include "vision/document_blocks.h"
#include "vision/document_titles.h"

namespace coracle::vision::document_markdown {
namespace {

std::string replaced(const std::string& text, std::string_view what, std::string_view by) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = 0; (found = text.find(what, at)) != std::string::npos; at = found + what.size()) {
    result.append(text, at, found - at);
    result += by;
  }
  return result.append(text, at);
}

/// In one line; what a hyphen parts is joined.
std::string one_line(const std::string& text) { return replaced(replaced(text, "-\n", ""), "\n", " "); }

std::string centred(const std::string& text) {
  return "<div style=\"text-align: center;\">" + one_line(text) + "</div>\n";
}

/// An empty line between paragraphs.
std::string parted(const std::string& text) { return replaced(replaced(text, "\n\n", "\n"), "\n", "\n\n"); }

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text;
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::string_view first = reading::first_character(text);
    if (!reading::is_space(reading::code_of(first))) return false;
    text.remove_prefix(first.size());
  }
  return true;
}

/// The first part that is not blank, between separators, becomes a title where it is one of two.
std::string with_title(const std::string& text, char separator, std::string_view one, std::string_view two,
                       std::string_view after) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string part = text.substr(at, end - at);
    if (!is_blank(part)) {
      if (lower(part) != one && lower(part) != two) return text;
      return text.substr(0, at) + "## " + part + std::string(after) + text.substr(end);
    }
    at = end + 1;
  }
  return text;
}

std::string without_edges(const std::string& text, char c) {
  const std::size_t first = text.find_first_not_of(c);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(c) - first + 1);
}

std::string table_in_page(const std::string& html) {
  std::string text = html;
  for (const char* tag : {"<html>", "</html>", "<body>", "</body>"}) text = replaced(text, tag, "");
  return text;
}

bool is_one_of(std::string_view label, std::initializer_list<std::string_view> labels) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

class Writer {
 public:
  Writer(const Document& document, const MarkdownOptions& options) : document_(document), options_(options) {}

  Markdown page() {
    const std::vector<Block> blocks = blocks_or_made(document_);
    const Block* before = nullptr;
    bool first = true;
    for (const Block& block : blocks) {
      const reading::Continuity flow = reading::continuity(block.flow, before == nullptr ? nullptr : &before->flow);
      if (first) result_.begins_paragraph = flow.begins;
      first = false;
      result_.ends_paragraph = flow.ends;
      if (left_out(block.label)) continue;
      const bool goes_on = before != nullptr && block.label == "text" && before->label == "text" && !flow.begins;
      if (!goes_on && !result_.text.empty()) result_.text += "\n\n";
      result_.text += written(block);
      before = &block;
    }
    return std::move(result_);
  }

 private:
  bool left_out(const std::string& label) const {
    return label == "formula_number" ||
           std::find(options_.left_out.begin(), options_.left_out.end(), label) != options_.left_out.end();
  }

  std::string written(const Block& block) {
    const std::string& label = block.label;
    if (label == "doc_title") return "# " + one_line(block.text);
    if (is_one_of(label, {"paragraph_title", "abstract_title", "reference_title", "content_title"})) {
      const LeveledTitle title = leveled(block.text);
      return one_line(std::string(static_cast<std::size_t>(title.level) + 1, '#') + " " + title.text);
    }
    if (is_one_of(label, {"table_title", "figure_title", "chart_title"}))
      return options_.pretty ? centred(block.text) : block.text;
    if (label == "table" && !block.text.empty()) {
      if (!options_.pretty) return "\n" + table_in_page("\n" + block.text);
      return "\n" + replaced(centred(block.text), "<table>", "<table border=\"1\">");
    }
    if (is_one_of(label, {"image", "chart", "formula", "display_formula", "inline_formula", "table", "seal", "figure",
                          "flowchart"}))
      return picture(block);
    if (is_one_of(label, {"header_image", "footer_image"})) return {};
    if (label == "abstract") return with_title(block.text, ' ', "abstract", "摘要", "\n");
    if (label == "reference") return with_title(block.text, '\n', "references", "参考文献", "");
    if (label == "content") return replaced(replaced(block.text, "-\n", "  \n"), "\n", "  \n");
    if (label == "algorithm") return without_edges(block.text, '\n');
    if (is_one_of(label, {"spotting", "number", "footnote", "header", "footer", "aside_text"})) return block.text;
    return parted(block.text);
  }

  std::string picture(const Block& block) {
    const auto& [left, top, right, bottom] = block.box;
    std::string path = options_.pictures + "img_in_" + block.label + "_box_";
    path += std::to_string(left) + "_" + std::to_string(top) + "_" + std::to_string(right) + "_" +
            std::to_string(bottom) + ".jpg";
    result_.pictures.push_back({path, cut(block.box)});
    if (!options_.pretty) return "![](" + path + ")";
    const int percent = document_.page.width == 0
                            ? 0
                            : static_cast<int>(static_cast<double>(right - left) / document_.page.width * 100);
    return centred("<img src=\"" + path + "\" alt=\"Image\" width=\"" + std::to_string(percent) + "%\" />");
  }

  Image cut(const std::array<int, 4>& box) const {
    const Image& page = document_.page;
    if (page.bgr.empty()) return {};
    const int left = std::clamp(box[0], 0, page.width);
    const int top = std::clamp(box[1], 0, page.height);
    Image result(std::max(0, std::min(box[2], page.width) - left), std::max(0, std::min(box[3], page.height) - top));
    for (int y = 0; y < result.height; ++y) std::copy_n(page.row(top + y) + 3 * left, 3 * result.width, result.row(y));
    return result;
  }

  const Document& document_;
  const MarkdownOptions& options_;
  Markdown result_;
};

}  // namespace
}  // namespace coracle::vision::document_markdown

namespace coracle::vision {

Markdown to_markdown(const Document& document, const MarkdownOptions& options) {
  return document_markdown::Writer(document, options).page();
}

std::string joined_text(std::span<const Markdown> pages) {
  std::string text;
  bool ended = true;
  for (const Markdown& page : pages) {
    if (page.begins_paragraph || ended) {
      if (!text.empty()) text += "\n\n";
    } else if (!reading::is_chinese(reading::last_character(text)) &&
               !reading::is_chinese(reading::first_character(page.text))) {
      text += " ";
    }
    text += page.text;
    ended = page.ends_paragraph;
  }
  return text;
}

}  // namespace coracle::vision
